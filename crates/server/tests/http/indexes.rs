use serde_json::json;

use crate::harness::{INVALID_UID, Setup, TestServer, members, without};

#[test]
fn an_index_is_created_read_and_deleted() {
    let server = TestServer::shared();
    let answer = server.call_json("POST /indexes", json!({"uid": "teas", "primaryKey": "sku"}));
    assert_eq!(answer.status, 202);
    let summary = answer.json();
    assert_eq!(members(&summary), ["taskUid", "indexUid", "status", "type", "enqueuedAt"]);
    assert_eq!(
        without(summary, &["taskUid", "enqueuedAt"]),
        json!({"indexUid": "teas", "status": "enqueued", "type": "indexCreation"})
    );
    let task = answer.task(&server);
    assert_eq!(task["details"], json!({"primaryKey": "sku"}));

    let index = server.call("GET /indexes/teas").json();
    assert_eq!(members(&index), ["uid", "createdAt", "updatedAt", "primaryKey"]);
    assert_eq!(
        without(index, &["createdAt", "updatedAt"]),
        json!({"uid": "teas", "primaryKey": "sku"})
    );

    let answer = server.call("DELETE /indexes/teas");
    assert_eq!(answer.status, 202);
    assert_eq!(answer.task(&server)["details"], json!({"deletedDocuments": 0}));
    server.call("GET /indexes/teas").is_error(404, "index_not_found", "Index `teas` not found.");
}

#[test]
fn a_key_may_be_null_empty_or_odd() {
    let server = TestServer::shared();
    for (uid, key) in [
        ("key-null", json!(null)),
        ("key-empty", json!("")),
        ("key-dotted", json!("product.ref")),
        ("key-blank", json!("serial number")),
    ] {
        let body = json!({"uid": uid, "primaryKey": key});
        server.call_json("POST /indexes", body).task(&server);
        assert_eq!(server.call(&format!("GET /indexes/{uid}")).json()["primaryKey"], key);
    }
    let created = server.call_json("POST /indexes", json!({"uid": "key-null"}));
    let task = created.task(&server);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"],
        json!({
            "message": "Index `key-null` already exists.",
            "code": "index_already_exists",
            "type": "invalid_request",
            "link": "http://sonde.test/docs/errors#index_already_exists",
        })
    );
}

#[test]
fn rejects_invalid_new_indexes() {
    let server = TestServer::shared();
    let create = |body| server.call_json("POST /indexes", body);
    create(json!({})).is_error(400, "missing_index_uid", "Missing field `uid`");
    create(json!({"primaryKey": "id"})).is_error(400, "missing_index_uid", "Missing field `uid`");
    for (uid, found) in [
        (json!(null), "null"),
        (json!(12), "a positive integer: `12`"),
        (json!(["a"]), "an array: `[\"a\"]`"),
        (json!({"a": 1}), "an object: `{\"a\":1}`"),
        (json!(true), "a boolean: `true`"),
        (json!(-1.5), "a number: `-1.5`"),
    ] {
        create(json!({"uid": uid})).is_error(
            400,
            "invalid_index_uid",
            &format!("Invalid value type at `.uid`: expected a string, but found {found}"),
        );
    }
    for uid in ["", "two words", "café", "a.b", "a/b", "*", "books ", &"x".repeat(401)] {
        create(json!({"uid": uid})).is_error(
            400,
            "invalid_index_uid",
            &format!("Invalid value at `.uid`: `{uid}` {INVALID_UID}"),
        );
    }
    create(json!({"uid": "books", "primaryKey": 5})).is_error(
        400,
        "invalid_index_primary_key",
        "Invalid value type at `.primaryKey`: expected a string, but found a positive integer: `5`",
    );
    create(json!({"uid": "books", "primarykey": "id"})).is_error(
        400,
        "bad_request",
        "Unknown field `primarykey`: did you mean `primaryKey`? expected one of `uid`, `primaryKey`",
    );
    create(json!({"uid": "books", "name": "Books"})).is_error(
        400,
        "bad_request",
        "Unknown field `name`: expected one of `uid`, `primaryKey`",
    );
    // The first of several faults is told.
    create(json!({"uid": "bad name", "primaryKey": 4})).is_error_like(
        400,
        "invalid_index_uid",
        "`bad name`",
    );
}

