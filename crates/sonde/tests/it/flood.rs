//! More clients than a server can serve, some of them slow on purpose: it answers or refuses, and
//! is itself again as soon as they are gone.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::thread;

use serde_json::json;
use testkit::wait_until;

use crate::support::heavy_turn;
use crate::support::http;
use crate::support::process::Server;

const CLIENTS: usize = 500;
const SEARCHES: usize = 3;
const CONNECTIONS: usize = 200;

/// Connections that send a part of a request and then nothing.
fn slow_clients(server: SocketAddr, count: usize) -> Vec<TcpStream> {
    const BEGINNINGS: [&str; 4] = [
        "",
        "GET /indexes/books/sea",
        "POST /indexes/books/search HTTP/1.1\r\nHost: a\r\nX-Slow: ",
        "POST /indexes/books/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{\"q\"",
    ];
    let open = |number: usize| {
        let mut stream = TcpStream::connect(server).ok()?;
        stream.write_all(BEGINNINGS[number % BEGINNINGS.len()].as_bytes()).ok()?;
        Some(stream)
    };
    (0..count).filter_map(open).collect()
}

/// Number of answers by status; 0 stands for no answer.
fn flood(server: SocketAddr) -> BTreeMap<u16, usize> {
    let seen: Mutex<BTreeMap<u16, usize>> = Mutex::default();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let seen = &seen;
            scope.spawn(move || {
                for search in 0..SEARCHES {
                    let body = json!({
                        "q": format!("word{} sal", (client + search) % 97),
                        "filter": "pages > 3 OR genre = calm",
                        "facets": ["genre"],
                    });
                    let answer = http::send_json(server, "POST", "/indexes/books/search", &body);
                    let status = answer.map_or(0, |answer| answer.status);
                    *seen.lock().unwrap().entry(status).or_default() += 1;
                }
            });
        }
    });
    seen.into_inner().unwrap()
}

fn open_files(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}

fn is_healthy(server: SocketAddr) -> bool {
    http::get(server, "/health").is_ok_and(|answer| answer.status == 200)
}

fn with_books(server: SocketAddr) {
    let settings = json!({"filterableAttributes": ["pages", "genre"]});
    http::send_json(server, "PATCH", "/indexes/books/settings", &settings).unwrap();
    let documents: Vec<_> = (0..2000)
        .map(|id| {
            let genre = ["sea", "calm", "owls"][id % 3];
            let title = format!("word{} salt and copper", id % 97);
            json!({"id": id, "title": title, "pages": id % 50, "genre": genre})
        })
        .collect();
    let answer = http::send_json(server, "POST", "/indexes/books/documents", &json!(documents));
    let task = answer.unwrap().json()["taskUid"].as_u64().unwrap();
    wait_until("the documents are there", || {
        let task = http::get(server, &format!("/tasks/{task}")).unwrap().json();
        task["status"] == "succeeded"
    });
}

#[test]
fn a_flood_is_answered_or_refused_and_leaves_nothing_behind() {
    let _turn = heavy_turn();
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--http-max-connections",
        &CONNECTIONS.to_string(),
        "--experimental-search-queue-size",
        "20",
    ];
    let mut server = Server::spawn(folder.path(), &options);
    let address = server.address().unwrap();
    with_books(address);
    assert!(is_healthy(address));
    let before = open_files(server.id());

    let slow = slow_clients(address, CONNECTIONS / 2);
    let seen = flood(address);
    let answered = seen.get(&200).copied().unwrap_or_default();
    let refused = seen.get(&503).copied().unwrap_or_default();
    let cut = seen.get(&0).copied().unwrap_or_default();
    assert!(answered > 0, "nobody is answered: {seen:?}");
    assert_eq!(answered + refused + cut, CLIENTS * SEARCHES, "{seen:?}");
    // Refused clients get an answer, unless their connection breaks.
    assert!(cut < CLIENTS * SEARCHES / 20, "{seen:?}");
    drop(slow);

    // Now they alone take every place, and give them up.
    let slow = slow_clients(address, CONNECTIONS * 2);
    wait_until("slow clients do not give way", || is_healthy(address));
    drop(slow);

    wait_until("descriptors are lost", || open_files(server.id()) <= before + 2);
    let body = json!({"q": "word7 copper", "filter": "genre = sea"});
    let answer = http::send_json(address, "POST", "/indexes/books/search", &body).unwrap();
    assert_eq!(answer.status, 200);
    assert!(answer.json()["estimatedTotalHits"].as_u64().unwrap() > 0);
    let printed = server.printed();
    assert!(!printed.contains("panicked"), "{printed}");
    eprintln!("answered {answered}, refused {refused}, cut {cut}");
}
