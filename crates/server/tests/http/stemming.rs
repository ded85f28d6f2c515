//! The setting `stemming`, as clients meet it.

use serde_json::{Value, json};

use crate::harness::TestServer;

fn with_stems(server: &TestServer, index: &str, stemming: Value) {
    let documents = json!([
        {"id": 1, "title": "flowing water"},
        {"id": 2, "title": "the flow of it"},
        {"id": 3, "title": "a fish"},
    ]);
    server.call_json(&format!("POST /indexes/{index}/documents"), documents).task(server);
    let line = format!("PUT /indexes/{index}/settings/stemming");
    let task = server.call_json(&line, stemming).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
}

fn ids(answer: &Value) -> Vec<u64> {
    let hits = answer["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["id"].as_u64().expect("an id")).collect()
}

#[test]
fn searches_find_and_mark_words_of_one_stem() {
    let server = TestServer::shared();
    with_stems(&server, "stems", json!({"languages": ["en"]}));
    let body = json!({"q": "flowed ", "attributesToHighlight": ["title"]});
    let answer = server.call_json("POST /indexes/stems/search", body).json();
    assert_eq!(ids(&answer), [1, 2]);
    assert_eq!(answer["hits"][0]["_formatted"]["title"], "<em>flowing</em> water");

    // The change is applied to the next search, and taken back.
    server.call("DELETE /indexes/stems/settings/stemming").task(&server);
    let answer = server.call_json("POST /indexes/stems/search", json!({"q": "flowed "})).json();
    assert!(ids(&answer).is_empty());
    assert_eq!(server.call("GET /indexes/stems/settings").json().get("stemming"), None);
}

#[test]
fn stems_count_in_each_index_of_a_federation() {
    let server = TestServer::shared();
    with_stems(&server, "stems-one", json!({}));
    with_stems(&server, "stems-two", json!({"languages": ["ru"]}));
    let queries = json!([
        {"indexUid": "stems-one", "q": "fishes "},
        {"indexUid": "stems-two", "q": "fishes "},
    ]);
    let set = json!({"languages": ["en"]});
    server.call_json("PUT /indexes/stems-one/settings/stemming", set).task(&server);
    let body = json!({"queries": queries, "federation": {}});
    let answer = server.call_json("POST /multi-search", body).json();
    let indexes: Vec<&Value> = answer["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .map(|hit| &hit["_federation"]["indexUid"])
        .collect();
    assert_eq!(indexes, ["stems-one"], "{answer}");
}

#[test]
fn languages_without_stems_are_refused() {
    let server = TestServer::shared();
    let line = "PUT /indexes/stems-refused/settings/stemming";
    server.call_json(line, json!({"languages": ["en", "ja"]})).is_error_like(
        400,
        "invalid_settings_stemming",
        "Unknown value `ja` at `.languages[1]`",
    );
}

#[test]
fn too_many_exceptions_are_refused() {
    let server = TestServer::shared();
    let line = "PUT /indexes/stems-many/settings/stemming";
    let exceptions = |count: u32| -> Value {
        (0..count).map(|n| (format!("w{n}"), json!("w"))).collect::<serde_json::Map<_, _>>().into()
    };
    server.call_json(line, json!({"exceptions": exceptions(10_001)})).is_error_like(
        400,
        "invalid_settings_stemming",
        "Invalid value at `.exceptions`: it has 10001 entries, and 10000 are the most",
    );
    let task = server.call_json(line, json!({"exceptions": exceptions(10_000)})).task(&server);
    assert_eq!(task["status"], "succeeded", "{task}");
}
