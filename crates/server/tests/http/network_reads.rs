//! Values of facets and documents of several instances, and what becomes of remotes that fail.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Answer, TestServer, change_settings, members, without};
use crate::remotes::{
    Fleet, Manner, Pretender, join, networking_server, networking_within, nobody, remote, switch,
};

fn settings() -> Value {
    json!({
        "filterableAttributes": ["kind", "size"],
        "sortableAttributes": ["size", "kind"],
        "faceting": {"maxValuesPerFacet": 4, "sortFacetValuesBy": {"size": "count"}},
    })
}

/// Kinds that several documents have, with accents and capitals among them.
fn documents() -> Vec<Value> {
    let kinds = ["Oak", "oak", "Élan", "elm", "ash", "fir", "Fir"];
    (0..40)
        .map(|id| {
            let kind = kinds[(id * id) % kinds.len()];
            json!({"id": id, "kind": kind, "size": id % 6, "title": format!("{kind} tree")})
        })
        .collect()
}

/// Three instances with a third of the documents each, and one that has them all.
fn fleet() -> (Fleet, TestServer) {
    let fleet = Fleet::start(3);
    let whole = networking_server();
    fleet.fill("trees", &settings(), &documents());
    change_settings(&whole, "trees", settings());
    whole.with_documents("trees", documents().into());
    (fleet, whole)
}

