use serde_json::json;

use crate::harness::{Setup, TestServer, without};

#[test]
fn a_snapshot_is_a_task_without_details() {
    let server = TestServer::start(Setup::default());
    server.with_documents("snapped", json!([{"id": 1}, {"id": 2}]));
    let answer = server.call("POST /snapshots");
    assert_eq!(answer.status, 202);
    assert_eq!(
        without(answer.json(), &["taskUid", "enqueuedAt"]),
        json!({"indexUid": null, "status": "enqueued", "type": "snapshotCreation"})
    );
    let task = answer.task(&server);
    let dates = ["uid", "batchUid", "duration", "enqueuedAt", "startedAt", "finishedAt"];
    assert_eq!(
        without(task.clone(), &dates),
        json!({
            "indexUid": null,
            "status": "succeeded",
            "type": "snapshotCreation",
            "canceledBy": null,
            "error": null,
        })
    );
    let batch = server.call(&format!("GET /batches/{}", task["batchUid"])).json();
    assert_eq!(batch["details"], json!({}));
    assert_eq!(batch["stats"]["types"], json!({"snapshotCreation": 1}));
    let steps: Vec<&String> =
        batch["stats"]["progressTrace"].as_object().expect("steps").keys().collect();
    assert!(steps.iter().any(|step| step.ends_with("writing the archive")), "{steps:?}");
}

#[test]
fn snapshot_bodies_are_ignored() {
    let server = TestServer::start(Setup::default());
    let sent = server.request("POST /snapshots?x=1").body("text/html", "{\"a\":").send();
    assert_eq!(sent.status, 202);
    assert_eq!(sent.task(&server)["status"], "succeeded");
    assert_eq!(server.call("GET /snapshots").status, 405);
}

#[test]
fn several_asked_for_at_once_all_succeed() {
    let server = TestServer::start(Setup::default());
    let answers: Vec<_> = (0..3).map(|_| server.call("POST /snapshots")).collect();
    for answer in answers {
        assert_eq!(answer.task(&server)["status"], "succeeded");
    }
    let done = server.call("GET /tasks?types=snapshotCreation&statuses=succeeded").json();
    assert_eq!(done["total"], 3);
}
