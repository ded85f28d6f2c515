//! Tests what telemetry counts, and above all what it does not: requests full of marked texts leave
//! no mark in the preview or at a collector.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use server::route_table;
use telemetry::Telemetry;

use crate::collector::{Collector, options};
use crate::harness::{Setup, TestServer, members};

/// A mark in every text that telemetry must not contain.
const MARK: &str = "qzmark";
const MASTER_KEY: &str = "qzmark-master-key-0123456789";
/// Names of programs are told, addresses in them are not.
const AGENT: &str = "plain-sdk (v1.0); https://qzmark.example ann@qzmark.example 10.98.76.54";

fn counting(period: Duration, collector: Option<&Collector>) -> Telemetry {
    let mut options = options();
    options.period = period;
    options.collector = collector.map(Collector::url);
    Telemetry::start(options).expect("a collector that can be called")
}

fn server(telemetry: Telemetry) -> TestServer {
    let master_key = Some(MASTER_KEY);
    TestServer::start(Setup { telemetry, master_key, ..Setup::default() })
}

fn messages(bundles: &Value) -> Vec<Value> {
    let batches = bundles.as_array().expect("bundles").iter();
    batches.flat_map(|bundle| bundle["batch"].as_array().expect("messages").clone()).collect()
}

/// The counts of one kind of event.
#[track_caller]
fn properties(server: &TestServer, event: &str) -> Value {
    let preview = server.call("GET /telemetry/preview").json();
    let mut told = messages(&preview["bundles"]).into_iter();
    let found = told.find(|message| message["event"] == event);
    found.unwrap_or_else(|| panic!("no {event} in {preview}"))["properties"].clone()
}

#[test]
fn preview_needs_a_key_with_all_actions() {
    let server = server(counting(Duration::from_secs(3600), None));
    let answer = server.call("GET /telemetry/preview");
    assert_eq!(answer.status, 200);
    let preview = answer.json();
    assert_eq!(members(&preview), ["enabled", "hasCollector", "lostEvents", "bundles"]);
    assert_eq!((&preview["enabled"], &preview["hasCollector"]), (&json!(true), &json!(false)));
    let [identify] = messages(&preview["bundles"]).try_into().expect("one message");
    assert_eq!(members(&identify["traits"]), ["start_since_days", "system", "stats", "infos"]);
    assert_eq!(
        identify["traits"]["stats"],
        json!({"database_size": 12, "indexes_number": 3, "documents_number": [3, 2, 1]})
    );

    let key = |actions: Value, indexes: Value| {
        let body = json!({"actions": actions, "indexes": indexes, "expiresAt": null});
        let key = server.call_json("POST /keys", body).json()["key"].clone();
        let key = key.as_str().expect("a key").to_owned();
        server.request("GET /telemetry/preview").with_key(&key).send().status
    };
    assert_eq!(key(json!(["*"]), json!(["*"])), 200);
    assert_eq!(key(json!(["*"]), json!(["books"])), 403);
    assert_eq!(key(json!(["*.get", "metrics.get"]), json!(["*"])), 403);
    assert_eq!(server.request("GET /telemetry/preview").without_key().send().status, 401);
}

#[test]
fn switched_off_there_is_nothing_to_show() {
    let off = json!({"enabled": false, "hasCollector": false, "lostEvents": 0, "bundles": []});
    TestServer::shared().call("GET /telemetry/preview").is(200, off);
}

#[test]
fn searches_are_counted_by_how_they_end_and_by_who_asks() {
    let server = server(counting(Duration::from_secs(3600), None));
    server.with_documents("seen", json!([{"id": 1, "title": "one"}]));
    let search = |index: &str, body: Value| {
        let line = format!("POST /indexes/{index}/search");
        server.request(&line).header("X-Meilisearch-Client", "a; b").json(&body).send().status
    };
    assert_eq!(search("seen", json!({"q": "one -two", "limit": 3})), 200);
    assert_eq!(search("seen", json!({"q": "one two three", "filter": "nonsense ="})), 400);
    assert_eq!(search("missing", json!({})), 404);
    // What is not well-formed is no search.
    assert_eq!(search("seen", json!({"q": 5})), 400);
    let told = properties(&server, "Documents Searched POST");
    let requests = &told["requests"];
    assert_eq!(requests["total_received"], 3);
    assert_eq!((&requests["total_succeeded"], &requests["total_failed"]), (&json!(1), &json!(2)));
    assert_eq!(requests["total_used_negative_operator"], 1);
    assert!(requests["99th_response_time"].as_f64().expect("a time") > 0.0);
    assert_eq!(told["user-agent"], json!(["a", "b"]));
    assert_eq!(told["q"]["max_terms_number"], 3);
    assert_eq!(told["pagination"]["max_limit"], 20);

    let added = properties(&server, "Documents Added");
    assert_eq!(added["payload_type"], json!(["application/json"]));
    assert_eq!(
        (&added["index_creation"], &added["user-agent"]),
        (&json!(true), &json!(["unknown"]))
    );
}

