//! What is asked of one process and of a network, and what has to be the same in their answers.

use serde_json::{Value, json};

use crate::cluster::Member;
use crate::documents::INDEX;

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
        json!({"q": "anchor", "attributesToSearchOn": ["title"], "attributesToRetrieve": ["id"]}),
        json!({"q": "ember", "attributesToHighlight": ["title"], "attributesToCrop": ["text:5"]}),
        json!({"q": "ember", "showMatchesPosition": true, "showRankingScoreDetails": true}),
        json!({"q": "compass north", "rankingScoreThreshold": 0.6, "hitsPerPage": 10}),
        json!({"q": "nothing at all like this"}),
    ];
    for page in 1..4 {
        queries.push(json!({"q": "quiet voyage", "hitsPerPage": 13, "page": page}));
        queries.push(json!({"q": "story", "limit": 11, "offset": page * 11}));
    }
    queries
}

/// The answer of a member, without what differs from call to call and what a network adds.
pub fn answer(member: &Member, query: &Value) -> Value {
    let answer = member.send("POST", &format!("/indexes/{INDEX}/search"), query);
    let mut body = answer.json();
    assert_eq!(answer.status, 200, "{query}: {body}");
    if let Some(errors) = body["remoteErrors"].as_object() {
        assert!(errors.is_empty(), "{query}: {errors:?}");
    }
    for name in ["processingTimeMs", "requestUid", "remoteErrors"] {
        body.as_object_mut().expect("an answer").remove(name);
    }
    for hit in body["hits"].as_array_mut().expect("hits") {
        hit.as_object_mut().expect("a hit").remove("_federation");
    }
    body
}
