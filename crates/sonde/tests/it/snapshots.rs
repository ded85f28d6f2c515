//! Snapshots of the real program: taken, killed while they are taken, started from.
//!
//! SNAPSHOT_KILLS and SNAPSHOT_SEED make longer runs and other ones.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Random, wait_until};

use crate::support::http;
use crate::support::process::{Server, run};
use crate::support::tasks::ended_task;

const KILLS: u64 = 20;
const SEED: u64 = 4;
/// A snapshot of these documents takes about as long.
const LONGEST_WAIT_MS: u64 = 60;
const NONE: [&str; 0] = [];

fn wait_for(address: SocketAddr, answer: &http::Answer) -> Value {
    ended_task(address, answer.json()["taskUid"].as_u64().expect("a task"))
}

fn post(address: SocketAddr, path: &str) -> http::Answer {
    http::send(address, "POST", path, &[], None).unwrap()
}

/// One batch of documents that all say which it is.
fn batch(number: u64) -> Value {
    let text: String = (0..40).map(|word| format!("word{word} ")).collect();
    (0..300).map(|id| json!({"id": id, "batch": number, "text": text})).collect()
}

fn write(address: SocketAddr, number: u64) {
    let path = "/indexes/books/documents";
    let answer = http::send_json(address, "POST", path, &batch(number)).unwrap();
    assert_eq!(wait_for(address, &answer)["status"], "succeeded");
}

/// Starts from the snapshot in a folder of its own and gives the batch that its documents are of.
fn restored_batch(snapshot: &Path) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let mut server =
        Server::spawn(folder.path(), &["--import-snapshot", snapshot.to_str().unwrap()]);
    let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    let page = http::get(address, "/indexes/books/documents?limit=1000").unwrap().json();
    let documents = page["results"].as_array().unwrap();
    assert_eq!(documents.len(), 300);
    let batch = documents[0]["batch"].as_u64().unwrap();
    assert!(documents.iter().all(|document| document["batch"] == batch), "two batches in one");
    batch
}

#[test]
fn a_kill_in_the_middle_leaves_the_old_snapshot_or_the_new_one() {
    let number_from = |variable: &str, otherwise| {
        std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let kills: u64 = number_from("SNAPSHOT_KILLS", KILLS);
    let mut random = Random(number_from("SNAPSHOT_SEED", SEED));
    let folder = tempfile::tempdir().unwrap();
    let snapshot = folder.path().join("snapshots/data.snapshot");
    let mut server = Server::spawn(folder.path(), &NONE);
    let address = server.address().unwrap();
    write(address, 0);
    assert_eq!(wait_for(address, &post(address, "/snapshots"))["status"], "succeeded");
    server.kill();

    let (mut in_snapshot, mut cut_short) = (0, 0);
    for number in 1..=kills {
        let mut server = Server::spawn(folder.path(), &NONE);
        let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
        // What the last kill cut short is done again at the start, or not, if it was done.
        write(address, number);
        let before = fs::read(&snapshot).unwrap();
        post(address, "/snapshots");
        sleep(Duration::from_millis(random.below(LONGEST_WAIT_MS)));
        server.kill();
        if fs::read(&snapshot).unwrap() == before {
            cut_short += 1;
        }
        let found = restored_batch(&snapshot);
        assert!((in_snapshot..=number).contains(&found), "{found} after {in_snapshot}");
        in_snapshot = found;
    }
    eprintln!("{kills} kills, {cut_short} of them before the snapshot was done");
    assert!(cut_short > 0, "no kill came in time");

    let mut server = Server::spawn(folder.path(), &NONE);
    let address = server.address().unwrap();
    assert_eq!(wait_for(address, &post(address, "/snapshots"))["status"], "succeeded");
    assert_eq!(restored_batch(&snapshot), kills);
    let left: Vec<_> = fs::read_dir(folder.path().join("snapshots")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn starts_are_refused_with_1_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = ["--db-path", "data", "--http-addr", "127.0.0.1:0"];
    let refused = |words: &[&str]| {
        let ended = run(folder.path(), &[&at, words].concat());
        assert_eq!(ended.status.code(), Some(1));
        String::from_utf8(ended.stderr).unwrap()
    };
    let missing = refused(&["--import-snapshot", "absent.snapshot"]);
    assert!(missing.contains("absent.snapshot") && missing.contains("--ignore-missing-snapshot"));
    fs::write(folder.path().join("bad.snapshot"), "not one").unwrap();
    let bad = refused(&["--import-snapshot", "bad.snapshot"]);
    assert!(bad.contains("bad.snapshot") && bad.contains("damaged"), "{bad}");
    assert!(!folder.path().join("data").exists());

    let words = ["--import-snapshot", "absent.snapshot", "--ignore-missing-snapshot"];
    let mut server = Server::spawn(folder.path(), &words);
    let address = server.address().unwrap();
    write(address, 7);
    server.kill();
    let full = refused(&["--import-snapshot", "bad.snapshot"]);
    assert!(full.contains("--ignore-snapshot-if-db-exists"), "{full}");
    let words = ["--import-snapshot", "bad.snapshot", "--ignore-snapshot-if-db-exists"];
    let mut server = Server::spawn(folder.path(), &words);
    let address = server.address().unwrap();
    assert_eq!(http::get(address, "/indexes/books").unwrap().status, 200);
}

#[test]
fn a_schedule_and_a_folder_are_given_at_launch() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--schedule-snapshot", "1", "--snapshot-dir", "kept/here"];
    let mut server = Server::spawn(folder.path(), &words);
    let address = server.address().unwrap();
    let snapshot = folder.path().join("kept/here/data.snapshot");
    wait_until("the snapshot is there", || snapshot.exists());
    let tasks = http::get(address, "/tasks?types=snapshotCreation").unwrap().json();
    assert!(tasks["total"].as_u64() >= Some(1), "{tasks}");
}

#[test]
fn object_storage_needs_all_of_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let four = ["--s3-bucket-url=http://localhost:1", "--s3-bucket-region=r", "--s3-bucket-name=b"];
    let prefix = "--s3-snapshot-prefix=";
    let keys = ["--s3-access-key=k", "--s3-secret-key=s"];
    let role = ["--experimental-s3-role-arn=r", "--experimental-s3-web-identity-token-file=f"];
    let incomplete: [Vec<&str>; 6] = [
        four.to_vec(),
        [&four[..], &[prefix]].concat(),
        [&four[..], &[prefix], &keys[..1]].concat(),
        [&four[..2], &[prefix], &keys].concat(),
        [&four[..], &[prefix], &keys, &role].concat(),
        [&four[..], &[prefix], &keys, &["--experimental-s3-multipart-part-size=1MiB"]].concat(),
    ];
    for words in incomplete {
        let ended = run(folder.path(), &words);
        assert_eq!(ended.status.code(), Some(2), "{words:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let words = [&four[..], &[prefix], &keys].concat();
    let mut server = Server::spawn(folder.path(), &words);
    let address = server.address().unwrap();
    // The address may not be called unless it is allowed.
    let task = wait_for(address, &post(address, "/snapshots"));
    assert_eq!(task["error"]["code"], "invalid_s_3_snapshot_parameters", "{task}");
    assert_eq!(task["error"]["type"], "internal");
}
