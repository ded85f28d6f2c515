//! The log, as a stream and on stderr. There is one stream in a process, so these tests wait for
//! each other.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Answer, Setup, TestServer};

const BUSY: &str = "The `/logs/stream` route is currently in use by someone else.";

fn alone() -> MutexGuard<'static, ()> {
    static STREAM: Mutex<()> = Mutex::new(());
    STREAM.lock().unwrap_or_else(PoisonError::into_inner)
}

fn enabled() -> TestServer {
    let server = TestServer::start(Setup::default());
    server.call_json("PATCH /experimental-features", json!({"logsRoute": true}));
    server
}

/// A stream that is being read.
struct Stream {
    connection: BufReader<TcpStream>,
    head: Answer,
}

impl Stream {
    fn open(server: &TestServer, body: &Value) -> Self {
        let body = body.to_string();
        let mut connection = server
            .request("POST /logs/stream")
            .header("Content-Type", "application/json")
            .header("Accept-Encoding", "gzip")
            .header("Content-Length", &body.len().to_string())
            .open();
        connection.get_mut().write_all(body.as_bytes()).expect("the body is sent");
        let (status, headers) = Answer::read_head(&mut connection).expect("an answer");
        Self { connection, head: Answer { status, headers, body: Vec::new() } }
    }

    /// The next line of a chunk; none at the end.
    fn line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            self.connection.read_line(&mut line).expect("a line");
            let line = line.trim_end();
            if line == "0" {
                return None;
            }
            // Sizes of chunks, and what ends them.
            if !line.is_empty() && usize::from_str_radix(line, 16).is_err() {
                return Some(line.to_owned());
            }
        }
    }

    #[track_caller]
    fn line_with(&mut self, part: &str) -> String {
        loop {
            let line = self.line().expect("the stream goes on");
            if line.contains(part) {
                return line;
            }
        }
    }
}

/// Opens a stream as soon as the one before is gone.
fn open_soon(server: &TestServer, body: &Value) -> Stream {
    let begun = Instant::now();
    loop {
        let stream = Stream::open(server, body);
        if stream.head.status == 200 || begun.elapsed() > Duration::from_secs(60) {
            return stream;
        }
        std::thread::yield_now();
    }
}

#[test]
fn the_routes_need_their_feature() {
    let server = TestServer::shared();
    for (line, body) in
        [("POST /logs/stream", json!({})), ("POST /logs/stderr", json!({"target": "info"}))]
    {
        server.call_json(line, body).is_error_like(
            400,
            "feature_not_enabled",
            "Modifying logs through the `/logs/*` routes requires enabling the `logs route`",
        );
    }
    server.call("DELETE /logs/stream").is_error_like(400, "feature_not_enabled", "logs route");
    // A body that is wrong is told first.
    let wrong = json!({"mode": "json", "profileMemory": true});
    let code = "invalid_settings_typo_tolerance";
    server.call_json("POST /logs/stream", wrong).is_error_like(400, code, "Json mode");
    for line in ["POST /logs/stream", "POST /logs/stderr"] {
        server.call_json(line, json!({"target": ""})).is_error(
            400,
            "bad_request",
            "Invalid value at `.target`: Empty string is not a valid target. If you want to get no logs use `OFF`. Usage: `info`, `meilisearch=info`, or you can write multiple filters in one target: `index_scheduler=info,milli=trace`",
        );
    }
}

#[test]
fn rejects_invalid_log_requests() {
    let server = enabled();
    let refused = |body, code, message: &str| {
        server.call_json("POST /logs/stream", body).is_error_like(400, code, message);
    };
    refused(json!({"mode": "xml"}), "bad_request", "Unknown value `xml` at `.mode`");
    refused(json!({"target": null}), "bad_request", "Invalid value type at `.target`");
    refused(
        json!({"target": "a=b=c"}),
        "bad_request",
        "Invalid value at `.target`: invalid filter directive: too many '=' in filter directive",
    );
    refused(
        json!({"mode": "json", "profileMemory": true}),
        "invalid_settings_typo_tolerance",
        "is not compatible with the Json mode.",
    );
    server.call_json("POST /logs/stderr", json!({"target": "loud=very"})).is_error_like(
        400,
        "bad_request",
        "error parsing level filter",
    );
    server.call_json("POST /logs/stderr", json!({"target": "off"})).is_empty(204);
    server.call("DELETE /logs/stream").is_empty(204);
}