#[test]
fn refused_types_are_named_and_keys_that_are_set() {
    let server = server(counting(Duration::from_secs(3600), None));
    let line = "PUT /indexes/typed/documents?primaryKey=isbn";
    let refused = server.request(line).body("text/odd; charset=x", "{}").send();
    assert_eq!(refused.status, 415);
    let told = properties(&server, "Documents Updated");
    assert_eq!(told["payload_type"], json!(["text/odd; charset=x"]));
    assert_eq!(told["primary_key"], json!(["isbn"]));
}

/// Requests that are understood, one or more of each kind.
fn marked_requests() -> Vec<(&'static str, Value)> {
    let document = json!({"id": "qzmark-1", "qzmark": "qzmark", "mail": "ann@qzmark.example"});
    let filter = "qzmark = 'qzmark' OR _geoRadius(12.345678, 1, 2)";
    vec![
        ("POST /indexes", json!({"uid": "qzmark", "primaryKey": "id"})),
        ("PATCH /indexes/qzmark", json!({"primaryKey": "id"})),
        (
            "PATCH /indexes/qzmark/settings",
            json!({
                "filterableAttributes": ["qzmark", "_geo"], "sortableAttributes": ["qzmark"],
                "rankingRules": ["words", "qzmark:asc"], "stopWords": ["qzmark"],
                "synonyms": {"qzmark": ["qzmark"]}, "distinctAttribute": "qzmark",
                "typoTolerance": {"disableOnWords": ["qzmark"], "disableOnAttributes": ["qzmark"]},
                "embedders": {"qzmark": {"source": "userProvided", "dimensions": 2}},
            }),
        ),
        ("PUT /indexes/qzmark/settings/dictionary", json!(["qzmark"])),
        ("POST /indexes/qzmark/documents", json!([document])),
        ("PUT /indexes/qzmark/documents", json!([document])),
        (
            "POST /indexes/qzmark/documents/edit",
            json!({
                "function": "doc.qzmark = context.qzmark", "filter": filter,
                "context": {"qzmark": "qzmark"},
            }),
        ),
        (
            "POST /indexes/qzmark/search",
            json!({
                "q": "qzmark \"qzmark\" -qzmark", "filter": [filter, ["qzmark EXISTS"]],
                "sort": ["qzmark:asc"], "facets": ["qzmark"], "distinct": "qzmark",
                "attributesToRetrieve": ["qzmark"], "attributesToHighlight": ["qzmark"],
                "attributesToCrop": ["qzmark"], "attributesToSearchOn": ["qzmark"],
                "highlightPreTag": "qzmark", "highlightPostTag": "qzmark", "cropMarker": "qzmark",
                "vector": [1.0, 2.0], "hybrid": {"embedder": "qzmark"}, "locales": ["eng"],
            }),
        ),
        ("GET /indexes/qzmark/search?q=qzmark&filter=qzmark=qzmark&sort=qzmark:asc", Value::Null),
        (
            "POST /multi-search",
            json!({
                "queries": [{"indexUid": "qzmark", "q": "qzmark", "filter": filter}],
            }),
        ),
        (
            "POST /multi-search",
            json!({
                "federation": {}, "queries": [
                    {"indexUid": "qzmark", "q": "qzmark", "federationOptions": {"remote": "qzmark"}},
                ],
            }),
        ),
        (
            "POST /indexes/qzmark/facet-search",
            json!({
                "facetName": "qzmark", "facetQuery": "qzmark", "q": "qzmark", "filter": filter,
            }),
        ),
        (
            "POST /indexes/qzmark/similar",
            json!({
                "id": "qzmark-1", "embedder": "qzmark", "filter": filter,
            }),
        ),
        ("GET /indexes/qzmark/similar?id=qzmark-1&embedder=qzmark&filter=qzmark=1", Value::Null),
        ("GET /indexes/qzmark/documents/qzmark-1?fields=qzmark", Value::Null),
        ("GET /indexes/qzmark/documents?ids=qzmark-1&filter=qzmark=qzmark", Value::Null),
        ("POST /indexes/qzmark/documents/fetch", json!({"filter": filter, "ids": ["qzmark-1"]})),
        (
            "POST /render-template",
            json!({
                "template": {"kind": "inlineDocumentTemplate", "inline": "qzmark {{doc.qzmark}}"},
                "input": {"kind": "inlineDocument", "inline": {"qzmark": "qzmark"}},
            }),
        ),
        ("POST /indexes/qzmark/compact", Value::Null),
        ("POST /swap-indexes", json!([{"indexes": ["qzmark", "qzmark2"]}])),
        ("DELETE /indexes/qzmark/documents/qzmark-1", Value::Null),
        ("POST /indexes/qzmark/documents/delete-batch", json!(["qzmark-1"])),
        ("POST /indexes/qzmark/documents/delete", json!({"filter": filter})),
        ("DELETE /indexes/qzmark/documents?customMetadata=qzmark", Value::Null),
        ("POST /tasks/cancel?indexUids=qzmark", Value::Null),
        ("DELETE /tasks?indexUids=qzmark&statuses=canceled", Value::Null),
        (
            "PATCH /dynamic-search-rules/qzmark",
            json!({
                "description": "qzmark",
            "conditions": {"query": {"words": "qzmark"}, "filter": {"values": {"qzmark": "qzmark"}}},
                "actions": [{
                    "selector": {"indexUid": "qzmark", "id": "qzmark-1"},
                    "action": {"type": "pin", "position": 0},
                }],
            }),
        ),
        ("DELETE /dynamic-search-rules/qzmark", Value::Null),
        (
            "PATCH /chats/qzmark/settings",
            json!({
                "source": "openAi", "apiKey": "qzmark", "baseUrl": "http://qzmark.example",
                "prompts": {"system": "qzmark"},
            }),
        ),
        (
            "POST /chats/qzmark/chat/completions",
            json!({
                "model": "plain-model", "stream": true,
                "messages": [{"role": "user", "content": "qzmark"}],
            }),
        ),
        (
            "POST /keys",
            json!({
                "name": "qzmark", "description": "qzmark", "actions": ["*"], "indexes": ["qzmark"],
                "expiresAt": null,
            }),
        ),
        (
            "POST /webhooks",
            json!({
                "url": "http://qzmark.example/qzmark", "headers": {"authorization": "qzmark"},
            }),
        ),
        (
            "POST /export",
            json!({
                "url": "http://qzmark.example", "apiKey": "qzmark", "payloadSize": "1 MB",
                "indexes": {"qzmark*": {"filter": "qzmark = 1"}},
            }),
        ),
        ("POST /dumps", Value::Null),
        ("POST /snapshots", Value::Null),
        (
            "PATCH /network",
            json!({
                "self": "qzmark", "remotes": {"qzmark": {
                    "url": "http://qzmark.example", "searchApiKey": "qzmark", "writeApiKey": "qzmark",
                }},
            }),
        ),
    ]
}

