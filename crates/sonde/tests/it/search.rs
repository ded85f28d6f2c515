//! Searching the real program: found through both methods, with the options of the queue given,
//! and found again after a restart.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http;
use crate::support::process::Server;
use crate::support::tasks::succeeded;

fn titles(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap()).collect()
}

#[test]
fn added_documents_are_found_before_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "--experimental-search-queue-size=7",
        "--experimental-drop-search-after=5",
        "--experimental-nb-searches-per-core=2",
    ];
    let mut server = Server::spawn(folder.path(), &arguments);
    let address = server.address().unwrap();
    let documents = json!([
        {"id": 1, "title": "The Lantern Keeper"},
        {"id": 2, "title": "Lanterns over the Harbour"},
        {"id": 3, "title": "Salt and Silver"},
    ]);
    let path = "/indexes/books/documents";
    let enqueued = http::send_json(address, "POST", path, &documents).unwrap().json();
    succeeded(address, &enqueued);

    let check = |address: SocketAddr| {
        let path = "/indexes/books/search";
        let body = json!({"q": "lantern"});
        let posted = http::send_json(address, "POST", path, &body).unwrap().json();
        assert_eq!(titles(&posted), ["Lanterns over the Harbour", "The Lantern Keeper"]);
        let got = http::get(address, &format!("{path}?q=silver")).unwrap().json();
        assert_eq!(titles(&got), ["Salt and Silver"]);
    };
    check(address);
    server.signal("TERM");
    server.wait(Duration::from_secs(60)).expect("the server ends");

    let mut server = Server::spawn(folder.path(), &[] as &[&str]);
    check(server.address().unwrap());
}
