use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, without};

#[test]
fn a_dump_is_a_task_that_names_it() {
    let server = TestServer::start(Setup::default());
    server.with_documents("dumped", json!([{"id": 1}, {"id": 2}]));
    let answer = server.call("POST /dumps");
    assert_eq!(answer.status, 202);
    assert_eq!(
        without(answer.json(), &["taskUid", "enqueuedAt"]),
        json!({"indexUid": null, "status": "enqueued", "type": "dumpCreation"})
    );
    let task = answer.task(&server);
    assert_eq!((&task["status"], &task["error"]), (&json!("succeeded"), &Value::Null));
    let uid = task["details"]["dumpUid"].as_str().expect("the name of the dump").to_owned();
    let (date, time) = uid.split_once('-').expect("a date and a time");
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    assert!(is_number(date) && is_number(time), "{uid}");
    assert_eq!((date.len(), time.len()), (8, 9));

    let batch = server.call(&format!("GET /batches/{}", task["batchUid"])).json();
    assert_eq!(batch["details"], json!({"dumpUid": uid}));
    let steps: Vec<&String> =
        batch["stats"]["progressTrace"].as_object().expect("steps").keys().collect();
    assert!(steps.iter().any(|step| step.ends_with("dumping the documents")), "{steps:?}");
}

#[test]
fn dump_bodies_are_ignored() {
    let server = TestServer::start(Setup::default());
    let sent = server.request("POST /dumps?x=1").body("text/html", "{\"a\":").send();
    assert_eq!(sent.status, 202);
    assert_eq!(sent.task(&server)["status"], "succeeded");
    assert_eq!(server.call("GET /dumps").status, 405);
}

#[test]
fn a_dump_that_waits_has_no_name_and_can_be_canceled() {
    let server = TestServer::idle();
    let uid = server.call("POST /dumps").json()["taskUid"].clone();
    let task = server.call(&format!("GET /tasks/{uid}")).json();
    assert_eq!(
        (&task["status"], &task["details"]),
        (&json!("enqueued"), &json!({"dumpUid": null}))
    );
    let canceled = server.call(&format!("POST /tasks/cancel?uids={uid}"));
    assert_eq!(canceled.status, 200);
}