fn facet_search(server: &TestServer, body: &Value) -> Value {
    let answer = server.call_json("POST /indexes/trees/facet-search", body.clone());
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

#[test]
fn values_of_a_facet_are_counted_over_all_instances() {
    let (fleet, whole) = fleet();
    for mut body in [
        json!({"facetName": "kind"}),
        json!({"facetName": "kind", "facetQuery": ""}),
        json!({"facetName": "kind", "facetQuery": "e"}),
        json!({"facetName": "kind", "facetQuery": "oka"}),
        json!({"facetName": "kind", "q": "tree", "filter": "size > 2"}),
        json!({"facetName": "kind", "filter": ["size > 1", ["kind = oak", "kind = fir"]]}),
        json!({"facetName": "kind", "facetQuery": "nothing"}),
    ] {
        let expected = facet_search(&whole, &body);
        assert_eq!(members(&expected), ["facetHits", "facetQuery", "processingTimeMs"]);
        body["useNetwork"] = json!(true);
        for server in &fleet.servers {
            let found = facet_search(server, &body);
            assert_eq!(found["remoteErrors"], json!({}), "{body}");
            let lower = |hits: &Value| -> Vec<(String, u64)> {
                let hit = |hit: &Value| {
                    let value = hit["value"].as_str().unwrap().to_lowercase();
                    (value, hit["count"].as_u64().unwrap())
                };
                hits.as_array().unwrap().iter().map(hit).collect()
            };
            // Whose spelling is shown depends on who is asked.
            assert_eq!(lower(&found["facetHits"]), lower(&expected["facetHits"]), "{body}");
            assert_eq!(found["facetQuery"], expected["facetQuery"]);
        }
    }
    // Without asking for the network, an instance answers by itself.
    let own = facet_search(&fleet.servers[0], &json!({"facetName": "kind", "useNetwork": false}));
    assert_eq!(members(&own), ["facetHits", "facetQuery", "processingTimeMs"]);
    let count = |found: &Value| -> u64 {
        found["facetHits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["count"].as_u64().unwrap())
            .sum()
    };
    assert!(count(&own) < 20);
}

fn fetch(server: &TestServer, body: &Value) -> Value {
    let answer = server.call_json("POST /indexes/trees/documents/fetch", body.clone());
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

#[test]
fn pages_of_documents_are_cut_from_all_instances() {
    let (fleet, whole) = fleet();
    for mut body in [
        json!({"sort": ["size:asc", "kind:desc"], "limit": 9, "fields": ["size", "kind"]}),
        json!({"sort": ["size:desc", "kind:asc"], "offset": 7, "limit": 11, "fields": ["size"]}),
        json!({"sort": ["kind:asc", "size:desc"], "filter": "size > 3", "fields": ["size"]}),
        json!({"sort": ["size:asc"], "limit": 0}),
        json!({"sort": ["size:asc"], "offset": 39, "limit": 5, "fields": ["size"]}),
        json!({"sort": ["size:asc"], "offset": 100}),
    ] {
        let expected = fetch(&whole, &body);
        body["useNetwork"] = json!(true);
        for server in &fleet.servers {
            let page = fetch(server, &body);
            assert_eq!(members(&page), ["results", "offset", "limit", "total"]);
            assert_eq!(page["total"], expected["total"], "{body}");
            let by_kind = |value: &Value| -> Value {
                let kind = value["kind"].as_str().map(str::to_lowercase);
                json!([value["size"], kind])
            };
            let shown = |page: &Value| -> Vec<Value> {
                page["results"].as_array().unwrap().iter().map(by_kind).collect()
            };
            assert_eq!(shown(&page), shown(&expected), "{body}");
        }
    }
    // Unsorted, those of the instance that was asked come first.
    let all =
        fetch(&fleet.servers[1], &json!({"limit": 100, "fields": ["id"], "useNetwork": true}));
    let ids: Vec<u64> =
        all["results"].as_array().unwrap().iter().map(|doc| doc["id"].as_u64().unwrap()).collect();
    let order = |place: u64| (place..40).step_by(3);
    assert_eq!(ids, order(1).chain(order(0)).chain(order(2)).collect::<Vec<_>>());
    let listed = fleet.servers[1].call("GET /indexes/trees/documents?useNetwork=true&limit=1");
    assert_eq!((listed.status, &listed.json()["total"]), (200, &json!(40)));
}

#[test]
fn a_document_is_found_wherever_it_is() {
    let (fleet, _) = fleet();
    let one = |id: &str, query: &str| {
        fleet.servers[0].call(&format!("GET /indexes/trees/documents/{id}?fields=id{query}"))
    };
    for id in 0..6 {
        one(&id.to_string(), "&useNetwork=true").is(200, json!({"id": id}));
    }
    let not_found = |answer: Answer, id: &str| {
        answer.is_error(404, "document_not_found", &format!("Document `{id}` not found."));
    };
    not_found(one("1", ""), "1");
    not_found(one("77", "&useNetwork=true"), "77");
    not_found(one("n%C3%B6", "&useNetwork=true"), "nö");
    // Who does not answer might have it.
    join(&fleet.servers[0], json!({"remotes": {"c": remote(nobody())}}));
    one("1", "&useNetwork=true").is(200, json!({"id": 1}));
    let answer = one("2", "&useNetwork=true");
    assert_eq!(
        (answer.status, &answer.json()["code"]),
        (502, &json!("remote_could_not_send_request"))
    );
}

#[test]
fn saying_anything_about_the_network_needs_the_feature() {
    let server = TestServer::shared();
    server.with_documents("gate", json!([{"id": 1}]));
    let message = "passing `useNetwork` in a search query requires enabling the `network`";
    for on in [true, false] {
        let body = json!({"useNetwork": on, "facetName": "x"});
        let answer = server.call_json("POST /indexes/gate/facet-search", body);
        answer.is_error_like(400, "feature_not_enabled", message);
        let body = json!({"useNetwork": on});
        let answer = server.call_json("POST /indexes/gate/documents/fetch", body);
        answer.is_error_like(400, "feature_not_enabled", message);
        let answer = server.call(&format!("GET /indexes/gate/documents?useNetwork={on}"));
        answer.is_error_like(400, "feature_not_enabled", message);
        let answer = server.call(&format!("GET /indexes/gate/documents/1?useNetwork={on}"));
        answer.is_error_like(400, "feature_not_enabled", message);
    }
    let null = json!({"useNetwork": null});
    assert_eq!(server.call_json("POST /indexes/gate/documents/fetch", null).status, 200);
    // So does asking for another instance's client.
    let asked = server.request("POST /indexes/gate/documents/fetch").json(&json!({}));
    let answer = asked.header("Meili-Proxy-Search", "true").send();
    answer.is_error_like(400, "feature_not_enabled", "Performing a remote federated search");
}

/// Enough for every attempt, also on a slow machine.
const LONG: Duration = Duration::from_secs(60);

/// A server whose only remote is `r`.
fn with_remote(
    address: std::net::SocketAddr,
    key: Option<&str>,
    remote_search_timeout: Duration,
) -> TestServer {
    let server = networking_within(remote_search_timeout);
    let mut remote = remote(address);
    remote["searchApiKey"] = json!(key);
    join(&server, json!({"remotes": {"r": remote}}));
    server
}

fn error_of(server: &TestServer) -> Value {
    let page = fetch(server, &json!({"useNetwork": true}));
    assert_eq!(
        without(page.clone(), &["remoteErrors"]),
        json!({"results": [], "offset": 0, "limit": 20, "total": 0})
    );
    page["remoteErrors"]["r"].clone()
}

fn status(server: &TestServer) -> Value {
    server.call("GET /network").json()["remotes"]["r"]["status"].clone()
}

#[test]
fn every_failure_of_a_remote_has_its_code() {
    let refused = |status: u16| {
        Manner::json(status, &json!({"message": "no, and the key was sesame", "code": "x"}))
    };
    let system = "system";
    for (manner, attempts, code, kind, is_available) in [
        (refused(401), 1, "remote_invalid_api_key", "auth", true),
        (refused(403), 1, "remote_invalid_api_key", "auth", true),
        (refused(400), 1, "remote_bad_request", "invalid_request", true),
        (refused(404), 1, "remote_bad_request", "invalid_request", true),
        (refused(429), 1, "remote_bad_request", "invalid_request", true),
        (refused(500), 4, "remote_remote_error", system, false),
        (refused(503), 4, "remote_remote_error", system, false),
        (Manner::json(200, &json!({"results": []})), 4, "remote_bad_response", system, false),
        (
            Manner::Answers { status: 200, body: b"<html>".to_vec() },
            4,
            "remote_bad_response",
            system,
            false,
        ),
        (refused(304), 4, "remote_bad_response", system, false),
        (Manner::IsSilent, 1, "remote_timeout", system, false),
        (Manner::HangsUp, 4, "remote_could_not_send_request", system, false),
    ] {
        let pretender = Pretender::start(manner.clone());
        // Long enough to be asked; only who says nothing uses it up.
        let timeout = if manner == Manner::IsSilent { Duration::from_secs(3) } else { LONG };
        let server = with_remote(pretender.address, Some("sesame"), timeout);
        assert_eq!(status(&server), "available");
        let begun = Instant::now();
        let error = error_of(&server);
        assert!(begun.elapsed() < LONG / 3, "{manner:?}");
        assert_eq!((&error["code"], &error["type"]), (&json!(code), &json!(kind)), "{manner:?}");
        assert_eq!(members(&error), ["message", "code", "type", "link"]);
        let message = error["message"].as_str().unwrap();
        assert!(!message.contains("sesame"), "{error}");
        if let Manner::Answers { status, body } = &manner {
            let said = match (status, body.as_slice()) {
                // It has no body.
                (304, _) => "status 304".to_owned(),
                (200, body) => format!("status 200: {}", String::from_utf8_lossy(body)),
                _ => format!("status {status}: no, and the key was …"),
            };
            assert!(message.contains(&said), "{error}");
        }
        assert_eq!(status(&server), if is_available { "available" } else { "unavailable" });
        let heard = pretender.heard();
        assert_eq!(heard.len(), attempts, "{manner:?}");
        for request in heard {
            assert_eq!(request.line, "POST /indexes/trees/documents/fetch HTTP/1.1");
            assert_eq!(request.header("authorization"), Some("Bearer sesame"));
            assert_eq!(request.header("meili-proxy-search"), Some("true"));
            assert_eq!(request.header("meili-include-metadata"), None);
        }
    }
}

#[test]
fn a_remote_that_recovers_in_time_is_heard() {
    let page = json!({
        "results": [{"id": 7}],
        "order": [{"parts": [], "number": 0}],
        "total": 1,
    });
    let pretender = Pretender::start(Manner::AnswersAfter {
        times: 3,
        before: Box::new(Manner::json(500, &json!({}))),
        then: Box::new(Manner::json(200, &page)),
    });
    let server = with_remote(pretender.address, None, LONG);
    let page = fetch(&server, &json!({"useNetwork": true}));
    assert_eq!((&page["results"], page.get("remoteErrors")), (&json!([{"id": 7}]), None));
    assert_eq!(status(&server), "available");
    let heard = pretender.heard();
    assert_eq!((heard.len(), heard[0].header("authorization")), (4, None));
}

#[test]
fn unreachable_and_forbidden_remotes_are_reported() {
    let server = with_remote(nobody(), None, LONG);
    assert_eq!(error_of(&server)["code"], "remote_could_not_send_request");
    let guarded = TestServer::start(crate::harness::Setup::default());
    switch(&guarded, true);
    let pretender = Pretender::start(Manner::IsSilent);
    join(&guarded, json!({"remotes": {"r": remote(pretender.address)}}));
    let error = error_of(&guarded);
    assert_eq!(error["code"], "remote_could_not_send_request");
    assert!(error["message"].as_str().unwrap().contains("rejected IP `127.0.0.1`"), "{error}");
    assert!(pretender.heard().is_empty());
    join(&guarded, json!({"remotes": {"r": {"url": "ftp://elsewhere.example"}}}));
    assert_eq!(error_of(&guarded)["code"], "remote_could_not_send_request");
}

#[test]
fn an_answer_without_end_is_cut_off() {
    let pretender = Pretender::start(Manner::NeverEnds);
    let server = networking_within(LONG);
    join(&server, json!({"remotes": {"r": remote(pretender.address)}}));
    let error = error_of(&server);
    assert_eq!(
        (&error["code"], pretender.heard().len()),
        (&json!("remote_bad_response"), 1),
        "{error}"
    );
}
