use serde_json::{Value, json};

use crate::harness::{INVALID_UID, TestServer, without};

fn swap(server: &TestServer, body: Value) -> crate::harness::Answer {
    server.call_json("POST /swap-indexes", body)
}

#[test]
fn names_are_exchanged() {
    let server = TestServer::shared();
    server.with_documents("swap-a", json!([{"id": 1}]));
    server.with_documents("swap-b", json!([{"id": 2}]));
    let answer = swap(&server, json!([{"indexes": ["swap-a", "swap-b"]}]));
    assert_eq!(answer.status, 202);
    assert_eq!(
        without(answer.json(), &["taskUid", "enqueuedAt"]),
        json!({"indexUid": null, "status": "enqueued", "type": "indexSwap"})
    );
    let task = answer.task(&server);
    assert_eq!(
        task["details"],
        json!({"swaps": [{"indexes": ["swap-a", "swap-b"], "rename": false}]})
    );
    server.call("GET /indexes/swap-a/documents/2").is(200, json!({"id": 2}));
    let renamed = swap(&server, json!([{"indexes": ["swap-a", "swap-c"], "rename": true}]));
    assert_eq!(renamed.task(&server)["status"], "succeeded");
    server.call("GET /indexes/swap-c/documents/2").is(200, json!({"id": 2}));
    assert_eq!(server.call("GET /indexes/swap-a").status, 404);
}

#[test]
fn empty_swaps_succeed_and_missing_indexes_fail_the_task() {
    let server = TestServer::shared();
    assert_eq!(swap(&server, json!([])).task(&server)["details"], json!({"swaps": []}));
    let task = swap(&server, json!([{"indexes": ["ghost-b", "ghost-a"]}])).task(&server);
    assert_eq!(task["error"]["code"], "index_not_found");
    assert_eq!(task["error"]["message"], "Indexes `ghost-a`, `ghost-b` not found.");
}

#[test]
fn every_name_that_a_rename_finds_taken_is_told() {
    let server = TestServer::shared();
    for uid in ["taken-a", "taken-b", "taken-c", "taken-d"] {
        server.with_documents(uid, json!([{"id": 1}]));
    }
    let message = |renames: &[[&str; 2]]| {
        let swaps = renames.iter().map(|names| json!({"indexes": names, "rename": true}));
        let task = swap(&server, swaps.collect()).task(&server);
        assert_eq!(task["error"]["code"], "index_already_exists", "{task}");
        task["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        message(&[["taken-a", "taken-d"], ["taken-b", "new"]]),
        "Cannot rename `taken-a` to `taken-d` as the index already exists. Hint: You can remove \
         `taken-d` first and then do your remove."
    );
    assert_eq!(
        message(&[["taken-a", "taken-d"], ["taken-b", "taken-c"]]),
        "The following indexes are being renamed but cannot because their new name conflicts with \
         an already existing index: `taken-c`, `taken-d`. Renaming doesn't overwrite the other \
         index name."
    );
    assert_eq!(server.call("GET /indexes/taken-b").status, 200);
}

#[test]
fn two_names_for_each_swap_and_each_name_once() {
    let server = TestServer::shared();
    for (names, shown) in [
        (json!([]), "[]` contains 0"),
        (json!(["a"]), "[\"a\"]` contains 1"),
        (json!(["a", "b", "c"]), "[\"a\", \"b\", \"c\"]` contains 3"),
    ] {
        swap(&server, json!([{"indexes": names}])).is_error(
            400,
            "invalid_swap_indexes",
            &format!("Two indexes must be given for each swap. The list `{shown} indexes."),
        );
    }
    let twice = "invalid_swap_duplicate_index_found";
    swap(&server, json!([{"indexes": ["a", "a"]}])).is_error(
        400,
        twice,
        "Indexes must be declared only once during a swap. `a` was specified several times.",
    );
    swap(&server, json!([{"indexes": ["a", "b"]}, {"indexes": ["a", "b"]}])).is_error(
        400,
        twice,
        "Indexes must be declared only once during a swap. `a`, `b` were specified several times.",
    );
}

#[test]
fn rejects_invalid_swaps() {
    let server = TestServer::shared();
    for (body, code, message) in [
        (json!([{}]), "missing_swap_indexes", "Missing field `indexes` inside `[0]`"),
        (
            json!([{"indexes": null}]),
            "invalid_swap_indexes",
            "Invalid value type at `[0].indexes`: expected an array, but found null",
        ),
        (
            json!([{"indexes": [1, 2]}]),
            "invalid_swap_indexes",
            "Invalid value type at `[0].indexes[0]`: expected a string, but found a positive integer: `1`",
        ),
        (
            json!([{"indexes": ["a", "b"], "rename": null}]),
            "invalid_swap_rename",
            "Invalid value type at `[0].rename`: expected a boolean, but found null",
        ),
        (
            json!([{"indexes": ["a", "b"], "name": 1}]),
            "bad_request",
            "Unknown field `name` inside `[0]`: expected one of `indexes`, `rename`",
        ),
        (
            json!({"indexes": ["a", "b"]}),
            "bad_request",
            "Invalid value type: expected an array, but found an object: `{\"indexes\":[\"a\",\"b\"]}`",
        ),
        (
            json!([null]),
            "bad_request",
            "Invalid value type at `[0]`: expected an object, but found null",
        ),
    ] {
        swap(&server, body).is_error(400, code, message);
    }
    swap(&server, json!([{"indexes": ["a", "no pe"]}])).is_error(
        400,
        "invalid_swap_indexes",
        &format!("Invalid value at `[0].indexes[1]`: `no pe` {INVALID_UID}"),
    );
}