fn send(server: &TestServer, line: &str, body: &Value) -> u16 {
    let request = server.request(line).header("User-Agent", AGENT);
    let request = if body.is_null() { request } else { request.json(body) };
    request.send().status
}

/// Every event that is documented, but the first launch, which is not a request.
fn all_kinds() -> BTreeSet<String> {
    let page = include_str!("../../../../docs/telemetry.md");
    let kinds = page.lines().filter_map(|line| line.strip_prefix("### "));
    kinds.filter(|kind| *kind != "Launched").map(str::to_owned).collect()
}

#[test]
fn user_data_is_never_reported() {
    let collector = Collector::start();
    let server = server(counting(Duration::from_secs(1), Some(&collector)));
    let features = server.call("GET /experimental-features").json();
    let all_on: serde_json::Map<_, _> =
        members(&features).into_iter().map(|name| (name.to_owned(), json!(true))).collect();
    assert_eq!(send(&server, "PATCH /experimental-features", &Value::Object(all_on)), 200);
    server.with_documents("qzmark2", json!([{"id": "qzmark"}]));

    let mut previews = Vec::new();
    let mut look = || previews.push(server.call("GET /telemetry/preview").text());
    for (line, body) in marked_requests() {
        let status = send(&server, line, &body);
        assert!(status < 500 || line.contains("chat/completions"), "{line}: {status}");
        look();
    }
    let webhooks = server.call("GET /webhooks").json();
    let uuid = webhooks["results"][0]["uuid"].as_str().expect("a webhook").to_owned();
    let webhook = format!("PATCH /webhooks/{uuid}");
    send(&server, &webhook, &json!({"url": "http://qzmark.example/2"}));
    look();
    for route in route_table() {
        // Closes the task store for good.
        if route.pattern == "/tasks/compact" {
            continue;
        }
        let path = route.pattern.replace('{', "qzmark-").replace('}', "");
        let line = format!("{} {path}?qzmark=qzmark", route.method);
        send(&server, &line, &json!({"qzmark": "qzmark"}));
    }
    look();

    // The next bundle may have been closed before the last request.
    let received = collector.wait_for(collector.received().len() + 2);
    let told = messages(&json!(received)).into_iter();
    let kinds = told.filter_map(|message| Some(message["event"].as_str()?.to_owned()));
    assert_eq!(kinds.collect::<BTreeSet<_>>(), all_kinds());
    for told in previews.iter().cloned().chain(received.iter().map(Value::to_string)) {
        let told = told.to_lowercase();
        for secret in [MARK, "ann@", "10.98.76.54", "12.345678", "https://"] {
            let at = told.find(secret);
            let around = at.map(|at| &told[at.saturating_sub(80)..(at + 40).min(told.len())]);
            assert_eq!(around, None, "{secret}");
        }
    }
    let everything = json!(received).to_string();
    for told in ["plain-sdk (v1.0)", "plain-model", "userProvided"] {
        assert!(everything.contains(told), "{told}");
    }
}
