//! Canceling and deleting tasks.

use serde_json::json;

use crate::harness::{Setup, TestServer, without};

#[test]
fn a_cancelation_is_a_task_answered_with_200() {
    let server = TestServer::start(Setup::default());
    server.call_json("POST /indexes", json!({"uid": "a"})).task(&server);
    let answer = server.request("POST /tasks/cancel?uids=0&types=indexCreation%2CindexSwap").send();
    assert_eq!(answer.status, 200);
    assert_eq!(
        without(answer.json(), &["enqueuedAt"]),
        json!({"taskUid": 1, "indexUid": null, "status": "enqueued", "type": "taskCancelation"})
    );
    let task = answer.task(&server);
    assert_eq!(task["indexUid"], json!(null));
    // What is finished cannot be canceled; the filter is shown as it was sent.
    assert_eq!(
        task["details"],
        json!({
            "matchedTasks": 1,
            "canceledTasks": 0,
            "originalFilter": "?uids=0&types=indexCreation%2CindexSwap",
        })
    );
    for (query, matched) in [("uids=*", 2), ("uids=", 0), ("beforeEnqueuedAt=*", 4)] {
        let task = server.call(&format!("POST /tasks/cancel?{query}")).task(&server);
        assert_eq!(task["details"]["matchedTasks"], matched, "{query}");
    }
}

#[test]
fn a_task_that_is_deleted_at_once_is_gone() {
    let server = TestServer::start(Setup::default());
    for round in 0..6 {
        let index = format!("at-once-{round}");
        let line = format!("POST /indexes/{index}/documents");
        let added = server.call_json(&line, json!([{"id": 1}])).task_uid();
        let filter = match round % 2 {
            0 => format!("uids={added}"),
            _ => format!("indexUids={index}"),
        };
        let deletion = server.call(&format!("DELETE /tasks?{filter}")).task(&server);
        let details = &deletion["details"];
        assert_eq!(json!([details["matchedTasks"], details["deletedTasks"]]), json!([1, 1]));
        server.call(&format!("GET /tasks/{added}")).is_error(
            404,
            "task_not_found",
            &format!("Task `{added}` not found."),
        );
        server.call(&format!("GET /indexes/{index}/documents/1")).is(200, json!({"id": 1}));
    }
}

#[test]
fn finished_tasks_can_be_deleted() {
    let server = TestServer::start(Setup::default());
    for uid in ["a", "b"] {
        server.call_json("POST /indexes", json!({"uid": uid})).task(&server);
    }
    let answer = server.request("DELETE /tasks?indexUids=a").body("x/y", "ignored").send();
    assert_eq!(answer.status, 200);
    assert_eq!(
        without(answer.json(), &["enqueuedAt"]),
        json!({"taskUid": 2, "indexUid": null, "status": "enqueued", "type": "taskDeletion"})
    );
    assert_eq!(
        answer.task(&server)["details"],
        json!({"matchedTasks": 1, "deletedTasks": 1, "originalFilter": "?indexUids=a"})
    );
    server.call("GET /tasks/0").is_error(404, "task_not_found", "Task `0` not found.");
    server.call("GET /batches/0").is_error(404, "batch_not_found", "Batch `0` not found.");
    assert_eq!(server.call("GET /tasks/1").status, 200);
}

#[test]
fn waiting_tasks_match_at_once() {
    let server = TestServer::idle();
    server.call_json("POST /indexes", json!({"uid": "a"}));
    server.call_json("POST /indexes", json!({"uid": "b"}));
    let uid = server.call("POST /tasks/cancel?statuses=enqueued,processing").task_uid();
    let task = server.call(&format!("GET /tasks/{uid}")).json();
    assert_eq!(
        task["details"],
        json!({
            "matchedTasks": 2,
            "canceledTasks": null,
            "originalFilter": "?statuses=enqueued,processing",
        })
    );
}
