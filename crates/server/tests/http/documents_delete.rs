use serde_json::json;

use crate::harness::{INVALID_UID, TestServer, without};

#[test]
fn one_document_is_deleted() {
    let server = TestServer::shared();
    server.with_documents("gone", json!([{"id": 1}, {"id": 2}]));
    let answer = server.call("DELETE /indexes/gone/documents/1");
    assert_eq!(answer.status, 202);
    assert_eq!(
        without(answer.json(), &["taskUid", "enqueuedAt"]),
        json!({"indexUid": "gone", "status": "enqueued", "type": "documentDeletion"})
    );
    assert_eq!(
        answer.task(&server)["details"],
        json!({"providedIds": 1, "deletedDocuments": 1, "originalFilter": null})
    );
    assert_eq!(server.call("GET /indexes/gone/documents/1").status, 404);
    let absent = server.call("DELETE /indexes/gone/documents/a%20b").task(&server);
    assert_eq!(absent["details"]["deletedDocuments"], 0);
}

#[test]
fn a_list_of_documents_is_deleted() {
    let server = TestServer::shared();
    server.with_documents(
        "listed",
        json!([{"id": 1}, {"id": 2}, {"id": 3}, {"id": "true"}, {"id": "a"}]),
    );
    let delete = |body| {
        let answer = server.call_json("POST /indexes/listed/documents/delete-batch", body);
        assert_eq!(answer.status, 202);
        answer.task(&server)["details"].clone()
    };
    let details = |provided: u64, deleted: u64| json!({"providedIds": provided, "deletedDocuments": deleted, "originalFilter": null});
    assert_eq!(delete(json!([1, "2", 77])), details(3, 2));
    assert_eq!(delete(json!([3, 3, "3"])), details(3, 1));
    assert_eq!(delete(json!([true])), details(1, 1));
    assert_eq!(delete(json!([])), details(0, 0));
    assert_eq!(delete(json!([null, 4.0, [5], {"id": 5}, "not valid!"])), details(5, 0));
    assert_eq!(
        server.call("GET /indexes/listed/documents").json()["results"],
        json!([{"id": "a"}])
    );
}

#[test]
fn all_documents_are_deleted_and_the_key_stays() {
    let server = TestServer::shared();
    server.with_documents("emptied", json!([{"sku_id": 1}, {"sku_id": 2}]));
    let task = server.call("DELETE /indexes/emptied/documents").task(&server);
    assert_eq!(task["details"], json!({"deletedDocuments": 2}));
    assert_eq!(server.call("GET /indexes/emptied/documents").json()["total"], 0);
    assert_eq!(server.call("GET /indexes/emptied").json()["primaryKey"], "sku_id");
}

#[test]
fn deleting_by_filter_checks_the_filter_first() {
    let server = TestServer::shared();
    let delete = |body| server.call_json("POST /indexes/any/documents/delete", body);
    delete(json!({})).is_error(400, "missing_document_filter", "Missing field `filter`");
    let code = "invalid_document_filter";
    for empty in [json!(""), json!("  "), json!([])] {
        delete(json!({"filter": empty})).is_error(
            400,
            code,
            "Sending an empty filter is forbidden.",
        );
    }
    for (filter, expected) in [
        (json!(null), "String, Array, found: null"),
        (json!(5), "String, Array, found: 5"),
        (json!([1]), "String, [String], found: 1"),
    ] {
        delete(json!({"filter": filter})).is_error(
            400,
            code,
            &format!("Invalid syntax for the filter parameter: `expected {expected}`."),
        );
    }
    delete(json!({"filter": "a ="})).is_error(
        400,
        code,
        "Was expecting a value but instead got nothing.\n4:4 a =",
    );
    delete(json!({"filter": "a = 1", "limit": 1})).is_error(
        400,
        "bad_request",
        "Unknown field `limit`: expected one of `filter`",
    );
}

#[test]
fn metadata_is_the_only_parameter() {
    let server = TestServer::shared();
    server.with_documents("noted-deletions", json!([{"id": 1}]));
    for line in [
        "DELETE /indexes/noted-deletions/documents/1?customMetadata=why",
        "DELETE /indexes/noted-deletions/documents?customMetadata=why",
    ] {
        assert_eq!(server.call(line).json()["customMetadata"], "why");
    }
    let line = "POST /indexes/noted-deletions/documents/delete-batch?customMetadata=why";
    let answer = server.call_json(line, json!([1]));
    assert_eq!(answer.task(&server)["customMetadata"], "why");
    for line in [
        "DELETE /indexes/a/documents/1?foo=1",
        "DELETE /indexes/a/documents?foo=1",
        "POST /indexes/a/documents/delete?foo=1",
        "POST /indexes/a/documents/delete-batch?foo=1",
        "POST /indexes/a/documents/edit?foo=1",
    ] {
        server.call_json(line, json!([])).is_error(
            400,
            "bad_request",
            "Unknown parameter `foo`: expected one of `customMetadata`",
        );
    }
}

#[test]
fn the_index_must_have_a_name_but_need_not_exist() {
    let server = TestServer::shared();
    for (line, body) in [
        ("DELETE /indexes/a@b/documents/1", json!(null)),
        ("DELETE /indexes/a@b/documents", json!(null)),
        ("POST /indexes/a@b/documents/delete-batch", json!([1])),
        ("POST /indexes/a@b/documents/delete", json!({"filter": "a = 1"})),
    ] {
        server.call_json(line, body).is_error(
            400,
            "invalid_index_uid",
            &format!("`a@b` {INVALID_UID}"),
        );
    }
    let task = server.call("DELETE /indexes/ghost-3/documents/1").task(&server);
    assert_eq!(task["status"], "failed");
    assert_eq!(task["error"]["message"], "Index `ghost-3` not found.");
    assert_eq!(
        task["details"],
        json!({"providedIds": 1, "deletedDocuments": 0, "originalFilter": null})
    );
}
