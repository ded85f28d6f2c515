//! Stop words by language, as clients meet them.

use serde_json::{Value, json};

use crate::harness::TestServer;

fn titles(server: &TestServer, index: &str, q: &str) -> Vec<Value> {
    let line = format!("POST /indexes/{index}/search");
    let answer = server.call_json(&line, json!({"q": q, "matchingStrategy": "any"})).json();
    let hits = answer["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["title"].clone()).collect()
}

fn set(server: &TestServer, index: &str, stop_words: &Value) {
    let line = format!("PUT /indexes/{index}/settings/stop-words");
    let task = server.call_json(&line, stop_words.clone()).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(task["details"], json!({"stopWords": stop_words}));
}

#[test]
fn the_words_of_languages_are_not_searched_in_any_case() {
    let server = TestServer::shared();
    let documents = json!([
        {"id": 1, "title": "The river"},
        {"id": 2, "title": "DER Fluss und the sea"},
        {"id": 3, "title": "Über uns"},
        {"id": 4, "title": "a Sonde"},
    ]);
    server.call_json("POST /indexes/stops/documents", documents).task(&server);
    assert_eq!(titles(&server, "stops", "the qqqq ").len(), 2);
    let both = json!({"languages": ["en", "deu"], "words": ["Sonde"]});
    set(&server, "stops", &both);
    assert_eq!(server.call("GET /indexes/stops/settings/stop-words").json(), both);
    assert_eq!(server.call("GET /indexes/stops/settings").json()["stopWords"], both);
    for q in ["the", "THE", "der", "Und", "über", "Sonde"] {
        // A query of stop words alone finds everything.
        assert!(titles(&server, "stops", &format!("{q} qqqq ")).is_empty(), "{q}");
    }
    assert_eq!(titles(&server, "stops", "the Fluss "), ["DER Fluss und the sea"]);
    // A list takes the place of the object, and null resets it.
    set(&server, "stops", &json!(["river"]));
    assert_eq!(titles(&server, "stops", "the river ").len(), 2);
    server.call("DELETE /indexes/stops/settings/stop-words").task(&server);
    assert_eq!(titles(&server, "stops", "river "), ["The river"]);
}

#[test]
fn objects_without_sense_are_refused() {
    let server = TestServer::shared();
    let line = "PUT /indexes/stops-refused/settings/stop-words";
    for (body, message) in [
        (json!({"languages": ["en", "xx"]}), "Unknown value `xx` at `.languages[1]`: expected one"),
        (json!({"languages": "en"}), "Invalid value type at `.languages`: expected an array"),
        (json!({"words": [1]}), "Invalid value type at `.words[0]`: expected a string"),
        (json!({"words": [], "more": 1}), "Unknown field `more`"),
        (json!({"more": 1}), "Invalid value type: expected an array, but found an object"),
    ] {
        let code = "invalid_settings_stop_words";
        server.call_json(line, body).is_error_like(400, code, message);
    }
}
