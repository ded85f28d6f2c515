//! A search as sent to a remote: the JSON that a client would send.

use engine::search::{HitView, SearchRequest, SemanticRequest};
use search::format::FormatRequest;
use search::{Fusion, Strategy};
use serde_json::{Map, Value, json};

/// Writes the members that say what is searched and shown. Window and facets belong to the
/// federation and stand elsewhere.
pub(crate) fn query(request: &SearchRequest) -> Map<String, Value> {
    let mut query = criteria(request);
    let HitView {
        attributes_to_retrieve,
        retrieve_vectors,
        format,
        ranking_score,
        ranking_score_details,
    } = &request.view;
    add(&mut query, "sort", Some(&request.sort).filter(|sort| !sort.is_empty()));
    add(&mut query, "boosts", request.boosts.as_ref());
    add(&mut query, "attributeWeights", request.attribute_weights.as_ref());
    add(&mut query, "distinct", request.distinct.as_ref());
    add(&mut query, "attributesToRetrieve", attributes_to_retrieve.as_ref());
    add_flag(&mut query, "retrieveVectors", *retrieve_vectors);
    add_flag(&mut query, "showRankingScore", *ranking_score);
    add_flag(&mut query, "showRankingScoreDetails", *ranking_score_details);
    add_flag(&mut query, "didYouMean", request.did_you_mean);
    if let Some(format) = format {
        add_format(&mut query, format);
    }
    query
}

/// Writes the members that select documents, which a facet search has too.
pub(crate) fn criteria(request: &SearchRequest) -> Map<String, Value> {
    let mut query = Map::new();
    add(&mut query, "q", request.text.as_ref());
    add(&mut query, "filter", request.filter.as_ref());
    let strategy = match request.strategy {
        Strategy::Last => "last",
        Strategy::All => "all",
        Strategy::Frequency => "frequency",
        Strategy::Any => "any",
    };
    query.insert("matchingStrategy".to_owned(), strategy.into());
    add(&mut query, "attributesToSearchOn", request.attributes_to_search_on.as_ref());
    add(&mut query, "rankingScoreThreshold", request.threshold.as_ref());
    if let Some(locales) = &request.locales {
        let codes: Vec<_> = locales.iter().map(|&l| text::locale::three_letter(l)).collect();
        query.insert("locales".to_owned(), json!(codes));
    }
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

fn add_format(query: &mut Map<String, Value>, format: &FormatRequest) {
    add(query, "attributesToHighlight", format.highlight.as_ref());
    add(query, "attributesToCrop", format.crop.as_ref());
    add(query, "cropLength", Some(&format.crop_length));
    add(query, "cropMarker", Some(&format.crop_marker));
    add(query, "highlightPreTag", Some(&format.pre_tag));
    add(query, "highlightPostTag", Some(&format.post_tag));
    add_flag(query, "showMatchesPosition", format.show_matches_position);
}

fn add<T: serde::Serialize>(query: &mut Map<String, Value>, name: &str, value: Option<&T>) {
    if let Some(value) = value {
        query.insert(name.to_owned(), json!(value));
    }
}

fn add_flag(query: &mut Map<String, Value>, name: &str, on: bool) {
    add(query, name, on.then_some(&true));
}