#[test]
fn of_a_repeated_field_the_last_counts_and_parameters_are_ignored() {
    let server = TestServer::shared();
    let answer = server
        .request("POST /indexes?limit=3")
        .body("application/json", r#"{"uid": "fourth", "uid": "fifth"}"#)
        .send();
    assert_eq!(answer.json()["indexUid"], "fifth");
}

#[test]
fn lists_are_in_byte_order_and_paged() {
    let server = TestServer::start(Setup::default());
    server
        .call("GET /indexes")
        .is(200, json!({"results": [], "offset": 0, "limit": 20, "total": 0}));
    for uid in ["zebra", "Alpha", "alpha", "10", "9", "_u", "-d"] {
        server.call_json("POST /indexes", json!({"uid": uid})).task(&server);
    }
    let uids = |line: &str| -> (Vec<String>, serde_json::Value) {
        let page = server.call(line).json();
        let uids = page["results"].as_array().unwrap().iter();
        let uids = uids.map(|index| index["uid"].as_str().unwrap().to_owned()).collect();
        (uids, without(page, &["results"]))
    };
    let page = |offset: u64, limit: u64| json!({"offset": offset, "limit": limit, "total": 7});
    let all = ["-d", "10", "9", "Alpha", "_u", "alpha", "zebra"].map(str::to_owned).to_vec();
    assert_eq!(uids("GET /indexes"), (all.clone(), page(0, 20)));
    assert_eq!(uids("GET /indexes?limit=2&offset=2"), (all[2..4].to_vec(), page(2, 2)));
    assert_eq!(uids("GET /indexes?offset=6"), (all[6..].to_vec(), page(6, 20)));
    assert_eq!(uids("GET /indexes?offset=4294967296"), (vec![], page(4_294_967_296, 20)));
    assert_eq!(uids("GET /indexes?limit=0"), (vec![], page(0, 0)));
    assert_eq!(uids("GET /indexes?limit=1&limit=3"), (all[..3].to_vec(), page(0, 3)));
    assert_eq!(uids("GET /indexes?limit=%32"), (all[..2].to_vec(), page(0, 2)));
    assert_eq!(uids("GET /indexes?limit=18446744073709551615"), (all.clone(), page(0, u64::MAX)));
}

#[test]
fn rejects_invalid_list_parameters() {
    let server = TestServer::shared();
    for name in ["limit", "offset"] {
        for value in ["-1", "ten", "", "1.5", "1e2", "%201", "18446744073709551616", "null", "*"] {
            server.call(&format!("GET /indexes?{name}={value}")).is_error(
                400,
                &format!("invalid_index_{name}"),
                &format!(
                    "Invalid value in parameter `{name}`: could not parse `{}` as a positive integer",
                    value.replace("%20", " ")
                ),
            );
        }
    }
    server.call("GET /indexes?limits=3").is_error(
        400,
        "bad_request",
        "Unknown parameter `limits`: did you mean `limit`? expected one of `offset`, `limit`",
    );
    server.call("GET /indexes?page=1").is_error(
        400,
        "bad_request",
        "Unknown parameter `page`: expected one of `offset`, `limit`",
    );
    server.call("GET /indexes?limit=b&offset=a").is_error_like(400, "invalid_index_limit", "`b`");
    assert_eq!(server.call("GET /indexes?&").status, 200);
}

#[test]
fn a_key_is_free_until_there_are_documents() {
    let server = TestServer::shared();
    server.call_json("POST /indexes", json!({"uid": "keyed"})).task(&server);
    let patch = |body| server.call_json("PATCH /indexes/keyed", body).task(&server);
    let key = || server.call("GET /indexes/keyed").json()["primaryKey"].clone();
    assert_eq!(patch(json!({"primaryKey": "code"}))["details"], json!({"primaryKey": "code"}));
    assert_eq!(key(), "code");
    patch(json!({"primaryKey": "sku"}));
    assert_eq!(patch(json!({"primaryKey": null}))["details"], json!({"primaryKey": null}));
    assert_eq!(patch(json!({}))["status"], "succeeded");
    assert_eq!(key(), "sku");
    server.with_documents("keyed", json!([{"sku": "a"}]));
    assert_eq!(patch(json!({"primaryKey": "sku"}))["status"], "succeeded");
    let refused = patch(json!({"primaryKey": "name"}));
    assert_eq!(refused["status"], "failed");
    assert_eq!(
        refused["error"]["message"],
        "Index `keyed`: Index already has a primary key: `sku`."
    );
    assert_eq!(refused["error"]["code"], "index_primary_key_already_exists");
}

#[test]
fn an_index_can_be_renamed() {
    let server = TestServer::shared();
    server.with_documents("old-name", json!([{"id": 1}]));
    let before = server.call("GET /indexes/old-name").json();
    // To the same name changes nothing.
    server.call_json("PATCH /indexes/old-name", json!({"uid": "old-name"})).task(&server);
    assert_eq!(server.call("GET /indexes/old-name").json(), before);
    let answer = server.call_json("PATCH /indexes/old-name", json!({"uid": "new-name"}));
    let task = answer.task(&server);
    assert_eq!(task["indexUid"], "old-name");
    assert_eq!(
        task["details"],
        json!({"primaryKey": null, "oldIndexUid": "old-name", "newIndexUid": "new-name"})
    );
    assert_eq!(server.call("GET /indexes/old-name").status, 404);
    server.call("GET /indexes/new-name/documents/1").is(200, json!({"id": 1}));
    let after = server.call("GET /indexes/new-name").json();
    assert_eq!(after["createdAt"], before["createdAt"]);
    assert!(after["updatedAt"].as_str() > before["updatedAt"].as_str(), "{before} {after}");
    let ghost = server.call_json("PATCH /indexes/ghost-1", json!({"uid": "phantom"}));
    assert_eq!(ghost.status, 202);
    assert_eq!(ghost.task(&server)["error"]["message"], "Index `ghost-1` not found.");
}

#[test]
fn rejects_invalid_index_changes() {
    let server = TestServer::shared();
    let patch = |body| server.call_json("PATCH /indexes/whatever", body);
    for (field, code) in
        [("createdAt", "immutable_index_created_at"), ("updatedAt", "immutable_index_updated_at")]
    {
        patch(json!({"primaryKey": "x", field: null})).is_error(
            400,
            code,
            &format!("Immutable field `{field}`: expected one of `primaryKey`, `uid`"),
        );
    }
    patch(json!({"primaryKey": {}})).is_error(
        400,
        "invalid_index_primary_key",
        "Invalid value type at `.primaryKey`: expected a string, but found an object: `{}`",
    );
    patch(json!({"uid": 4})).is_error(
        400,
        "invalid_index_uid",
        "Invalid value type at `.uid`: expected a string, but found a positive integer: `4`",
    );
    patch(json!({"uid": "bad uid"})).is_error(
        400,
        "invalid_index_uid",
        &format!("`bad uid` {INVALID_UID}"),
    );
    patch(json!({"primaryKeys": "id"})).is_error(
        400,
        "bad_request",
        "Unknown field `primaryKeys`: did you mean `primaryKey`? expected one of `primaryKey`, `uid`",
    );
    assert_eq!(patch(json!({"uid": null})).status, 202);
    // The path is looked at after the body.
    server.call_json("PATCH /indexes/caf%C3%A9", json!({"name": 1})).is_error_like(
        400,
        "bad_request",
        "Unknown field `name`",
    );
    server.call_json("PATCH /indexes/caf%C3%A9", json!({})).is_error(
        400,
        "invalid_index_uid",
        &format!("`café` {INVALID_UID}"),
    );
}

#[test]
fn an_index_can_be_compacted() {
    let server = TestServer::shared();
    server.with_documents("compacted", json!([{"id": 1}, {"id": 2}]));
    let answer = server.request("POST /indexes/compacted/compact?x=1").body("x/y", "no").send();
    assert_eq!((answer.status, &answer.json()["type"]), (202, &json!("indexCompaction")));
    let task = answer.task(&server);
    assert_eq!(members(&task["details"]), ["preCompactionSize", "postCompactionSize"]);
    assert_eq!(server.call("GET /indexes/compacted/documents").json()["total"], 2);
    let ghost = server.call("POST /indexes/ghost-2/compact").task(&server);
    assert_eq!((&ghost["status"], &ghost["details"]), (&json!("failed"), &json!({})));
    server.call("POST /indexes/bad!/compact").is_error(
        400,
        "invalid_index_uid",
        &format!("`bad!` {INVALID_UID}"),
    );
}
