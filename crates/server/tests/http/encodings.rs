use std::io::Read as _;

use async_compression::tokio::bufread as codec;
use serde_json::json;
use server::Bounds;
use tokio::io::AsyncReadExt;

use crate::harness::{Answer, Setup, TestServer};

fn now<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn pack(coding: &str, plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    now(async {
        match coding {
            "gzip" => codec::GzipEncoder::new(plain).read_to_end(&mut packed).await,
            "deflate" => codec::ZlibEncoder::new(plain).read_to_end(&mut packed).await,
            "br" => codec::BrotliEncoder::new(plain).read_to_end(&mut packed).await,
            _ => codec::ZstdEncoder::new(plain).read_to_end(&mut packed).await,
        }
    })
    .unwrap();
    packed
}

fn unpack(coding: &str, packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    now(async {
        match coding {
            "gzip" => codec::GzipDecoder::new(packed).read_to_end(&mut plain).await,
            "deflate" => codec::ZlibDecoder::new(packed).read_to_end(&mut plain).await,
            "br" => codec::BrotliDecoder::new(packed).read_to_end(&mut plain).await,
            _ => codec::ZstdDecoder::new(packed).read_to_end(&mut plain).await,
        }
    })
    .unwrap();
    plain
}

#[test]
fn uploads_are_read_in_every_coding() {
    let server = TestServer::shared();
    for (place, coding) in ["gzip", "deflate", "br", "zstd"].into_iter().enumerate() {
        let documents = json!([{"id": place, "coding": coding}]).to_string();
        let task = server
            .request("POST /indexes/packed/documents")
            .header("Content-Encoding", coding)
            .body("application/json", pack(coding, documents.as_bytes()))
            .send()
            .task(&server);
        assert_eq!(task["details"]["indexedDocuments"], 1, "{coding}: {task}");
        server
            .request("POST /indexes/packed/documents/fetch")
            .header("Content-Encoding", coding)
            .body("application/json", pack(coding, json!({"ids": [place]}).to_string().as_bytes()))
            .send()
            .is(
                200,
                json!({"results": [{"id": place, "coding": coding}], "offset": 0, "limit": 20, "total": 1}),
            );
    }
}

#[test]
fn a_cut_or_false_coding_is_told() {
    let server = TestServer::shared();
    let plain = json!([{"id": 1, "text": "rope ".repeat(50)}]).to_string();
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let mut cut = pack(coding, plain.as_bytes());
        cut.truncate(cut.len() - 5);
        server
            .request("POST /indexes/cut/documents")
            .header("Content-Encoding", coding)
            .body("application/json", cut.clone())
            .send()
            .is_error(
                400,
                "bad_request",
                "The provided payload is incomplete and cannot be parsed",
            );
        server
            .request("POST /indexes")
            .header("Content-Encoding", coding)
            .body("application/json", cut)
            .send()
            .is_error_like(400, "bad_request", "Error that occur during reading payload: ");
    }
    for coding in ["gzip", "deflate", "br"] {
        server
            .request("POST /indexes/cut/documents")
            .header("Content-Encoding", coding)
            .body("application/json", plain.clone())
            .send()
            .is_error(
                400,
                "bad_request",
                "The provided payload is incomplete and cannot be parsed",
            );
    }
    assert_eq!(server.call("GET /indexes/cut").status, 404);
}

#[test]
fn other_codings_mean_the_body_as_it_is() {
    let server = TestServer::shared();
    server.with_documents("plain", json!([{"id": 1}]));
    for coding in ["identity", "", "banana", "gzip, br", "zstd"] {
        let answer = server
            .request("POST /indexes/plain/documents/fetch")
            .header("Content-Encoding", coding)
            .json(&json!({}))
            .send();
        assert_eq!(answer.json()["total"], 1, "{coding}");
    }
}

#[test]
fn a_bomb_is_stopped_at_the_limit() {
    let server = TestServer::start(Setup {
        bounds: Bounds { payload_size: 10_000, ..Bounds::default() },
        ..Setup::default()
    });
    let spaces = vec![b' '; 50_000_000];
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let bomb = pack(coding, &spaces);
        assert!(bomb.len() < 100_000);
        for line in ["POST /indexes/bomb/documents", "POST /indexes"] {
            server
                .request(line)
                .header("Content-Encoding", coding)
                .body("application/json", bomb.clone())
                .send()
                .is_error(
                    413,
                    "payload_too_large",
                    "The provided payload reached the size limit. The maximum accepted payload size is 10 KB.",
                );
        }
    }
}

fn accepting(server: &TestServer, line: &str, accept: &str) -> Answer {
    server.request(line).header("Accept-Encoding", accept).send()
}

