//! A disk that gets full in the middle of imports, again and again, and a kill while it is full.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{Random, wait_until};

use super::small_disk::SmallDisk;
use super::{MIB, NO_ROOM, mounted, stop_and_verify};
use crate::faults::client::{enqueued, found, send, task};
use crate::support::heavy_turn;
use crate::support::http;
use crate::support::tasks::{ended_task, has_ended};

const DISK: u64 = 192 * MIB;
/// Enough for the queue to take an import, not enough to keep what it brings.
const ROOM_FOR_ONE: u64 = 48 * MIB;
const IMPORTED: u64 = 1500;
const BLOB_BYTES: u64 = 6000;
/// An import may be done before the disk is full.
const ATTEMPTS: u64 = 12;
const WANTED_FAILURES: u64 = 2;
const BASE: u64 = 200;

#[test]
fn a_full_disk_fails_tasks_and_loses_nothing() {
    let _turn = heavy_turn();
    let Some(disk) = mounted(DISK) else {
        return;
    };
    let mut server = disk.start(&["--max-indexing-threads=2"]);
    let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    let mut expected = prepare(address);
    let free_at_first = disk.free_bytes();

    let mut random = Random(7);
    let (mut failed, mut imported) = (0, 0);
    for attempt in 1..=ATTEMPTS {
        disk.leave(ROOM_FOR_ONE);
        let body = blobs(&mut random, attempt);
        let uid = enqueued(&send(address, "POST", "/indexes/books/documents", &body));
        disk.leave(0);
        let ended = ended_on_a_full_disk(&disk, address, uid);
        match ended["status"].as_str() {
            Some("succeeded") => {
                expected += IMPORTED;
                imported += 1;
                // Room for the next one.
                let path = "/indexes/books/documents/delete";
                disk.leave(ROOM_FOR_ONE);
                let filter = json!({"filter": format!("import = {attempt}")});
                let deleted = ended_task(address, enqueued(&send(address, "POST", path, &filter)));
                assert_eq!(deleted["status"], "succeeded", "{deleted}");
                expected -= IMPORTED;
            }
            _ => {
                assert_eq!(ended["error"]["code"], NO_ROOM, "{ended}");
                assert_eq!(ended["error"]["type"], "system", "{ended}");
                failed += 1;
            }
        }
        assert_eq!(found(address, "books"), expected, "after attempt {attempt}");
        if failed == WANTED_FAILURES {
            break;
        }
    }
    assert!(failed > 0, "no import met the end of the disk");
    let refused = check_service_on_a_full_disk(&disk, address, expected);

    disk.clear();
    wait_until("room comes back", || disk.free_bytes() + 24 * MIB > free_at_first);
    let body = json!([{"id": 900_000, "title": "after", "import": 0}]);
    let written =
        ended_task(address, enqueued(&send(address, "POST", "/indexes/books/documents", &body)));
    assert_eq!(written["status"], "succeeded", "{written}");
    expected += 1;

    // An import that was taken, then a full disk, then a kill: it is done after the restart.
    disk.leave(ROOM_FOR_ONE);
    let body = blobs(&mut random, ATTEMPTS + 1);
    let uid = enqueued(&send(address, "POST", "/indexes/books/documents", &body));
    disk.leave(0);
    let before = task(address, uid);
    server.kill();
    disk.clear();
    let mut server = disk.start(&["--max-indexing-threads=2"]);
    let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    let ended = ended_task(address, uid);
    match (before["status"].as_str(), ended["status"].as_str()) {
        // Before the kill, be it after the look at it: what is done again has another beginning.
        (_, Some("failed")) => {
            assert_eq!(ended["error"]["code"], NO_ROOM, "{ended}");
            let begun = &before["startedAt"];
            assert!(begun.is_null() || *begun == ended["startedAt"], "{before} became {ended}");
        }
        (_, Some("succeeded")) => expected += IMPORTED,
        _ => panic!("{before} became {ended}"),
    }
    assert_eq!(found(address, "books"), expected, "after the restart");
    stop_and_verify(server, &disk);
    eprintln!("imports failed {failed}, done {imported}, small writes refused {refused}");
}

/// Documents that are there from the beginning. Returns how many.
fn prepare(address: SocketAddr) -> u64 {
    let settings = json!({"searchableAttributes": ["title"], "filterableAttributes": ["import"]});
    let uid = enqueued(&send(address, "PATCH", "/indexes/books/settings", &settings));
    assert_eq!(ended_task(address, uid)["status"], "succeeded");
    let base: Vec<Value> =
        (0..BASE).map(|id| json!({"id": id, "title": format!("book {id}"), "import": 0})).collect();
    let uid = enqueued(&send(address, "POST", "/indexes/books/documents", &json!(base)));
    assert_eq!(ended_task(address, uid)["status"], "succeeded");
    BASE
}

/// Documents that no compression makes small.
fn blobs(random: &mut Random, import: u64) -> Value {
    let blob = |random: &mut Random| -> String {
        (0..BLOB_BYTES / 16).map(|_| format!("{:016x}", random.draw())).collect()
    };
    (0..IMPORTED)
        .map(|number| {
            let id = import * 10_000 + number;
            json!({"id": id, "title": format!("blob {id}"), "import": import, "blob": blob(random)})
        })
        .collect()
}

/// Where even the outcome of a task finds no room, it is written as soon as there is some; until
/// then searches are answered all the same.
fn ended_on_a_full_disk(disk: &SmallDisk, address: SocketAddr, uid: u64) -> Value {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        let now = task(address, uid);
        if has_ended(&now) {
            return now;
        }
        assert!(found(address, "books") >= BASE);
    }
    disk.leave(8 * MIB);
    ended_task(address, uid)
}

/// Returns the number of writes that were refused.
fn check_service_on_a_full_disk(disk: &SmallDisk, address: SocketAddr, expected: u64) -> u64 {
    disk.leave(8 * MIB);
    let mut refused = 0;
    for number in 0..5 {
        let body = json!([{"id": 800_000 + number, "title": "small", "import": 0}]);
        let answer = send(address, "POST", "/indexes/books/documents", &body);
        assert_eq!(answer.status, 422, "{}", answer.json());
        assert_eq!(answer.json()["code"], NO_ROOM);
        refused += 1;
        assert_eq!(http::get(address, "/health").expect("an answer").status, 200);
        assert_eq!(found(address, "books"), expected);
        assert_eq!(
            http::get(address, "/indexes/books/documents/7").unwrap().json()["title"],
            "book 7"
        );
    }
    // What makes room is taken.
    let uid = enqueued(&http::send(address, "DELETE", "/indexes/nowhere", &[], None).unwrap());
    assert_eq!(ended_task(address, uid)["error"]["code"], "index_not_found");
    refused
}
