use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, members, without};

#[test]
fn a_task_shows_its_whole_life() {
    let server = TestServer::shared();
    let answer = server.call_json("POST /indexes", json!({"uid": "life"}));
    let task = answer.task(&server);
    assert_eq!(
        members(&task),
        [
            "uid",
            "batchUid",
            "indexUid",
            "status",
            "type",
            "canceledBy",
            "details",
            "error",
            "duration",
            "enqueuedAt",
            "startedAt",
            "finishedAt"
        ]
    );
    assert!(task["duration"].as_str().unwrap().starts_with("PT"));
    assert_eq!(
        without(task, &["uid", "batchUid", "duration", "enqueuedAt", "startedAt", "finishedAt"]),
        json!({
            "indexUid": "life",
            "status": "succeeded",
            "type": "indexCreation",
            "canceledBy": null,
            "details": {"primaryKey": null},
            "error": null,
        })
    );
}

#[test]
fn a_waiting_task_has_no_times_but_one() {
    let server = TestServer::idle();
    let uid = server.call_json("POST /indexes", json!({"uid": "waits"})).task_uid();
    let task = server.call(&format!("GET /tasks/{uid}")).json();
    assert_eq!(
        without(task, &["enqueuedAt"]),
        json!({
            "uid": uid,
            "batchUid": null,
            "indexUid": "waits",
            "status": "enqueued",
            "type": "indexCreation",
            "canceledBy": null,
            "details": {"primaryKey": null},
            "error": null,
            "duration": null,
            "startedAt": null,
            "finishedAt": null,
        })
    );
}

#[test]
fn a_task_is_found_by_its_number() {
    let server = TestServer::start(Setup::default());
    server.call_json("POST /indexes", json!({"uid": "a"})).task(&server);
    for uid in ["0", "00", "%2B0", "0/", "0?x=1"] {
        assert_eq!(server.call(&format!("GET /tasks/{uid}")).json()["uid"], 0, "{uid}");
    }
    for uid in ["1", "4294967295"] {
        server.call(&format!("GET /tasks/{uid}")).is_error(
            404,
            "task_not_found",
            &format!("Task `{uid}` not found."),
        );
    }
    for (path, uid) in [
        ("4294967296", "4294967296"),
        ("-1", "-1"),
        ("1.5", "1.5"),
        ("abc", "abc"),
        ("%20", " "),
        ("*", "*"),
    ] {
        server.call(&format!("GET /tasks/{path}")).is_error(
            400,
            "invalid_task_uids",
            &format!("Task uid `{uid}` is invalid. It should only contain numeric characters."),
        );
    }
}

/// Four finished tasks over two indexes.
fn four_tasks() -> TestServer {
    let server = TestServer::start(Setup::default());
    server.call_json("POST /indexes", json!({"uid": "a"})).task(&server);
    server.call_json("POST /indexes", json!({"uid": "b"})).task(&server);
    server.call_json("POST /indexes", json!({"uid": "a"})).task(&server);
    server.call("DELETE /indexes/b/documents/1").task(&server);
    server
}

fn uids(page: &Value) -> Vec<u64> {
    page["results"].as_array().unwrap().iter().map(|task| task["uid"].as_u64().unwrap()).collect()
}

#[test]
fn tasks_are_listed_newest_first() {
    let server = four_tasks();
    for (query, expected, rest) in [
        ("", vec![3, 2, 1, 0], json!({"total": 4, "limit": 20, "from": 3, "next": null})),
        ("?limit=2", vec![3, 2], json!({"total": 4, "limit": 2, "from": 3, "next": 1})),
        ("?limit=2&from=1", vec![1, 0], json!({"total": 4, "limit": 2, "from": 1, "next": null})),
        ("?limit=0", vec![], json!({"total": 4, "limit": 0, "from": null, "next": 3})),
        ("?from=100", vec![3, 2, 1, 0], json!({"total": 4, "limit": 20, "from": 3, "next": null})),
        (
            "?reverse=true&limit=2&from=1",
            vec![1, 2],
            json!({"total": 4, "limit": 2, "from": 1, "next": 3}),
        ),
        (
            "?reverse=true&from=50",
            vec![],
            json!({"total": 4, "limit": 20, "from": null, "next": null}),
        ),
    ] {
        let page = server.call(&format!("GET /tasks{query}")).json();
        assert_eq!(members(&page), ["results", "total", "limit", "from", "next"]);
        assert_eq!(uids(&page), expected, "{query}");
        assert_eq!(without(page, &["results"]), rest, "{query}");
    }
}

