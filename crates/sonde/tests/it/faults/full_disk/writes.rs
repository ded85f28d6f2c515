//! A disk that fills up while one write follows another: a batch fails, then writes are refused,
//! then there is room again and what was taken is done.

use std::net::SocketAddr;
use std::ops::Range;

use serde_json::{Value, json};
use testkit::Random;

use super::{MIB, NO_ROOM, mounted, stop_and_verify};
use crate::faults::client;
use crate::support::http;
use crate::support::tasks::ended_task;

const DISK: u64 = 160 * MIB;
/// The queue takes a large import, and the index finds no room for it.
const ROOM_FOR_NO_BATCH: u64 = 90 * MIB;
/// The queue itself soon takes nothing more.
const ROOM_FOR_FEW_WRITES: u64 = 48 * MIB;
const NO_ARGUMENTS: &[&str] = &[];

struct SentDocuments {
    uid: u64,
    first: u64,
    count: u64,
}

#[test]
fn a_full_disk_is_told_and_passes() {
    let Some(disk) = mounted(DISK) else {
        return;
    };
    let mut random = Random(17);
    let mut server = disk.start(NO_ARGUMENTS);
    let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    let mut sent = vec![send(address, &mut random, 0, 100).unwrap()];
    assert_eq!(ended_task(address, sent[0].uid)["status"], "succeeded");

    // A batch meets the end of the disk: its task fails, and what it had written is gone.
    disk.leave(ROOM_FOR_NO_BATCH);
    let large = send(address, &mut random, 10_000, 6000).unwrap();
    let told = ended_task(address, large.uid);
    assert_eq!(
        (&told["status"], &told["error"]["code"]),
        (&json!("failed"), &json!(NO_ROOM)),
        "{told}"
    );
    assert!(!has_document(address, 10_000) && has_document(address, 1));
    sent.push(large);
    sent.push(send(address, &mut random, 500, 10).unwrap());
    assert_eq!(ended_task(address, sent[2].uid)["status"], "succeeded");

    // Batches are no longer taken.
    disk.leave(ROOM_FOR_FEW_WRITES);
    let mut refused = 0;
    for round in 20..60 {
        match send(address, &mut random, round * 1000, 600) {
            Ok(task) => sent.push(task),
            Err(error) => {
                assert_eq!(error["code"], NO_ROOM, "{error}");
                refused += 1;
            }
        }
        assert_eq!(http::get(address, "/health").unwrap().status, 200);
        assert!(has_document(address, 1), "reading goes on");
        if refused > 3 {
            break;
        }
    }
    disk.leave(0);
    let error = send(address, &mut random, 90_000, 1).map(|_| ()).unwrap_err();
    assert_eq!(error["code"], NO_ROOM);
    assert!(refused > 0, "the disk never was full");

    // There is room again: what waits is done, and new things are taken.
    disk.clear();
    let failed = sent.iter().filter(|task| !check_outcome(address, task)).count();
    eprintln!("{} acknowledged, {failed} of them failed, {refused} refused", sent.len());
    assert_eq!(http::send(address, "DELETE", "/indexes/books", &[], None).unwrap().status, 202);
    let after = send(address, &mut random, 0, 10).unwrap();
    assert_eq!(ended_task(address, after.uid)["status"], "succeeded");

    stop_and_verify(server, &disk);
    let mut server = disk.start(NO_ARGUMENTS);
    let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    assert!(has_document(address, 9) && !has_document(address, 50));
    stop_and_verify(server, &disk);
}

/// A task has all of its documents written, or none and the reason. Returns which of the two.
fn check_outcome(server: SocketAddr, task: &SentDocuments) -> bool {
    let told = ended_task(server, task.uid);
    let (first, last) = (task.first, task.first + task.count - 1);
    let is_done = told["status"] == "succeeded";
    if is_done {
        assert!(has_document(server, first) && has_document(server, last), "{told}");
    } else {
        assert_eq!(told["error"]["code"], NO_ROOM, "{told}");
        assert!(!has_document(server, first) && !has_document(server, last), "{told}");
    }
    is_done
}

/// Sends documents; gives the error where they are refused.
fn send(
    server: SocketAddr,
    random: &mut Random,
    first: u64,
    count: u64,
) -> Result<SentDocuments, Value> {
    let body = documents(random, first..first + count);
    let answer = client::send(server, "POST", "/indexes/books/documents", &body);
    if answer.status == 422 {
        return Err(answer.json());
    }
    Ok(SentDocuments { uid: client::enqueued(&answer), first, count })
}

/// Documents that do not get smaller on disk, and all of whose words are searched.
fn documents(random: &mut Random, ids: Range<u64>) -> Value {
    ids.map(|id| {
        let text: Vec<String> = (0..400).map(|_| format!("{:x}", random.below(u64::MAX))).collect();
        json!({"id": id, "text": text.join(" ")})
    })
    .collect()
}

fn has_document(server: SocketAddr, id: u64) -> bool {
    let path = format!("/indexes/books/documents/{id}?fields=id");
    http::get(server, &path).unwrap().status == 200
}
