//! Two hundred clients that stay connected and ask at the same time: all of them are answered, and
//! rightly.

use std::fs;
use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use serde_json::{Value, json};
use testkit::{LIMIT, wait_until};

use super::client::{enqueued, found, send};
use crate::support::heavy_turn;
use crate::support::http::{self, Answer};
use crate::support::process::Server;
use crate::support::tasks::ended_task;

const CLIENTS: u64 = 200;
const ROUNDS: u64 = 10;
const DOCUMENTS: u64 = 600;
/// One client of so many writes; the others search.
const WRITERS: u64 = 10;

/// A connection that is kept for one request after the other.
struct KeepAlive {
    server: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl KeepAlive {
    fn open(server: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(server)?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_nodelay(true)?;
        Ok(Self { server, stream: BufReader::new(stream) })
    }

    fn send(&mut self, method: &str, path: &str, body: &Value) -> std::io::Result<Answer> {
        let body = body.to_string();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.server,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        http::read_answer(&mut self.stream)
    }
}

#[test]
fn two_hundred_connections_are_served_at_once() {
    let _turn = heavy_turn();
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::spawn(folder.path(), &[] as &[&str]);
    let address = server.address().unwrap();
    let settings = json!({
        "filterableAttributes": ["shelf"], "searchableAttributes": ["title"],
        // Two hundred ask at once, and the machine may be slow.
        "searchCutoffMs": 600_000,
    });
    ended_task(address, enqueued(&send(address, "PATCH", "/indexes/books/settings", &settings)));
    let documents: Vec<Value> = (0..DOCUMENTS)
        .map(|id| json!({"id": id, "title": format!("book of {}", id % 7), "shelf": id % 5}))
        .collect();
    let path = "/indexes/books/documents";
    ended_task(address, enqueued(&send(address, "POST", path, &json!(documents))));
    let before = open_files(server.id());

    let (answered, written) = (AtomicU64::new(0), AtomicU64::new(0));
    let all_are_open = Barrier::new(CLIENTS as usize);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (answered, written, all_are_open) = (&answered, &written, &all_are_open);
            scope.spawn(move || {
                let mut connection = KeepAlive::open(address).expect("a connection");
                // A connection is there for the server once it has asked something.
                let health = connection.send("GET", "/health", &json!({})).expect("an answer");
                assert_eq!(health.status, 200);
                all_are_open.wait();
                for round in 0..ROUNDS {
                    if client % WRITERS == 0 {
                        let document = json!([{"id": client * 100 + round, "title": "new"}]);
                        let path = "/indexes/written/documents?primaryKey=id";
                        let answer = connection.send("POST", path, &document).expect("an answer");
                        assert_eq!(answer.status, 202, "{}", answer.json());
                        written.fetch_add(1, Ordering::Relaxed);
                    } else {
                        check_search(&mut connection, client + round);
                    }
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(answered.into_inner(), CLIENTS * ROUNDS);
    let waiting = "/tasks?statuses=enqueued,processing&limit=1";
    wait_until("all is written", || {
        http::get(address, waiting).unwrap().json()["total"] == json!(0)
    });
    assert_eq!(found(address, "written"), written.into_inner());
    wait_until("descriptors are given back", || open_files(server.id()) <= before + 8);
    let printed = server.printed();
    assert!(!printed.contains("panicked"), "{printed}");
    eprintln!("{CLIENTS} connections, {} answers", CLIENTS * ROUNDS);
}

fn check_search(connection: &mut KeepAlive, number: u64) {
    let (word, shelf) = (number % 7, number % 5);
    let body =
        json!({"q": format!("{word} "), "filter": format!("shelf = {shelf}"), "hitsPerPage": 1});
    let answer = connection.send("POST", "/indexes/books/search", &body).expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.json());
    let expected = (0..DOCUMENTS).filter(|id| id % 7 == word && id % 5 == shelf).count();
    assert_eq!(answer.json()["totalHits"], json!(expected), "{body}");
}

fn open_files(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}
