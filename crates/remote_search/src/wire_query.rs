//! A search as sent to a remote: the JSON that a client would send.

use engine::search::{SearchRequest, SemanticRequest};
use search::Fusion;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Writes the members that say what is searched and shown. Window and facets belong to the
/// federation and stand elsewhere.
pub(crate) fn query(request: &SearchRequest) -> Map<String, Value> {
    let mut query = criteria(request);
    query.extend(members(&request.view));
    add(&mut query, "sort", Some(&request.sort).filter(|sort| !sort.is_empty()));
    add(&mut query, "boosts", request.boosts.as_ref());
    query
}

/// Writes the members that select documents, which a facet search has too.
pub(crate) fn criteria(request: &SearchRequest) -> Map<String, Value> {
    let mut query = members(&request.criteria);
    add(&mut query, "q", request.text.as_ref());
    add(&mut query, "filter", request.filter.as_ref());
    if let Some(SemanticRequest { embedder, ratio, fusion, vector, media }) = &request.semantic {
        let mut hybrid = json!({"embedder": embedder, "semanticRatio": ratio});
        match fusion {
            // Omitted, since a remote may not know the member.
            Fusion::Score => {}
            Fusion::Rrf { k } => {
                hybrid["fusion"] = "rrf".into();
                hybrid["k"] = (*k).into();
            }
            Fusion::Normalized => hybrid["fusion"] = "normalized".into(),
        }
        query.insert("hybrid".to_owned(), hybrid);
        add(&mut query, "vector", vector.as_ref());
        add(&mut query, "media", media.as_ref());
    }
    query
}

/// Serialises a part of a request to its members.
pub(crate) fn members(part: &impl Serialize) -> Map<String, Value> {
    match json!(part) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn add<T: Serialize>(query: &mut Map<String, Value>, name: &str, value: Option<&T>) {
    if let Some(value) = value {
        query.insert(name.to_owned(), json!(value));
    }
}
