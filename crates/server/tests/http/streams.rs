//! Tasks and batches as they change.

use std::io::BufRead;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::harness::{Answer, CLOSES_WITHIN, Setup, TestServer, members};

struct Stream(std::io::BufReader<TcpStream>);

impl Stream {
    fn open(server: &TestServer, line: &str) -> Self {
        let request = server.request(line).header("Accept", "text/event-stream");
        let mut stream = request.header("Accept-Encoding", "gzip").open();
        let (status, headers) = Answer::read_head(&mut stream).unwrap();
        assert_eq!(status, 200);
        let header = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        assert_eq!(header("content-type"), Some("text/event-stream"));
        assert_eq!(header("content-encoding"), None);
        assert_eq!(header("x-accel-buffering"), Some("no"));
        let mut stream = Self(stream);
        // The greeting: from here on, nothing is missed.
        assert_eq!(stream.line().unwrap(), ": listening");
        stream
    }

    /// The next line of the stream itself; none at its end.
    fn line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            let line = line.trim_end();
            // What frames the chunks is no part of the stream.
            if line == "0" {
                return None;
            }
            if !line.is_empty() && !line.chars().all(|c| c.is_ascii_hexdigit()) {
                return Some(line.to_owned());
            }
        }
    }

    fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(json) = self.line()?.strip_prefix("data: ") {
                return Some(serde_json::from_str(json).unwrap());
            }
        }
    }
}

#[test]
fn every_change_of_a_task_is_told() {
    let server = TestServer::start(Setup::default());
    let mut first = Stream::open(&server, "GET /tasks/stream");
    let mut second = Stream::open(&server, "GET /tasks/stream");
    server.call_json("POST /indexes", json!({"uid": "told"}));
    for stream in [&mut first, &mut second] {
        let mut statuses = Vec::new();
        while statuses.last().is_none_or(|status| status != "succeeded") {
            let task = stream.next().unwrap();
            assert_eq!(members(&task)[..3], ["uid", "batchUid", "indexUid"]);
            assert_eq!(task["indexUid"], "told");
            statuses.push(task["status"].as_str().unwrap().to_owned());
        }
        statuses.sort_unstable();
        assert_eq!(statuses, ["enqueued", "processing", "succeeded"]);
    }
}

#[test]
fn every_change_of_a_batch_is_told() {
    let server = TestServer::start(Setup::default());
    let mut stream = Stream::open(&server, "GET /batches/stream");
    server.call_json("POST /indexes", json!({"uid": "told"}));
    let mut last = stream.next().unwrap();
    assert_eq!((&last["uid"], &last["finishedAt"]), (&json!(0), &json!(null)));
    while last["finishedAt"].is_null() {
        last = stream.next().unwrap();
    }
    assert_eq!(last["stats"]["status"], json!({"succeeded": 1}));
}

#[test]
fn without_the_wish_for_events_stream_is_no_number() {
    let server = TestServer::shared();
    server.call("GET /tasks/stream").is_error(
        400,
        "invalid_task_uids",
        "Task uid `stream` is invalid. It should only contain numeric characters.",
    );
    server.call("GET /batches/stream").is_error(
        400,
        "invalid_batch_uids",
        "Batch uid `stream` is invalid. It should only contain numeric characters.",
    );
}

#[test]
fn a_stream_ends_when_the_server_closes() {
    let mut server = TestServer::start(Setup::default());
    let mut stream = Stream::open(&server, "GET /tasks/stream");
    let begun = std::time::Instant::now();
    server.stop();
    assert!(begun.elapsed() < CLOSES_WITHIN, "the server waited for an endless answer");
    assert!(stream.next().is_none());
}
