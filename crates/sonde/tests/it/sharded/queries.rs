//! Queries to one process and to a network, and the parts of the answers that must be equal.

use serde_json::{Value, json};

use crate::sharded::cluster::Member;
use crate::sharded::documents::{self, INDEX};

pub fn all() -> Vec<Value> {
    let mut queries = vec![
        json!({}),
        json!({"q": "harbour"}),
        json!({"q": "harbour lantern"}),
        json!({"q": "winter garden stone", "matchingStrategy": "all"}),
        json!({"q": "\"salt winter\""}),
        json!({"q": "hrabour lantren"}),
        json!({"q": "sea -salt"}),
        json!({"q": "hist", "showRankingScore": true}),
        json!({"q": "river", "filter": "genre = novel AND price > 7"}),
        json!({"filter": ["price < 3", ["genre = essay", "genre = drama"]], "limit": 50}),
        json!({"filter": "note = seen", "limit": 30}),
        json!({"filter": "note != seen", "limit": 3}),
        json!({"q": "tower", "sort": ["price:asc", "year:desc"], "limit": 40}),
        json!({"sort": ["year:asc"], "offset": 37, "limit": 25}),
        json!({"sort": ["price:desc"], "filter": "tags = t3"}),
        json!({"q": "clock", "facets": ["genre", "price", "tags"]}),
        json!({"facets": ["*"], "limit": 1}),
        json!({"q": "map", "distinct": "series", "limit": 30}),
        json!({"q": "map", "distinct": "series", "hitsPerPage": 30, "page": 2}),
        json!({"distinct": "genre", "limit": 30, "hitsPerPage": 30, "facets": ["genre"]}),
        json!({"q": "river map", "distinct": "series", "hitsPerPage": 10, "page": 2,
               "facets": ["genre", "price"]}),
        json!({"q": "tower", "distinct": "tags", "hitsPerPage": 3, "facets": ["*"]}),
        json!({"q": "anchor", "attributesToSearchOn": ["title"], "attributesToRetrieve": ["id"]}),
        json!({"q": "ember", "attributesToHighlight": ["title"], "attributesToCrop": ["text:5"]}),
        json!({"q": "ember", "showMatchesPosition": true, "showRankingScoreDetails": true}),
        json!({"q": "compass north", "rankingScoreThreshold": 0.6, "hitsPerPage": 10}),
        json!({"q": "nothing at all like this"}),
        // More than an index gives out.
        json!({"limit": 1500, "attributesToRetrieve": ["id"]}),
        json!({"q": "harbour", "offset": 990, "limit": 50}),
        json!({"sort": ["price:asc"], "hitsPerPage": 300, "page": 4}),
        json!({"filter": "price > 3", "hitsPerPage": 300, "page": 5}),
    ];
    for page in 1..4 {
        queries.push(json!({"q": "quiet voyage", "hitsPerPage": 13, "page": page}));
        queries.push(json!({"q": "story", "limit": 11, "offset": page * 11}));
    }
    queries
}

/// Searches by vector, alone and with words: some that words are good enough for, some not.
pub fn by_vector() -> Vec<Value> {
    let mut queries = Vec::new();
    for (place, ratio) in [0.1, 0.3, 0.5, 0.8, 1.0].into_iter().enumerate() {
        for text in ["harbour", "harbour lantern winter", "hrabour", "nowhere"] {
            for window in [json!({"limit": 2}), json!({}), json!({"hitsPerPage": 9, "page": 3})] {
                let mut query = json!({
                    "q": text,
                    "hybrid": {"embedder": documents::EMBEDDER, "semanticRatio": ratio},
                    "vector": documents::vector(place as u64 + 77),
                    "showRankingScore": true,
                    "facets": ["genre"],
                });
                query.as_object_mut().unwrap().extend(window.as_object().cloned().unwrap());
                queries.push(query);
            }
        }
    }
    let is_distinct = |place: &usize| place % 4 == 2;
    let mut distinct: Vec<Value> =
        (0..queries.len()).filter(is_distinct).map(|place| queries[place].clone()).collect();
    for query in &mut distinct {
        query["distinct"] = json!("series");
    }
    queries.append(&mut distinct);
    queries
}

/// Documents like one that has vectors, wherever it is, and like one that has none.
pub fn similar() -> Vec<Value> {
    let like = |id: u64| json!({"id": id, "embedder": documents::EMBEDDER});
    let mut queries: Vec<Value> = (1..9).map(|place| like(place * documents::HAS_VECTOR)).collect();
    queries.push(like(1));
    for more in [
        json!({"offset": 5, "limit": 30, "showRankingScore": true}),
        json!({"filter": "genre = novel", "retrieveVectors": true}),
        json!({"rankingScoreThreshold": 0.8}),
    ] {
        let mut query = like(documents::HAS_VECTOR);
        query.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        queries.push(query);
    }
    queries
}

/// The answer of a member, without what differs from call to call and what a network adds.
pub fn answer(member: &Member, query: &Value) -> Value {
    let answer = answer_of("search", member, query);
    assert!(answer["hits"].is_array(), "{query}: {answer}");
    answer
}

/// The same of another route of the index.
pub fn answer_of(route: &str, member: &Member, query: &Value) -> Value {
    let answer = member.send("POST", &format!("/indexes/{INDEX}/{route}"), query);
    let mut body = answer.json();
    if let Some(errors) = body["remoteErrors"].as_object() {
        assert!(errors.is_empty(), "{query}: {errors:?}");
    }
    for name in ["processingTimeMs", "requestUid", "remoteErrors"] {
        body.as_object_mut().expect("an answer").remove(name);
    }
    for hit in body.get_mut("hits").and_then(Value::as_array_mut).into_iter().flatten() {
        hit.as_object_mut().expect("a hit").remove("_federation");
    }
    body
}
