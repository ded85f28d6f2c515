use serde_json::{Value, json};

use crate::harness::{Answer, INVALID_UID, Setup, TestServer};

fn with_feature() -> TestServer {
    let server = TestServer::start(Setup::default());
    let on = json!({"editDocumentsByFunction": true});
    server.call_json("PATCH /experimental-features", on);
    server
}

fn edit(server: &TestServer, body: Value) -> Answer {
    server.call_json("POST /indexes/edited/documents/edit", body)
}

#[test]
fn editing_needs_its_feature_but_the_body_is_checked_before() {
    let server = TestServer::start(Setup::default());
    edit(&server, json!({"function": "doc.a = 1"})).is_error_like(
        400,
        "feature_not_enabled",
        "Using the documents edit route requires enabling the `edit documents by function` experimental feature. See ",
    );
    edit(&server, json!({})).is_error(
        400,
        "missing_document_edition_function",
        "Missing field `function`",
    );
    // The name of the index is looked at after the feature.
    server.call_json("POST /indexes/b!d/documents/edit", json!({"function": ""})).is_error_like(
        400,
        "feature_not_enabled",
        "Using the documents edit route",
    );
}

#[test]
fn documents_are_edited_by_a_function() {
    let server = with_feature();
    server.with_documents("edited", json!([{"id": 1, "n": 1}, {"id": 2, "n": 2}]));
    let function = "doc.n = doc.n * context.by";
    let answer = edit(&server, json!({"function": function, "context": {"by": 10}}));
    assert_eq!((answer.status, &answer.json()["type"]), (202, &json!("documentEdition")));
    assert_eq!(
        answer.task(&server)["details"],
        json!({
            "editedDocuments": 2,
            "deletedDocuments": 2,
            "context": {"by": 10},
            "function": function,
            "originalFilter": null,
        })
    );
    let documents = server.call("GET /indexes/edited/documents").json()["results"].clone();
    assert_eq!(documents, json!([{"id": 1, "n": 10}, {"id": 2, "n": 20}]));
    let line = "POST /indexes/edited/documents/edit?customMetadata=note";
    let noted = server.call_json(line, json!({"function": "", "context": null, "filter": null}));
    assert_eq!(noted.task(&server)["customMetadata"], "note");
}

#[test]
fn rejects_invalid_editions() {
    let server = with_feature();
    for (body, code, message) in [
        (
            json!({"function": null}),
            "invalid_document_edition_function_filter",
            "Invalid value type at `.function`: expected a string, but found null",
        ),
        (
            json!({"function": 5}),
            "invalid_document_edition_function_filter",
            "Invalid value type at `.function`: expected a string, but found a positive integer: `5`",
        ),
        (
            json!({"function": "doc.x = 1", "foo": 1}),
            "bad_request",
            "Unknown field `foo`: expected one of `filter`, `context`, `function`",
        ),
        (
            json!({"function": "doc.x = 1", "context": []}),
            "invalid_document_edition_context",
            "The context must be an object",
        ),
        (
            json!({"function": "doc.x = "}),
            "bad_request",
            "Script is incomplete (line 1, position 9)",
        ),
        (
            json!({"function": "doc.x = ", "filter": 3, "context": 3}),
            "bad_request",
            "Script is incomplete (line 1, position 9)",
        ),
        (
            json!({"function": "doc.x = 1", "filter": 3, "context": 3}),
            "invalid_document_filter",
            "Index `edited`: Invalid syntax for the filter parameter: `expected String, Array, found: 3`.",
        ),
        (
            json!({"function": "doc.x = 1", "filter": []}),
            "invalid_document_filter",
            "Sending an empty filter is forbidden.",
        ),
        (
            json!({"function": "doc.x = 1", "filter": "a =", "context": 3}),
            "invalid_document_filter",
            "Index `edited`: Was expecting a value but instead got nothing.\n4:4 a =",
        ),
        (
            json!({"function": "doc.x = 1", "filter": "a = 1", "context": 3}),
            "invalid_document_edition_context",
            "The context must be an object",
        ),
    ] {
        edit(&server, body).is_error(400, code, message);
    }
    server.call_json("POST /indexes/a+b/documents/edit", json!({"function": "doc.x = "})).is_error(
        400,
        "invalid_index_uid",
        &format!("`a+b` {INVALID_UID}"),
    );
    let ghost = edit(&server, json!({"function": "doc.x = 1"})).task(&server);
    assert_eq!(ghost["error"]["message"], "Index `edited` not found.");
}
