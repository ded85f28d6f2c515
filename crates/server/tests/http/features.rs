use serde_json::json;

use crate::harness::{Setup, TestServer, members};

const NAMES: [&str; 15] = [
    "metrics",
    "logsRoute",
    "editDocumentsByFunction",
    "containsFilter",
    "dynamicSearchRules",
    "network",
    "getTaskDocumentsRoute",
    "taskQueueCompactionRoute",
    "compositeEmbedders",
    "chatCompletions",
    "multimodal",
    "foreignKeys",
    "disableDocumentsFetchQueue",
    "legacySearch",
    "renderRoute",
];

#[test]
fn features_are_switched_one_by_one() {
    let server = TestServer::start(Setup::default());
    let features = server.call("GET /experimental-features?x=1").json();
    assert_eq!(members(&features), NAMES);
    assert!(features.as_object().unwrap().values().all(|on| on == false));
    let patch = |body| server.call_json("PATCH /experimental-features", body);
    let on = patch(json!({"metrics": true, "multimodal": true})).json();
    assert_eq!((&on["metrics"], &on["multimodal"]), (&json!(true), &json!(true)));
    let same = patch(json!({"metrics": null, "multimodal": false})).json();
    assert_eq!((&same["metrics"], &same["multimodal"]), (&json!(true), &json!(false)));
    assert_eq!(server.call("GET /experimental-features").json(), same);
    assert_eq!(patch(json!({})).json(), same);
    // Nothing of a refused change is applied.
    assert_eq!(patch(json!({"network": true, "logsRoute": []})).status, 400);
    assert_eq!(server.call("GET /experimental-features").json(), same);
}

#[test]
fn rejects_invalid_features() {
    let server = TestServer::shared();
    let patch = |body| server.call_json("PATCH /experimental-features", body);
    let names: Vec<String> = NAMES.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    for (field, hint) in [("vectorStore", ""), ("Metrics", "did you mean `metrics`? ")] {
        patch(json!({field: true})).is_error(
            400,
            "bad_request",
            &format!("Unknown field `{field}`: {hint}expected one of {names}"),
        );
    }
    for (value, found) in [(json!("true"), "a string: `\"true\"`"), (json!([]), "an array: `[]`")] {
        patch(json!({"metrics": value})).is_error(
            400,
            "bad_request",
            &format!("Invalid value type at `.metrics`: expected a boolean, but found {found}"),
        );
    }
}

#[test]
fn a_feature_that_is_off_is_told_with_its_discussion() {
    let server = TestServer::start(Setup::default());
    let render = json!({"template": {"kind": "inlineDocumentTemplate", "inline": "x"}});
    for (answer, link) in [
        (server.call("GET /metrics"), "https://github.com/meilisearch/product/discussions/625"),
        (
            server.call_json("POST /render-template", render),
            "https://github.com/orgs/meilisearch/discussions/888",
        ),
        (
            server.call_json("POST /logs/stream", json!({"target": "info"})),
            "https://github.com/orgs/meilisearch/discussions/721",
        ),
    ] {
        let body = answer.json();
        assert_eq!((answer.status, &body["code"]), (400, &json!("feature_not_enabled")), "{body}");
        let message = body["message"].as_str().unwrap();
        assert!(message.ends_with(&format!("experimental feature. See {link}")), "{message}");
    }
}
