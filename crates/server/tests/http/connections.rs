//! Limits of connections: their number, and the time and size of what they send.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use server::{Bounds, Tls};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::harness::{Answer, Setup, TestServer};

/// Long enough for a client that behaves as expected.
const SHORT: Duration = Duration::from_secs(2);
const LIMIT: Duration = Duration::from_secs(30);

fn server(bounds: Bounds) -> TestServer {
    TestServer::start(Setup { bounds, ..Setup::default() })
}

fn connect(server: &TestServer) -> TcpStream {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream
}

/// A connection with a request whose body never ends.
fn busy(server: &TestServer) -> BufReader<TcpStream> {
    let request = server.request("POST /indexes/busy/documents");
    let mut stream =
        request.header("Content-Type", "application/json").header("Content-Length", "100").open();
    stream.get_mut().write_all(b"[{").unwrap();
    stream
}

/// Waits until the server has closed the connection; what it said before.
fn rest(stream: &mut impl Read) -> String {
    let mut text = Vec::new();
    // A connection that is reset is closed as well.
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn status_of(stream: TcpStream) -> u16 {
    Answer::read(&mut BufReader::new(stream)).expect("an answer").status
}

#[test]
fn unfinished_request_heads_time_out() {
    let server = server(Bounds { head: SHORT, ..Bounds::default() });
    let begun = Instant::now();
    for start in ["", "GET /health HT", "GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: "] {
        let mut stream = connect(&server);
        stream.write_all(start.as_bytes()).unwrap();
        rest(&mut stream);
    }
    assert!(begun.elapsed() < LIMIT);
    assert_eq!(server.call("GET /health").status, 200);
}

#[test]
fn heads_are_bounded() {
    let server = TestServer::shared();
    let answer_to = |target: &str, headers: &str| {
        let mut stream = connect(&server);
        let head = format!("GET {target} HTTP/1.1\r\nHost: a\r\n{headers}\r\n");
        // The server may answer and close before it has seen the end.
        let _ = stream.write_all(head.as_bytes());
        status_of(stream)
    };
    let query = |length: usize| format!("/health?{}", "q".repeat(length));
    assert_eq!(answer_to(&query(60_000), ""), 200);
    assert_eq!(answer_to(&query(70_000), ""), 414);
    assert_eq!(answer_to("/health", &"A: b\r\n".repeat(90)), 200);
    assert_eq!(answer_to("/health", &"A: b\r\n".repeat(110)), 431);
    assert_eq!(answer_to("/health", &format!("A: {}\r\n", "b".repeat(100_000))), 200);
    assert_eq!(answer_to("/health", &format!("A: {}\r\n", "b".repeat(200_000))), 431);
}

#[test]
fn one_connection_too_many_is_told_to_come_back() {
    let server = server(Bounds { connections: 2, ..Bounds::default() });
    let busy = [busy(&server), busy(&server)];
    // Until both were taken in.
    let begun = Instant::now();
    let refused = loop {
        let answer = server.call("GET /health");
        if answer.status == 503 {
            break answer;
        }
        assert!(begun.elapsed() < LIMIT, "nobody is refused");
    };
    refused.is_empty(503);
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert_eq!(refused.header("connection"), Some("close"));
    drop(busy);
    let begun = Instant::now();
    while server.call("GET /health").status != 200 {
        assert!(begun.elapsed() < LIMIT, "places are not given back");
    }
}

#[test]
fn quiet_connections_give_way_and_busy_ones_do_not() {
    let bounds =
        Bounds { connections: 3, quiet: SHORT, slow_start: 3 * LIMIT, ..Bounds::default() };
    let server = server(bounds);
    let mut busy = busy(&server);
    // One that was answered and is kept alive, and one that never asked.
    let mut idle = server.request("GET /health").open();
    assert_eq!(Answer::read(&mut idle).unwrap().status, 200);
    let mut silent = connect(&server);
    std::thread::sleep(SHORT);
    let begun = Instant::now();
    // The first may come before the others count as quiet.
    while server.call("GET /health").status != 200 {
        assert!(begun.elapsed() < LIMIT, "nobody gives way");
    }
    assert_eq!(rest(&mut idle), "");
    assert_eq!(rest(&mut silent), "");
    let rest_of_body = format!("\"id\":1}}]{}", " ".repeat(90));
    busy.get_mut().write_all(rest_of_body.as_bytes()).unwrap();
    let answer = Answer::read(&mut busy).unwrap();
    assert_eq!(answer.status, 202, "{}", answer.text());
}

#[test]
fn half_open_handshakes_are_let_go_and_do_not_hold_others_up() {
    let bounds = Bounds { handshake: SHORT, ..Bounds::default() };
    let setup = Setup { bounds, tls: Some(self_signed()), ..Setup::default() };
    let server = TestServer::start(setup);
    let mut half_open: Vec<TcpStream> = (0..20).map(|_| connect(&server)).collect();
    for (number, stream) in half_open.iter_mut().enumerate() {
        // The first bytes of a hello, or none at all.
        stream.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00][..number % 6]).unwrap();
    }
    let begun = Instant::now();
    for mut stream in half_open {
        rest(&mut stream);
    }
    // Well before the default.
    assert!(begun.elapsed() < SHORT * 4);
    // Whoever speaks in clear is not answered.
    let mut clear = connect(&server);
    clear.write_all(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert!(!rest(&mut clear).starts_with("HTTP"));
}

fn self_signed() -> Tls {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    Tls::new(config)
}