#[test]
fn tasks_are_filtered() {
    let server = four_tasks();
    for (query, expected) in [
        ("uids=1,3,99,3", vec![3, 1]),
        ("uids=", vec![]),
        ("uids=*", vec![3, 2, 1, 0]),
        ("uids=1,*", vec![3, 2, 1, 0]),
        ("batchUids=0,2", vec![2, 0]),
        ("canceledBy=0", vec![]),
        ("types=indexCreation", vec![2, 1, 0]),
        ("types=DOCUMENTDELETION,indexSwap", vec![3]),
        ("statuses=failed", vec![2]),
        ("statuses=Succeeded&types=indexCreation", vec![1, 0]),
        ("indexUids=b", vec![3, 1]),
        ("indexUids=*&limit=1", vec![3]),
        ("afterEnqueuedAt=2001-01-01", vec![3, 2, 1, 0]),
        ("afterEnqueuedAt=9999-12-30", vec![]),
        ("beforeStartedAt=2001-01-01T00:00:00%2B02:00", vec![]),
        ("afterFinishedAt=2001-01-01T00:00:00.123456789Z", vec![3, 2, 1, 0]),
        ("beforeFinishedAt=2999-01-01&statuses=failed", vec![2]),
        ("beforeEnqueuedAt=*", vec![3, 2, 1, 0]),
    ] {
        assert_eq!(uids(&server.call(&format!("GET /tasks?{query}")).json()), expected, "{query}");
    }
}

#[test]
fn the_documents_of_a_waiting_task() {
    let server = TestServer::idle();
    let answer = server.call_json("POST /indexes/a/documents", json!([{"id": 1}, {"id": 2}]));
    let json_uid = answer.task_uid();
    let ndjson = "{\"sku\":\"A1\"}\n{\"sku\":\"A2\"}\n";
    let send = server.request("PUT /indexes/a/documents").body("application/x-ndjson", ndjson);
    let ndjson_uid = send.send().task_uid();
    let other_uid = server.call("DELETE /indexes/a").task_uid();

    let documents = |uid: &str| server.call(&format!("GET /tasks/{uid}/documents"));
    documents("abc").is_error_like(
        400,
        "feature_not_enabled",
        "Getting the documents of an enqueued task requires enabling the `get task documents route` experimental feature. See ",
    );
    let on = json!({"getTaskDocumentsRoute": true});
    server.call_json("PATCH /experimental-features", on);
    let answer = documents(&json_uid.to_string());
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(answer.text(), r#"{"id":1}{"id":2}"#);
    assert_eq!(documents(&ndjson_uid.to_string()).text(), ndjson);
    documents(&other_uid.to_string()).is_error(
        404,
        "task_file_not_found",
        &format!("Task `{other_uid}` does not contain any documents. Only `documentAdditionOrUpdate` tasks with the statuses `enqueued` or `processing` contain documents"),
    );
    documents("77").is_error(404, "task_not_found", "Task `77` not found.");
    documents("abc").is_error(
        400,
        "invalid_task_uids",
        "Task uid `abc` is invalid. It should only contain numeric characters.",
    );
    assert_eq!(server.call("GET /tasks/0/documents").status, 200);
}

#[test]
fn the_store_of_tasks_can_be_compacted() {
    let server = four_tasks();
    server.call("POST /tasks/compact").is_error_like(
        400,
        "feature_not_enabled",
        "Using the /tasks/compact route requires enabling the `task queue compaction route` experimental feature. See ",
    );
    let on = json!({"taskQueueCompactionRoute": true});
    server.call_json("PATCH /experimental-features", on);
    let answer = server.call("POST /tasks/compact");
    let body = answer.json();
    assert_eq!((answer.status, &body["status"]), (200, &json!("succeeded")));
    assert_eq!(body["actionRequired"], "you must restart your instance");
    for size in ["preSize", "postSize"] {
        assert!(body[size].as_str().unwrap().ends_with('B'));
    }
    // Nothing is lost, writes go on, and everybody is told.
    assert_eq!(uids(&server.call("GET /tasks").json()), [3, 2, 1, 0]);
    let late = server.call_json("POST /indexes", json!({"uid": "late"}));
    assert_eq!(late.task(&server)["status"], "succeeded");
    let health = server.call("GET /health");
    assert_eq!((health.status, health.json()), (500, json!({"status": "mustRestart"})));
}
