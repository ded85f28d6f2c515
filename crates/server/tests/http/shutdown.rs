//! How a server ends.

use std::io::Write;
use std::net::TcpStream;
use std::time::Instant;

use serde_json::json;
use testkit::wait_until;

use crate::harness::{Answer, CLOSES_WITHIN, Setup, TestServer};

#[test]
fn a_running_request_is_finished_and_no_new_one_is_taken() {
    let mut server = TestServer::start(Setup::default());
    let body = r#"[{"id":1}]"#;
    let mut slow = server
        .request("POST /indexes/late/documents")
        .header("Content-Type", "application/json")
        .header("Content-Length", &body.len().to_string())
        .header("Expect", "100-continue")
        .open();
    // The request is being read when the server is told to close.
    assert_eq!(Answer::read_head(&mut slow).unwrap().0, 100);
    slow.get_mut().write_all(&body.as_bytes()[..4]).unwrap();
    server.begin_stop();
    wait_until("connections are refused", || TcpStream::connect(server.address).is_err());
    slow.get_mut().write_all(&body.as_bytes()[4..]).unwrap();
    let answer = Answer::read(&mut slow).unwrap();
    assert_eq!((answer.status, &answer.json()["indexUid"]), (202, &json!("late")));
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() < CLOSES_WITHIN);
}

#[test]
fn an_idle_connection_does_not_hold_the_server() {
    let mut server = TestServer::start(Setup::default());
    let mut idle = server.request("GET /health").open();
    Answer::read(&mut idle).unwrap().is(200, json!({"status": "available"}));
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() < CLOSES_WITHIN);
}
