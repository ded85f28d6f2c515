//! What the process says about itself, seen from outside: traces that a collector receives, and
//! lines on stderr.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http;
use crate::support::process::{Server, run};

const END_LIMIT: Duration = Duration::from_secs(60);
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// A collector that remembers the bodies it was sent. Its thread ends with the process.
fn collector() -> (String, Arc<Mutex<Vec<Vec<u8>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&bodies);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            while reader.read_line(&mut head).unwrap_or(0) > 2 {
                let line = head.lines().last().unwrap().to_ascii_lowercase();
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
            assert!(head.to_ascii_lowercase().contains("content-type: application/x-protobuf"));
            received.lock().unwrap().push(body);
            let mut stream = stream;
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    (url, bodies)
}

/// A field of a message of Protocol Buffers.
#[derive(Debug)]
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for place in 0.. {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => {
                let (number, rest) = bytes.split_at(8);
                bytes = rest;
                Field::Number(u64::from_le_bytes(number.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (text, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(text)
            }
            kind => panic!("a field of kind {kind}"),
        };
        fields.push((key >> 3, field));
    }
    fields
}

fn inner<'a>(message: &'a [u8], number: u64) -> Vec<&'a [u8]> {
    let of_number = |(found, field): (u64, Field<'a>)| match field {
        Field::Bytes(bytes) if found == number => Some(bytes),
        _ => None,
    };
    fields(message).into_iter().filter_map(of_number).collect()
}

fn number(message: &[u8], wanted: u64) -> Option<u64> {
    fields(message).into_iter().find_map(|(found, field)| match field {
        Field::Number(number) if found == wanted => Some(number),
        _ => None,
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Debug)]
struct Span {
    trace: String,
    id: String,
    parent: Option<String>,
    name: String,
    kind: Option<u64>,
    nanoseconds: u64,
    attributes: Vec<String>,
}

fn spans(body: &[u8]) -> Vec<Span> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let resource_spans = inner(body, 1);
    let service = inner(inner(resource_spans[0], 1)[0], 1)[0];
    assert_eq!(text(inner(service, 1)[0]), "service.name");
    assert_eq!(text(inner(inner(service, 2)[0], 1)[0]), "sonde");
    let scope_spans = inner(resource_spans[0], 2);
    let read = |span: &&[u8]| Span {
        trace: hexadecimal(inner(span, 1)[0]),
        id: hexadecimal(inner(span, 2)[0]),
        parent: inner(span, 4).first().map(|id| hexadecimal(id)),
        name: text(inner(span, 5)[0]),
        kind: number(span, 6),
        nanoseconds: number(span, 8).unwrap().checked_sub(number(span, 7).unwrap()).unwrap(),
        attributes: inner(span, 9).iter().map(|pair| text(inner(pair, 1)[0])).collect(),
    };
    inner(scope_spans[0], 2).iter().map(read).collect()
}

#[test]
fn requests_searches_and_batches_are_traced() {
    let folder = tempfile::tempdir().unwrap();
    let (url, bodies) = collector();
    let mut server = Server::spawn(folder.path(), &["--experimental-otlp-endpoint", &url]);
    let address = server.address().unwrap();
    let documents = json!([{"id": 1, "title": "a"}]);
    let task = http::send_json(address, "POST", "/indexes/books/documents", &documents).unwrap();
    let task = task.json()["taskUid"].as_u64().unwrap();
    while http::get(address, &format!("/tasks/{task}")).unwrap().json()["finishedAt"].is_null() {}
    let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
    let headers = [("traceparent".to_owned(), parent)];
    let found = http::send(address, "GET", "/indexes/books/search?q=hidden", &headers, None);
    assert_eq!(found.unwrap().status, 200);
    server.signal("TERM");
    server.wait(END_LIMIT).expect("the server ends");

    let bodies = bodies.lock().unwrap();
    let spans: Vec<Span> = bodies.iter().flat_map(|body| spans(body)).collect();
    let named = |name: &str| {
        let found = spans.iter().find(|span| span.name == name);
        found.unwrap_or_else(|| panic!("no {name} in {spans:#?}"))
    };
    let request = named("GET /indexes/{uid}/search");
    assert_eq!(
        (request.trace.as_str(), request.parent.as_deref()),
        (TRACE, Some("b7ad6b7169203331"))
    );
    assert_eq!(request.kind, Some(2));
    assert!(request.attributes.iter().any(|name| name == "http.response.status_code"));
    let search = named("search");
    assert_eq!((search.trace.as_str(), search.parent.as_ref()), (TRACE, Some(&request.id)));
    assert!(search.nanoseconds <= request.nanoseconds);
    let batch = named("batch");
    assert_eq!((batch.parent.as_ref(), batch.kind), (None, Some(1)));
    assert_ne!(batch.trace, TRACE);
    assert!(batch.attributes.iter().any(|name| name == "index"));
    // What people search for is nobody's business.
    assert!(!bodies.iter().any(|body| body.windows(6).any(|part| part == b"hidden")));
}

#[test]
fn an_unreachable_collector_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    // Bound and dropped: nobody listens.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let mut server = Server::spawn(folder.path(), &["--experimental-otlp-endpoint", &url]);
    let address = server.address().unwrap();
    assert_eq!(http::get(address, "/health").unwrap().status, 200);
    server.signal("TERM");
    assert_eq!(server.wait(END_LIMIT).expect("the server ends").code(), Some(143));
    assert!(
        server.printed().contains("the collector of traces took nothing"),
        "{}",
        server.printed()
    );
}

#[test]
fn invalid_collectors_and_webhooks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, code) in [
        (["--experimental-otlp-endpoint", "nowhere"], 2),
        (["--experimental-otlp-endpoint", "ftp://c.example"], 1),
        (["--task-webhook-url", "nowhere"], 2),
        (["--task-webhook-authorization-header", "alone"], 2),
    ] {
        let ended = run(folder.path(), &arguments);
        assert_eq!(ended.status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn lines_for_machines_are_json() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--experimental-logs-mode", "json", "--log-level", "debug"];
    let mut server = Server::spawn(folder.path(), &arguments);
    let address = server.address().unwrap();
    http::get(address, "/health?key=hidden").unwrap();
    server.signal("TERM");
    server.wait(END_LIMIT).expect("the server ends");
    let printed = server.printed();
    let lines: Vec<Value> = printed
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answered = lines.iter().find(|line| line["fields"]["path"] == "/health");
    assert_eq!(answered.unwrap_or_else(|| panic!("{printed}"))["level"], "INFO");
    assert!(!printed.contains("hidden"), "{printed}");
}
