//! The few requests these tests make.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::support::http::{self, Answer};

pub fn send(server: SocketAddr, method: &str, path: &str, body: &Value) -> Answer {
    http::send_json(server, method, path, body).expect("an answer")
}

/// The uid of the task that a write made.
pub fn enqueued(answer: &Answer) -> u64 {
    assert_eq!(answer.status, 202, "{}", answer.json());
    answer.json()["taskUid"].as_u64().expect("a task")
}

pub fn task(server: SocketAddr, uid: u64) -> Value {
    http::get(server, &format!("/tasks/{uid}")).expect("an answer").json()
}

/// The number of documents that a search without words finds.
pub fn found(server: SocketAddr, index: &str) -> u64 {
    let body = json!({"hitsPerPage": 1});
    let answer = send(server, "POST", &format!("/indexes/{index}/search"), &body);
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["totalHits"].as_u64().expect("a total")
}