#[test]
fn lines_are_streamed_as_they_come() {
    let _alone = alone();
    let server = enabled();
    let mut stream = open_soon(&server, &json!({"target": "server=debug"}));
    assert_eq!(stream.head.status, 200);
    assert_eq!(stream.head.header("x-accel-buffering"), Some("no"));
    assert_eq!(stream.head.header("content-encoding"), None);
    server.call("GET /indexes/streamed?secret=hidden");
    let line = stream.line_with("/indexes/streamed");
    assert!(
        line.contains("INFO") && !line.contains("hidden") && !line.contains('\u{1b}'),
        "{line}"
    );

    // One at a time.
    server.call_json("POST /logs/stream", json!({})).is_error(400, "bad_request", BUSY);
    server.call("DELETE /logs/stream").is_empty(204);
    while stream.line().is_some() {}
    assert_eq!(open_soon(&server, &json!({})).head.status, 200);
}

#[test]
fn requests_and_batches_are_told_in_a_line_each() {
    let _alone = alone();
    let server = enabled();
    let mut stream = open_soon(&server, &json!({}));
    server.call_json("POST /indexes/told/documents", json!([{"id": 1}])).task(&server);
    let line = stream.line_with("/indexes/told/documents");
    assert!(line.contains("INFO") && line.contains("POST") && line.contains("202"), "{line}");
    let line = stream.line_with("told");
    for part in ["INFO", "batch", "Documents", "tasks=1", "failed=0", "elapsed="] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn a_client_that_goes_away_leaves_its_place() {
    let _alone = alone();
    let server = enabled();
    drop(open_soon(&server, &json!({"target": "server=debug"})));
    let mut stream = open_soon(&server, &json!({"mode": "json", "target": "server=debug"}));
    assert_eq!(stream.head.status, 200);
    server.call("GET /indexes/as-json");
    let line: Value = serde_json::from_str(&stream.line_with("/indexes/as-json")).expect("JSON");
    assert_eq!((&line["level"], &line["fields"]["status"]), (&json!("INFO"), &json!(404)));
}

#[test]
fn spans_are_streamed_with_their_times() {
    let _alone = alone();
    let server = enabled();
    server.with_documents("books", json!([{"id": 1}]));
    let mut stream = open_soon(&server, &json!({"mode": "profile", "profileMemory": true}));
    assert_eq!(stream.head.status, 200);
    server.call_json("POST /indexes/books/search", json!({"q": ""}));
    let search: Value = serde_json::from_str(&stream.line_with("\"search\"")).expect("JSON");
    assert_eq!(search["name"], "search");
    assert!(search["durationNs"].as_u64() >= search["busyNs"].as_u64());
    assert!(search["residentBytes"].as_u64() > Some(0) || !cfg!(target_os = "linux"));
    let request: Value =
        serde_json::from_str(&stream.line_with("/indexes/{uid}/search")).expect("JSON");
    assert_eq!(request["fields"]["http.response.status_code"], 200);
    assert_eq!(search["parentId"], request["id"]);
}

#[test]
fn the_stream_ends_with_the_server() {
    let _alone = alone();
    let mut server = enabled();
    let mut stream = open_soon(&server, &json!({}));
    assert_eq!(stream.head.status, 200);
    server.begin_stop();
    while stream.line().is_some() {}
}

#[test]
fn a_stream_ends_with_the_key_that_opened_it() {
    let _alone = alone();
    let server = TestServer::start(Setup {
        master_key: Some("a-master-key-of-the-tests"),
        ..Setup::default()
    });
    server.call_json("PATCH /experimental-features", json!({"logsRoute": true}));
    let wanted = json!({"actions": ["metrics.get"], "indexes": ["*"], "expiresAt": null});
    let key = server.call_json("POST /keys", wanted).json();
    let mut connection = server
        .request("POST /logs/stream")
        .with_key(key["key"].as_str().unwrap())
        .header("Content-Type", "application/json")
        .header("Content-Length", "2")
        .open();
    connection.get_mut().write_all(b"{}").expect("the body is sent");
    let (status, headers) = Answer::read_head(&mut connection).expect("an answer");
    assert_eq!(status, 200);
    let mut stream = Stream { connection, head: Answer { status, headers, body: Vec::new() } };
    let uid = key["uid"].as_str().unwrap();
    server.call(&format!("DELETE /keys/{uid}")).is_empty(204);
    while stream.line().is_some() {}
    // And the next reader finds the place free.
    assert_eq!(open_soon(&server, &json!({})).head.status, 200);
}
