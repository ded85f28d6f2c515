//! Suggestions, as clients meet them.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::harness::{Answer, TestServer, change_settings, members};
use crate::remotes::{Fleet, networking_server};

fn server(index: &str) -> Arc<TestServer> {
    let server = TestServer::shared();
    let settings = json!({
        "searchableAttributes": ["title", "genre", "secret"], "filterableAttributes": ["genre"],
        "displayedAttributes": ["id", "title", "genre"],
    });
    change_settings(&server, index, settings);
    server.with_documents(index, documents().into());
    server
}

fn documents() -> Vec<Value> {
    let titles = [
        "Harry Potter and the stone",
        "Harry Potter and the goblet",
        "Dirty Harry",
        "Pots of gold",
    ];
    let document = |(id, title)| {
        let genre = if id % 2 == 0 { "Fantasy" } else { "Crime" };
        json!({"id": id, "title": title, "genre": genre, "secret": "harry pothole"})
    };
    titles.iter().enumerate().map(document).collect()
}

fn ask(server: &TestServer, index: &str, body: Value) -> Answer {
    server.call_json(&format!("POST /indexes/{index}/suggest"), body)
}

fn suggested(server: &TestServer, index: &str, body: Value) -> Value {
    let answer = ask(server, index, body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    pairs(&answer.json())
}

fn pairs(answer: &Value) -> Value {
    let pair = |it: &Value| json!([it["text"], it["count"]]);
    answer["suggestions"].as_array().expect("suggestions").iter().map(pair).collect()
}

#[test]
fn phrases_complete_what_is_typed() {
    let server = server("suggest");
    let answer = ask(&server, "suggest", json!({"q": "harry pot"})).json();
    assert_eq!(members(&answer), ["suggestions", "query", "processingTimeMs"]);
    assert_eq!(members(&answer["suggestions"][0]), ["text", "count"]);
    assert_eq!(answer["query"], "harry pot");
    for (body, expected) in [
        (json!({"q": "harry pot"}), json!([["Harry Potter", 2], ["Harry Potter and", 2]])),
        (json!({"q": "harry pot", "limit": 1}), json!([["Harry Potter", 2]])),
        (json!({"q": "harrry pot", "limit": 1}), json!([["Harry Potter", 2]])),
        (json!({"q": "harry pot", "limit": 0}), json!([])),
        (
            json!({"q": "harry pot", "filter": "genre = Crime"}),
            json!([["Harry Potter", 1], ["Harry Potter and", 1]]),
        ),
        (json!({"q": "fan", "attribute": "genre"}), json!([["Fantasy", 2]])),
        (json!({"q": "fan"}), json!([])),
        (json!({"q": "fan", "attribute": "*"}), json!([["Fantasy", 2]])),
        (json!({"q": "harry poth", "attribute": "*"}), json!([])),
        (json!({"q": ""}), json!([])),
        (json!({"q": null, "attribute": null, "filter": null}), json!([])),
        (json!({}), json!([])),
    ] {
        assert_eq!(suggested(&server, "suggest", body.clone()), expected, "{body}");
    }
}

#[test]
fn rejects_invalid_suggest_requests() {
    let server = server("suggest-refused");
    for (body, code, message) in [
        (json!({"q": 1}), "invalid_suggest_q", "Invalid value type at `.q`: expected a string"),
        (json!({"limit": -1}), "invalid_suggest_limit", "Invalid value type at `.limit`"),
        (json!({"limit": 101}), "invalid_suggest_limit", "it must be at most 100, not 101."),
        (
            json!({"attribute": 3}),
            "invalid_suggest_attribute",
            "Invalid value type at `.attribute`",
        ),
        (
            json!({"q": "har", "attribute": "secret"}),
            "invalid_suggest_attribute",
            "Attribute `secret` gives no suggestions: it must be searchable and displayed. \
             Available attributes are: `genre, title, <..hidden-attributes>`.",
        ),
        (
            json!({"q": "har", "attribute": "id"}),
            "invalid_suggest_attribute",
            "Attribute `id` gives",
        ),
        (json!({"filter": "title ="}), "invalid_suggest_filter", "Was expecting a value"),
        (json!({"filter": "title = x"}), "invalid_suggest_filter", "`title` is not filterable"),
        (json!({"useNetwork": 1}), "invalid_search_use_network", "Invalid value type"),
        (json!({"useNetwork": true}), "feature_not_enabled", "`network`"),
        (json!({"facetName": "x"}), "bad_request", "Unknown field `facetName`"),
    ] {
        ask(&server, "suggest-refused", body).is_error_like(400, code, message);
    }
    ask(&server, "suggest-nowhere", json!({"q": "a"})).is_error(
        404,
        "index_not_found",
        "Index `suggest-nowhere` not found.",
    );
    change_settings(&server, "suggest-refused", json!({"displayedAttributes": ["id"]}));
    ask(&server, "suggest-refused", json!({"q": "a"})).is_error_like(
        400,
        "invalid_suggest_attribute",
        "No searchable attribute of the index is displayed",
    );
}

#[test]
fn a_network_adds_up_what_its_instances_have() {
    let fleet = Fleet::start(3);
    let whole = networking_server();
    let documents: Vec<Value> = (0..60)
        .map(|id| {
            let next = ["sea", "moon", "moon"][id / 3 % 3];
            let blue = if id % 3 == 0 { "BLUE" } else { "blue" };
            json!({"id": id, "title": format!("{blue} {next}"), "kind": id % 2})
        })
        .collect();
    let settings = json!({"filterableAttributes": ["kind"], "searchableAttributes": ["title"]});
    fleet.fill("songs", &settings, &documents);
    change_settings(&whole, "songs", settings);
    whole.with_documents("songs", documents.into());
    let lower = |found: Value| found.to_string().to_lowercase();
    for mut body in [json!({"q": "bl"}), json!({"q": "blue m", "filter": "kind = 1"})] {
        let expected = suggested(&whole, "songs", body.clone());
        body["useNetwork"] = json!(true);
        for server in &fleet.servers {
            let answer = ask(server, "songs", body.clone()).json();
            assert_eq!(answer["remoteErrors"], json!({}), "{answer}");
            assert_eq!(members(&answer["suggestions"][0]), ["text", "count"]);
            assert_eq!(lower(pairs(&answer)), lower(expected.clone()), "{body}");
        }
    }
}
