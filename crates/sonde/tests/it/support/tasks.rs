//! Waiting for the tasks of a server.

use std::net::SocketAddr;

use serde_json::Value;
use testkit::wait_for;

use super::http;

pub fn has_ended(task: &Value) -> bool {
    !matches!(task["status"].as_str(), Some("enqueued" | "processing"))
}

/// Waits until a task has ended, with whatever status.
#[track_caller]
pub fn ended_task(server: SocketAddr, uid: u64) -> Value {
    wait_for(|| {
        let task = http::get(server, &format!("/tasks/{uid}")).expect("an answer").json();
        if has_ended(&task) { Ok(task) } else { Err(task) }
    })
}

/// Waits until the task of an answer to a write has ended, which must be with success.
#[track_caller]
pub fn succeeded(server: SocketAddr, answer: &Value) -> Value {
    let task = ended_task(server, answer["taskUid"].as_u64().expect("a task"));
    assert_eq!(task["status"], "succeeded", "{task}");
    task
}