#[test]
fn answers_are_compressed_when_asked_and_worth_it() {
    let server = TestServer::shared();
    let plain = server.call("GET /docs/errors");
    assert_eq!(plain.header("content-encoding"), None);
    for (accept, coding) in [
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("br", "br"),
        ("zstd", "zstd"),
        ("gzip, deflate, br", "br"),
        ("gzip;q=1.0, br;q=0.1", "gzip"),
        ("identity;q=0, gzip", "gzip"),
    ] {
        let packed = accepting(&server, "GET /docs/errors", accept);
        assert_eq!(packed.header("content-encoding"), Some(coding), "{accept}");
        assert!(packed.body.len() < plain.body.len() / 2);
        assert_eq!(unpack(coding, &packed.body), plain.body, "{accept}");
    }
    for accept in ["identity", "*", "", "banana", "gzip;q=0"] {
        let same = accepting(&server, "GET /docs/errors", accept);
        assert_eq!(same.header("content-encoding"), None, "{accept}");
        assert_eq!(same.body, plain.body);
    }
}

#[test]
fn small_answers_stay_as_they_are_unless_that_is_refused() {
    let server = TestServer::shared();
    for accept in ["gzip", "br", "deflate", "zstd", "gzip, deflate, br"] {
        accepting(&server, "GET /health", accept).is(200, json!({"status": "available"}));
    }
    let strict = accepting(&server, "GET /health", "identity;q=0, gzip");
    assert_eq!(unpack("gzip", &strict.body), br#"{"status":"available"}"#);
}

#[test]
fn a_client_that_accepts_nothing_is_told_what_there_is() {
    let server = TestServer::shared();
    for accept in ["identity;q=0", "*;q=0", "banana, *;q=0", "banana;q=1, identity;q=0"] {
        let answer = accepting(&server, "GET /health", accept);
        assert_eq!((answer.status, answer.text().as_str()), (406, "br, gzip, deflate"), "{accept}");
        assert!(answer.header("content-type").unwrap().starts_with("text/plain"));
    }
}

#[test]
fn a_long_upload_in_chunks_arrives_whole() {
    let server = TestServer::shared();
    let mut ndjson = String::new();
    for id in 0..20_000 {
        ndjson.push_str(&format!("{{\"id\":{id},\"text\":\"{}\"}}\n", "salt and rope ".repeat(8)));
    }
    assert!(ndjson.len() > 2_000_000);
    let task = server
        .request("PUT /indexes/long/documents")
        .header("Content-Encoding", "gzip")
        .body("application/x-ndjson", pack("gzip", ndjson.as_bytes()))
        .send_chunked(1000)
        .task(&server);
    assert_eq!(task["details"]["indexedDocuments"], 20_000, "{task}");
    let last = server.call("GET /indexes/long/documents/19999?fields=id");
    last.is(200, json!({"id": 19_999}));
}

#[test]
fn a_refused_upload_is_answered_even_while_it_is_sent() {
    let server = TestServer::start(Setup {
        bounds: Bounds { payload_size: 1_000_000, ..Bounds::default() },
        ..Setup::default()
    });
    let much = vec![b' '; 20_000_000];
    let message =
        "The provided payload reached the size limit. The maximum accepted payload size is 1 MB.";
    for line in ["POST /indexes/x/documents", "POST /indexes"] {
        let sent = server.request(line).body("application/json", much.clone()).send();
        sent.is_error(413, "payload_too_large", message);
        let chunked = server.request(line).body("application/json", much.clone());
        chunked.send_chunked(100_000).is_error(413, "payload_too_large", message);
    }
    // Refused for another reason, before the body was looked at.
    let other = server.request("POST /indexes/x/documents").body("text/plain", much).send();
    assert_eq!(other.status, 415);
}

#[test]
fn a_connection_serves_many_requests() {
    use std::io::Write as _;
    let server = TestServer::shared();
    let mut stream = server.request("GET /health").open();
    for _ in 0..3 {
        let answer = Answer::read(&mut stream).unwrap();
        answer.is(200, json!({"status": "available"}));
        // A body where none is expected does not disturb what follows.
        let again = "GET /health HTTP/1.1\r\nHost: sonde.test\r\nContent-Length: 3\r\n\r\nxyz";
        stream.get_mut().write_all(again.as_bytes()).unwrap();
    }
    let last = Answer::read(&mut stream).unwrap();
    last.is(200, json!({"status": "available"}));
    let mut rest = [0; 1];
    stream.get_ref().set_nonblocking(true).unwrap();
    assert!(stream.read(&mut rest).is_err(), "nothing more is sent");
}
