use serde_json::json;
use server::Bounds;

use crate::harness::{Setup, TestServer};

/// Every route that takes a JSON body with fields.
const JSON_ROUTES: &[&str] = &[
    "POST /indexes",
    "PATCH /indexes/a",
    "POST /swap-indexes",
    "POST /indexes/a/documents/fetch",
    "POST /indexes/a/documents/delete",
    "POST /indexes/a/documents/delete-batch",
    "POST /indexes/a/documents/edit",
    "PATCH /experimental-features",
];

#[test]
fn json_routes_need_a_json_content_type() {
    let server = TestServer::shared();
    for line in JSON_ROUTES {
        server.request(line).bytes("{}").send().is_error(
            415,
            "missing_content_type",
            "A Content-Type header is missing. Accepted values for the Content-Type header are: `application/json`",
        );
        for kind in ["text/plain", "text/html; charset=utf-8", "json", "application/jsonp", "*/*"] {
            server.request(line).body(kind, "{}").send().is_error(
                415,
                "invalid_content_type",
                &format!("The Content-Type `{kind}` is invalid. Accepted values for the Content-Type header are: `application/json`"),
            );
        }
    }
}

#[test]
fn json_has_many_content_types() {
    let server = TestServer::shared();
    for kind in [
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/vnd.api+json",
        "text/json",
        " application/json ",
        "application/json;",
    ] {
        let answer = server.request("PATCH /experimental-features").body(kind, "{}").send();
        assert_eq!(answer.status, 200, "{kind}");
    }
}

#[test]
fn an_empty_body_is_missing_and_a_malformed_one_says_where() {
    let server = TestServer::shared();
    for line in JSON_ROUTES {
        server.request(line).body("application/json", "").send().is_error(
            400,
            "missing_payload",
            "A json payload is missing.",
        );
        server.request(line).body("application/json", "[1, 2").send().is_error(
            400,
            "malformed_payload",
            "The json payload provided is malformed. `EOF while parsing a list at line 1 column 5`.",
        );
    }
    for (text, why) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        (r#"{"a": }"#, "expected value at line 1 column 7"),
        ("hello", "expected value at line 1 column 1"),
        (r#"{"a": 1,}"#, "trailing comma at line 1 column 9"),
        ("{'a': 1}", "key must be a string at line 1 column 2"),
        (r#"{"a": nul}"#, "expected ident at line 1 column 10"),
        (r#"{"a": 01}"#, "invalid number at line 1 column 8"),
        (r#"{"a": "\q"}"#, "invalid escape at line 1 column 9"),
        (r#"{"a": 1 "b": 2}"#, "expected `,` or `}` at line 1 column 9"),
        (r#"{"a": "\ud800"}"#, "unexpected end of hex escape at line 1 column 14"),
        (
            "{\"a\": \"\t\"}",
            "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 8",
        ),
    ] {
        server.request("POST /indexes").body("application/json", text).send().is_error(
            400,
            "malformed_payload",
            &format!("The json payload provided is malformed. `{why}`."),
        );
    }
}

#[test]
fn the_root_must_be_of_the_right_kind() {
    let server = TestServer::shared();
    for (value, found) in [
        (json!([]), "an array: `[]`"),
        (json!("x"), "a string: `\"x\"`"),
        (json!(5), "a positive integer: `5`"),
        (json!(-3), "a negative integer: `-3`"),
        (json!(1.5), "a number: `1.5`"),
        (json!(true), "a boolean: `true`"),
        (json!(null), "null"),
    ] {
        for line in [
            "POST /indexes",
            "PATCH /indexes/a",
            "POST /indexes/a/documents/fetch",
            "POST /indexes/a/documents/delete",
            "POST /indexes/a/documents/edit",
            "PATCH /experimental-features",
        ] {
            server.call_json(line, value.clone()).is_error(
                400,
                "bad_request",
                &format!("Invalid value type: expected an object, but found {found}"),
            );
        }
    }
    for (text, why) in [
        ("{\"a\": 1} x", "invalid type: map, expected a sequence at line 1 column 0"),
        ("1.5", "invalid type: floating point `1.5`, expected a sequence at line 1 column 3"),
        ("null", "invalid type: null, expected a sequence at line 1 column 4"),
    ] {
        server
            .request("POST /indexes/a/documents/delete-batch")
            .body("application/json", text)
            .send()
            .is_error(400, "bad_request", &format!("Json deserialize error: {why}"));
    }
}

#[test]
fn a_body_may_have_exactly_the_limit() {
    let server = TestServer::start(Setup {
        bounds: Bounds { payload_size: 2048, ..Bounds::default() },
        ..Setup::default()
    });
    let document = |size: usize| {
        let frame = r#"[{"id":1,"t":""}]"#.len();
        format!(r#"[{{"id":1,"t":"{}"}}]"#, "x".repeat(size - frame))
    };
    let send = |body: String| {
        server.request("POST /indexes/big/documents").body("application/json", body).send()
    };
    assert_eq!(send(document(2048)).status, 202);
    let message =
        "The provided payload reached the size limit. The maximum accepted payload size is 2 KiB.";
    send(document(2049)).is_error(413, "payload_too_large", message);
    server
        .request("POST /indexes/big/documents")
        .body("application/json", document(2049))
        .send_chunked(100)
        .is_error(413, "payload_too_large", message);
    for line in JSON_ROUTES {
        server.request(line).body("application/json", document(2049)).send().is_error(
            413,
            "payload_too_large",
            message,
        );
        server.request(line).body("application/json", document(2049)).send_chunked(100).is_error(
            413,
            "payload_too_large",
            message,
        );
    }
}

#[test]
fn a_body_where_none_is_expected_is_ignored() {
    let server = TestServer::shared();
    server.with_documents("bodiless", json!([{"id": 1}]));
    for line in ["GET /health", "GET /indexes", "GET /indexes/bodiless", "GET /tasks?limit=1"] {
        let answer = server.request(line).body("x/y", "{\"a\":").send();
        assert_eq!(answer.status, 200, "{line}");
    }
    let task = server.request("DELETE /indexes/bodiless/documents/1").body("x/y", "{").send();
    assert_eq!(task.task(&server)["details"]["deletedDocuments"], 1);
}
