//! The limits on what one request may cost: each is refused by name, and an ordinary request never
//! meets it.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::Bounds;

use crate::harness::{Answer, Setup, TestServer};

fn server(bounds: Bounds) -> TestServer {
    let server = TestServer::start(Setup { bounds, ..Setup::default() });
    let text = "word ".repeat(100);
    let documents: Vec<Value> = (0..20).map(|id| json!({"id": id, "t": text})).collect();
    server.with_documents("i", json!(documents));
    server
}

#[test]
fn tags_and_markers_are_bounded_on_every_route_that_formats() {
    let server = server(Bounds::default());
    for (name, code) in [
        ("highlightPreTag", "invalid_search_highlight_pre_tag"),
        ("highlightPostTag", "invalid_search_highlight_post_tag"),
        ("cropMarker", "invalid_search_crop_marker"),
    ] {
        let message = format!(
            "Invalid value at `.{name}`: it is longer than 1024 bytes. Send a shorter one, or raise \
             `--search-tag-size-limit`."
        );
        let body = |length: usize| json!({"q": "word", "attributesToHighlight": ["t"], "limit": 1, name: "<".repeat(length)});
        assert_eq!(server.call_json("POST /indexes/i/search", body(1024)).status, 200);
        server.call_json("POST /indexes/i/search", body(1025)).is_error(400, code, &message);
        let line = format!("GET /indexes/i/search?q=word&{name}={}", "x".repeat(1025));
        server.call(&line).is_error(400, code, &message);
        let mut query = body(1025);
        query["indexUid"] = json!("i");
        query.as_object_mut().unwrap().remove("limit");
        for body in [
            json!({"queries": [{"indexUid": "i"}, query]}),
            json!({"queries": [{"indexUid": "i"}, query], "federation": {}}),
        ] {
            let message = format!("Inside `.queries[1]`: {message}");
            server.call_json("POST /multi-search", body).is_error(400, code, &message);
        }
    }
}

#[test]
fn an_answer_that_would_be_too_large_is_refused() {
    let server = server(Bounds { answer_size: 100_000, ..Bounds::default() });
    let message = "The answer would be larger than 100000 bytes. Ask for fewer hits or attributes, \
                   or raise `--search-answer-size-limit`, of which calls of tools have a sixteenth.";
    let body = |limit: usize| {
        let tag = "<".repeat(100);
        json!({"q": "word", "attributesToHighlight": ["t"], "highlightPreTag": tag, "limit": limit})
    };
    let is_refused = |answer: Answer| answer.is_error(400, "response_too_large", message);
    assert_eq!(server.call_json("POST /indexes/i/search", body(3)).status, 200);
    is_refused(server.call_json("POST /indexes/i/search", body(20)));

    // Queries of one request share the budget.
    let query = |limit: usize| {
        let mut query = body(limit);
        query["indexUid"] = json!("i");
        query
    };
    let two = |limit| json!({"queries": [query(limit), query(limit)]});
    assert_eq!(server.call_json("POST /multi-search", two(3)).status, 200);
    let answer = server.call_json("POST /multi-search", two(6));
    assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("response_too_large")));
    let mut federated = query(20);
    federated.as_object_mut().unwrap().remove("limit");
    let body = json!({"queries": [federated], "federation": {"limit": 20}});
    let answer = server.call_json("POST /multi-search", body);
    assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("response_too_large")));
}

#[test]
fn places_of_matches_count_as_part_of_an_answer() {
    let server = server(Bounds { answer_size: 20_000, ..Bounds::default() });
    let mut body = json!({"q": "word", "attributesToRetrieve": ["id"]});
    assert_eq!(server.call_json("POST /indexes/i/search", body.clone()).status, 200);
    body["showMatchesPosition"] = json!(true);
    let answer = server.call_json("POST /indexes/i/search", body);
    assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("response_too_large")));
}

#[test]
fn a_long_query_is_cut_before_it_is_searched() {
    let server = server(Bounds { query_size: 10, ..Bounds::default() });
    let search = |q: &str| server.call_json("POST /indexes/i/search", json!({"q": q})).json();
    assert_eq!(search("word")["estimatedTotalHits"], 20);
    // Cut inside of a character, which is left out.
    let answer = search("word xxxxé -word");
    assert_eq!(
        (&answer["query"], &answer["estimatedTotalHits"]),
        (&json!("word xxxx"), &json!(20))
    );
    assert_eq!(search("-word")["estimatedTotalHits"], 0);
}

#[test]
fn megabytes_of_words_are_searched_like_a_few() {
    let server = server(Bounds::default());
    let q = "word ".repeat(1_900_000);
    let answer = server.call_json("POST /indexes/i/search", json!({"q": q, "limit": 1}));
    assert_eq!((answer.status, answer.json()["query"].as_str().unwrap().len()), (200, 65_536));
}

