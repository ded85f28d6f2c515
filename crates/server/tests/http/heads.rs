//! Heads of requests and answers: the host, their size, and what answers say about themselves.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use super::harness::{Answer, TestServer};
use super::keys::guarded;

fn raw(server: &TestServer, text: &str) -> Answer {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    Answer::read(&mut BufReader::new(stream)).expect("an answer")
}

#[test]
fn a_request_names_its_host_once() {
    let server = TestServer::shared();
    for (head, status) in [
        ("GET /health HTTP/1.1\r\n", 400),
        ("GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400),
        ("GET /health HTTP/1.1\r\nHost: a\r\nhost: b\r\n", 400),
        ("GET /health HTTP/1.1\r\nHost: a\r\n", 200),
        ("GET /health HTTP/1.0\r\n", 200),
        ("GET /health HTTP/1.0\r\nHost: a\r\nHost: b\r\n", 400),
    ] {
        let answer = raw(&server, &format!("{head}Connection: close\r\n\r\n"));
        assert_eq!(answer.status, status, "{head}");
        if status == 400 {
            assert_eq!(answer.json()["code"], "bad_request");
        }
    }
}

#[test]
fn a_head_ends_at_128_kib() {
    let server = TestServer::shared();
    let sized = |bytes: usize| {
        server.request("GET /health").header("X-Long", &"x".repeat(bytes)).send().status
    };
    assert_eq!(sized(127 * 1024), 200);
    assert_eq!(sized(129 * 1024), 431);
    assert_eq!(sized(150 * 1024), 431);
}

#[test]
fn answers_say_what_they_are_and_whether_they_are_kept() {
    let server = guarded();
    let header = |line: &str, name: &str| server.call(line).header(name).map(str::to_owned);
    for line in ["GET /health", "GET /keys", "GET /tasks", "GET /nope", "PUT /health", "GET /"] {
        let told = header(line, "x-content-type-options");
        assert_eq!(told.as_deref(), Some("nosniff"), "{line}");
    }
    for line in
        ["GET /keys", "GET /tasks", "GET /batches", "GET /webhooks", "GET /indexes/a/settings"]
    {
        assert_eq!(header(line, "cache-control").as_deref(), Some("no-store"), "{line}");
    }
    let refused = server.request("GET /keys").without_key().send();
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    assert_eq!(header("GET /", "cache-control").as_deref(), Some("no-cache"));
    assert_eq!(header("GET /indexes/a/search", "cache-control"), None);
}
