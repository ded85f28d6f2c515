//! Searches whose hits are put in the order that suits a user.

use serde_json::{Value, json};

use crate::harness::{change_settings, ids, search};
use crate::rerank_provider::{Harbours, KEY, Mood};

fn personal(members: Value) -> Value {
    let mut body = json!({"q": "sea", "personalize": {"userContext": "likes boats"}});
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[test]
fn the_hits_of_a_page_are_put_in_another_order() {
    let harbours = Harbours::without_reranker();
    let server = &harbours.server;
    let settings = json!({"displayedAttributes": ["id", "title"], "searchCutoffMs": 60_000});
    change_settings(server, "harbours", settings);
    let body = personal(json!({"offset": 1, "limit": 3, "showRankingScore": true}));
    let (answer, asked) = harbours.provider.during(|| search(server, "harbours", body));
    assert_eq!(ids(&answer), [4, 3, 2]);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].key, Some(format!("Bearer {KEY}")));
    assert_eq!(asked[0].body["query"], "Query: sea\nUser context: likes boats");
    // The provider reads what the caller is shown.
    assert_eq!(asked[0].body["documents"][0], r#"{"id":2,"title":"sea boat"}"#);
    let line = "GET /indexes/harbours/search?q=sea&limit=2&personalizeUserContext=boats";
    assert_eq!(ids(&server.call(line).json()), [2, 1]);
    // With a single hit there is nothing to put in order.
    let (_, asked) =
        harbours.provider.during(|| search(server, "harbours", personal(json!({"limit": 1}))));
    assert!(asked.is_empty());
    server.call_json("PATCH /experimental-features", json!({"metrics": true}));
    let metrics = server.call("GET /metrics").text();
    let count = metrics.lines().find(|line| line.contains("personalized_search_requests 3"));
    assert!(count.is_some(), "{metrics}");
}

#[test]
fn several_queries_are_personalized_each_or_as_one() {
    let harbours = Harbours::without_reranker();
    let server = &harbours.server;
    change_settings(server, "harbours", json!({"searchCutoffMs": 60_000}));
    let mut query = personal(json!({}));
    query["indexUid"] = json!("harbours");
    let answer = server.call_json("POST /multi-search", json!({"queries": [query]})).json();
    assert_eq!(ids(&answer["results"][0]), [4, 3, 2, 1]);
    let queries =
        json!([{"indexUid": "harbours", "q": "sea"}, {"indexUid": "harbours", "q": "boat"}]);
    let federation = json!({"limit": 3, "personalize": {"userContext": "likes boats"}});
    let body = json!({"queries": queries, "federation": federation});
    let ask = || server.call_json("POST /multi-search", body).json();
    let (answer, asked) = harbours.provider.during(ask);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].body["query"], "Query: sea; boat\nUser context: likes boats");
    let boats = |hit: &Value| hit["title"].as_str().unwrap().matches("boat").count();
    let found: Vec<usize> = answer["hits"].as_array().unwrap().iter().map(boats).collect();
    assert!(found.is_sorted_by(|a, b| a >= b), "{found:?}");
    assert_eq!(answer["hits"][0]["_federation"]["indexUid"], "harbours");
}

#[test]
fn failures_have_the_codes_of_remotes() {
    let harbours = Harbours::without_reranker();
    change_settings(&harbours.server, "harbours", json!({"searchCutoffMs": 60_000}));
    for (mood, status, code) in [
        (Mood::Failing(401), 403, "remote_invalid_api_key"),
        (Mood::Failing(400), 400, "remote_bad_request"),
        (Mood::Failing(429), 503, "too_many_search_requests"),
        (Mood::Failing(500), 502, "remote_remote_error"),
        (Mood::Babbling, 502, "remote_bad_response"),
        (Mood::Away, 502, "remote_could_not_send_request"),
    ] {
        harbours.provider.set_mood(mood);
        let line = "POST /indexes/harbours/search";
        let answer = harbours.server.call_json(line, personal(json!({})));
        answer.is_error_like(status, code, "Personalization failed: ");
        assert!(!answer.text().contains(KEY));
    }
}

#[test]
fn past_the_deadline_hits_stay_as_they_are_ranked() {
    let harbours = Harbours::without_reranker();
    change_settings(&harbours.server, "harbours", json!({"searchCutoffMs": 60}));
    harbours.provider.set_mood(Mood::Holding);
    let answer = search(&harbours.server, "harbours", personal(json!({})));
    assert_eq!(ids(&answer), [1, 2, 3, 4]);
}