#[test]
fn bodies_of_searches_have_a_limit_of_their_own() {
    let server = server(Bounds { search_payload_size: 2048, ..Bounds::default() });
    let message = "The provided payload reached the size limit. The maximum accepted payload size is 2 KiB. \
         Send less at once, or raise `--http-search-payload-size-limit`.";
    let body = json!({"q": "x".repeat(3000)});
    for line in [
        "POST /indexes/i/search",
        "POST /indexes/i/facet-search",
        "POST /indexes/i/suggest",
        "POST /indexes/i/similar",
        "POST /indexes/i/documents/fetch",
        "POST /multi-search",
        "POST /mcp",
    ] {
        server.call_json(line, body.clone()).is_error(413, "payload_too_large", message);
    }
    let documents = json!([{"id": 1, "t": "x".repeat(3000)}]);
    assert_eq!(server.call_json("POST /indexes/i/documents", documents).status, 202);
}

#[test]
fn a_body_with_too_many_values_is_refused() {
    let server = server(Bounds { json_values: 1000, ..Bounds::default() });
    let message = "The json payload has more than 1000 values. Send less at once, or raise \
                   `--http-json-value-limit`.";
    let filter = vec!["id = 1"; 1100];
    for (line, body) in [
        ("POST /indexes/i/search", json!({"filter": filter})),
        ("POST /indexes/i/facet-search", json!({"facetName": "t", "filter": filter})),
        ("PATCH /indexes/i/settings", json!({"stopWords": filter})),
        ("POST /indexes/i/documents/delete-batch", json!(filter)),
    ] {
        server.call_json(line, body).is_error(413, "payload_too_large", message);
    }
    // Documents are not parsed as one value.
    let documents: Vec<Value> = (0..1100).map(|id| json!({"id": id})).collect();
    assert_eq!(server.call_json("POST /indexes/i/documents", json!(documents)).status, 202);
}

#[test]
fn a_request_holds_a_bounded_number_of_queries() {
    let server = server(Bounds { queries: 3, ..Bounds::default() });
    let queries = |count: usize| vec![json!({"indexUid": "i", "limit": 0}); count];
    let message = "Invalid value at `.queries`: a request holds at most 3 queries, but found 4. Send \
                   them in several requests, or raise `--search-queries-limit`.";
    assert_eq!(server.call_json("POST /multi-search", json!({"queries": queries(3)})).status, 200);
    for body in [json!({"queries": queries(4)}), json!({"queries": queries(4), "federation": {}})] {
        server.call_json("POST /multi-search", body).is_error(400, "bad_request", message);
    }
}

#[test]
fn names_of_any_length_cost_nothing() {
    let server = server(Bounds::default());
    let long = "a".repeat(5_000_000);
    let begun = Instant::now();
    for (line, body) in [
        ("POST /indexes/i/search", json!({"locales": [long]})),
        ("POST /indexes/i/search", json!({"matchingStrategy": long})),
        ("POST /indexes/i/search", json!({long.as_str(): 1})),
        ("PATCH /indexes/i/settings", json!({long.as_str(): 1})),
        ("PATCH /indexes/i/settings", json!({"typoTolerance": {long.as_str(): 1}})),
        ("PATCH /indexes/i/settings", json!({"proximityPrecision": long})),
        ("PATCH /indexes/i/settings", json!({"rankingRules": [long]})),
        (
            "PATCH /indexes/i/settings",
            json!({"localizedAttributes": [{"locales": [long], "attributePatterns": ["*"]}]}),
        ),
        ("PATCH /experimental-features", json!({long.as_str(): true})),
    ] {
        let answer = server.call_json(line, body);
        assert_eq!(answer.status, 400, "{line}");
        assert!(answer.text().len() < 20_000, "{line} quotes {} bytes", answer.text().len());
    }
    // Comparing such names with the accepted ones took eighteen seconds for each.
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
}

#[test]
fn a_body_that_trickles_is_given_up() {
    let slow_start = Duration::from_millis(300);
    let server = server(Bounds { slow_start, ..Bounds::default() });
    for line in ["POST /indexes/i/search", "POST /indexes/i/documents"] {
        let mut stream = server
            .request(line)
            .header("Content-Type", "application/json")
            .header("Content-Length", "100000")
            .open();
        let begun = Instant::now();
        // The server may close while this still writes.
        while begun.elapsed() < Duration::from_millis(600) {
            if stream.get_mut().write_all(b" ").is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let answer = Answer::read(&mut stream).unwrap();
        answer.is_error(
            400,
            "bad_request",
            "The payload was not received: it came at less than 1024 bytes a second \
             (`--http-min-body-rate`).",
        );
    }
}

#[test]
fn results_for_assistants_share_a_budget() {
    let server = server(Bounds { answer_size: 1_000_000, ..Bounds::default() });
    let call = |id: usize, limit: usize| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "search", "arguments": {"indexUid": "i", "limit": limit}}})
    };
    let send = |body: Value| {
        let request = server.request("POST /mcp").header("MCP-Protocol-Version", "2025-03-26");
        request.header("Accept", "application/json, text/event-stream").json(&body).send().json()
    };
    let one = send(json!([call(1, 5)]));
    assert_eq!(one[0]["result"]["isError"], false, "{one}");
    // Each answer alone fits, all together do not.
    let batch: Vec<Value> = (0..50).map(|id| call(id, 5)).collect();
    let answers = send(json!(batch));
    let failed = |answer: &&Value| answer["result"]["isError"] == true;
    let first_failed = answers.as_array().unwrap().iter().find(failed).unwrap();
    let text = first_failed["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("response_too_large"), "{text}");
}
