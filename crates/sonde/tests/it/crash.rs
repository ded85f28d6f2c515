//! Kills the server with SIGKILL again and again while several clients write, always on the
//! same data folder, and checks that what was acknowledged is there and was applied exactly once.
//!
//! CRASH_KILLS and CRASH_SEED make longer runs and other ones.

mod oplog;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use oplog::model::{Model, as_sent, id_of};
use oplog::operation::{DIMENSIONS, EMBEDDER, Operation, SWAPPED};
use oplog::{OperationLog, SentOperation};
use serde_json::{Value, json};
use testkit::{Random, wait_for};

use crate::support::heavy_turn;
use crate::support::http;
use crate::support::process::{Server, run};

const KILLS: u64 = 100;
const SEED: u64 = 20_311;
const WRITERS: u64 = 3;
/// Between two requests of a writer, so that the server has a chance to keep up.
const LONGEST_PAUSE_MS: u64 = 30;
/// As many as there are indexes: batches of several must be under way when the end comes.
const OPTIONS: [&str; 1] = ["--max-indexing-threads=3"];
/// A round ends within this many milliseconds of the server's first answer…
const LONGEST_ROUND_MS: u64 = 300;
/// …or, one time in five, within so many of the start of the process.
const LONGEST_START_MS: u64 = 40;
/// After each of so many kills the files are read as they were left.
const VERIFIED_EVERY: u64 = 20;
const CHECKED_AFTER_RESTART: usize = 25;

#[test]
fn acknowledged_tasks_survive_sigkill_and_are_applied_once() {
    let _turn = heavy_turn();
    let kills = number_from("CRASH_KILLS", KILLS);
    let mut random = Random(number_from("CRASH_SEED", SEED));
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let oplog = OperationLog::default();
    let (mut killed, mut killed_while_starting) = (0, 0);
    let mut last_round = Vec::new();
    while killed < kills {
        let mut server = Server::spawn(folder.path(), &OPTIONS);
        if random.below(5) == 0 {
            sleep(Duration::from_millis(random.below(LONGEST_START_MS)));
            assert!(!server.has_ended(), "the server ended by itself: {}", server.printed());
            killed_while_starting += 1;
        } else {
            let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
            check_present(address, &last_round);
            let before = oplog.len();
            write_and_kill(&mut server, address, &oplog, &mut random);
            last_round = acknowledged(&oplog.since(before));
        }
        server.kill();
        killed += 1;
        if killed % VERIFIED_EVERY == 0 {
            check_whole(folder.path());
        }
    }

    let mut server = Server::spawn(folder.path(), &OPTIONS);
    let address = server.address().unwrap();
    let tasks = drained_tasks(address);
    let entries = oplog.since(0);
    let acknowledged = check_tasks(&tasks, &entries);
    let expected = expected(&tasks, &entries);
    let documents = check_documents(address, &expected);
    let vectors = check_vectors(address, &expected);
    server.signal("TERM");
    server.wait(Duration::from_secs(60)).expect("the server ends");
    check_whole(folder.path());
    eprintln!(
        "kills {killed} ({killed_while_starting} while starting), requests {}, acknowledged tasks \
         {acknowledged}, tasks in all {}, documents checked {documents}, vectors {vectors}",
        entries.len(),
        tasks.len()
    );
    assert!(acknowledged as u64 > kills, "hardly anything was written");
}

fn number_from(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Functions may edit documents, and two indexes have an embedder.
fn prepare(folder: &Path) {
    let mut server = Server::spawn(folder, &OPTIONS);
    let address = server.address().unwrap();
    let on = json!({"editDocumentsByFunction": true});
    let answer = http::send_json(address, "PATCH", "/experimental-features", &on).unwrap();
    assert_eq!(answer.status, 200);
    let embedder = json!({"source": "userProvided", "dimensions": DIMENSIONS});
    let settings = json!({"embedders": {EMBEDDER: embedder}});
    for index in SWAPPED {
        let path = format!("/indexes/{index}/settings");
        assert_eq!(http::send_json(address, "PATCH", &path, &settings).unwrap().status, 202);
    }
    server.kill();
}

/// A killed server may leave unfinished files, but never damaged ones.
fn check_whole(folder: &Path) {
    let verified = run(folder, &["verify", "--db-path", "data"]);
    let printed = [verified.stdout, verified.stderr].concat();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&printed));
}

/// Several clients write until the server is gone.
fn write_and_kill(
    server: &mut Server,
    address: SocketAddr,
    oplog: &OperationLog,
    random: &mut Random,
) {
    let over = AtomicBool::new(false);
    let length = Duration::from_millis(random.below(LONGEST_ROUND_MS));
    let seeds: Vec<u64> = (0..WRITERS).map(|_| random.draw()).collect();
    thread::scope(|scope| {
        for seed in seeds {
            let over = &over;
            scope.spawn(move || write(address, oplog, &mut Random(seed), over));
        }
        sleep(length);
        assert!(!server.has_ended(), "the server ended by itself: {}", server.printed());
        over.store(true, Ordering::Relaxed);
        server.kill();
    });
}

fn write(address: SocketAddr, oplog: &OperationLog, random: &mut Random, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let number = oplog.next_number();
        let operation = Operation::random(random, number);
        let task_uid = match operation.send(address, number) {
            Ok(answer) => {
                assert_eq!(answer.status, 202, "{operation:?}: {}", answer.json());
                answer.json()["taskUid"].as_u64()
            }
            // The answer was lost; whether the task exists is not known.
            Err(_) => None,
        };
        oplog.record(SentOperation { number, operation, task_uid });
        sleep(Duration::from_millis(random.below(LONGEST_PAUSE_MS)));
    }
}

fn acknowledged(entries: &[SentOperation]) -> Vec<SentOperation> {
    entries.iter().filter(|entry| entry.task_uid.is_some()).cloned().collect()
}

/// The tasks acknowledged last are known under their uids right after the restart.
fn check_present(address: SocketAddr, entries: &[SentOperation]) {
    for entry in entries.iter().rev().take(CHECKED_AFTER_RESTART) {
        let uid = entry.task_uid.expect("only acknowledged ones");
        let answer = http::get(address, &format!("/tasks/{uid}")).unwrap();
        assert_eq!(answer.status, 200, "task {uid} is lost: {entry:?}");
        if entry.operation.is_numbered() {
            assert_eq!(answer.json()["customMetadata"], json!(entry.number.to_string()));
        }
    }
}

/// Every task by its uid, once none waits any more.
fn drained_tasks(address: SocketAddr) -> BTreeMap<u64, Value> {
    wait_for(|| {
        let path = "/tasks?statuses=enqueued,processing&limit=1";
        let waiting = http::get(address, path).unwrap().json();
        if waiting["total"] == 0 { Ok(()) } else { Err(waiting) }
    });
    let mut tasks = BTreeMap::new();
    let mut path = "/tasks?limit=1000".to_owned();
    loop {
        let page = http::get(address, &path).unwrap().json();
        for task in page["results"].as_array().expect("a list of tasks") {
            let uid = task["uid"].as_u64().unwrap();
            assert!(tasks.insert(uid, task.clone()).is_none(), "task {uid} is listed twice");
        }
        match page["next"].as_u64() {
            Some(next) => path = format!("/tasks?limit=1000&from={next}"),
            None => return tasks,
        }
    }
}

/// Each acknowledged request has its task, no request has two, each task has ended as it should.
/// Returns the number of acknowledged ones.
fn check_tasks(tasks: &BTreeMap<u64, Value>, entries: &[SentOperation]) -> usize {
    let mut uid_of = BTreeMap::new();
    for (uid, task) in tasks {
        if let Some(number) = number_of(task) {
            let earlier = uid_of.insert(number, *uid);
            assert_eq!(
                earlier, None,
                "request {number} was enqueued twice, the second time as {uid}"
            );
        }
        match task["status"].as_str() {
            Some("succeeded") => {}
            // Nothing can be done to an index that was just deleted or never made.
            Some("failed") => assert_eq!(task["error"]["code"], "index_not_found", "{task}"),
            _ => panic!("a task did not end: {task}"),
        }
    }
    let acknowledged = acknowledged(entries);
    for entry in &acknowledged {
        let uid = entry.task_uid.unwrap();
        assert!(tasks.contains_key(&uid), "task {uid} is lost: {entry:?}");
        if entry.operation.is_numbered() {
            assert_eq!(uid_of.get(&entry.number), Some(&uid), "{entry:?}");
        }
    }
    acknowledged.len()
}

fn number_of(task: &Value) -> Option<u64> {
    task["customMetadata"].as_str().map(|number| number.parse().expect("metadata of ours"))
}

/// The model after every task that succeeded, unacknowledged ones that were enqueued included.
fn expected(tasks: &BTreeMap<u64, Value>, entries: &[SentOperation]) -> Model {
    let by_number: BTreeMap<u64, &Operation> =
        entries.iter().map(|entry| (entry.number, &entry.operation)).collect();
    let mut model = Model::default();
    for index in SWAPPED {
        model.indexes.insert(index.to_owned(), BTreeMap::new());
    }
    for task in tasks.values().filter(|task| task["status"] == "succeeded") {
        match (number_of(task), task["type"].as_str()) {
            (Some(number), _) => model.apply(by_number[&number]),
            (None, Some("indexDeletion")) => model.apply(&Operation::DeleteIndex),
            (None, Some("indexSwap")) => model.apply(&Operation::Swap),
            (None, Some("settingsUpdate")) => {}
            (None, _) => panic!("a task nobody asked for: {task}"),
        }
    }
    model
}

/// Returns the number of documents that were compared.
fn check_documents(address: SocketAddr, expected: &Model) -> usize {
    let listed = http::get(address, "/indexes?limit=100").unwrap().json();
    let mut found = Model::default();
    for index in listed["results"].as_array().unwrap() {
        let uid = index["uid"].as_str().unwrap();
        let path = format!("/indexes/{uid}/documents?limit=1000&retrieveVectors=true");
        let documents = http::get(address, &path).unwrap().json()["results"].take();
        let documents = documents.as_array().unwrap().iter().cloned().map(as_sent);
        let by_id = documents.map(|document| (id_of(&document), document)).collect();
        found.indexes.insert(uid.to_owned(), by_id);
    }
    for (uid, documents) in &expected.indexes {
        for (id, document) in documents {
            let got = found.indexes.get(uid).and_then(|documents| documents.get(id));
            assert_eq!(got, Some(document), "document {id} of {uid}");
        }
    }
    assert_eq!(&found, expected, "there are documents or indexes that should be gone");
    expected.indexes.values().map(BTreeMap::len).sum()
}

/// Each vector finds its document, and what it finds has that vector. Returns their number.
fn check_vectors(address: SocketAddr, expected: &Model) -> usize {
    let mut count = 0;
    for (uid, id, vector) in expected.vectors() {
        let query = json!({
            "vector": vector,
            "hybrid": {"embedder": EMBEDDER, "semanticRatio": 1.0},
            "showRankingScore": true,
        });
        let path = format!("/indexes/{uid}/search");
        let answer = http::send_json(address, "POST", &path, &query).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.json());
        let hits = answer.json()["hits"].as_array().unwrap().clone();
        let hit = hits.iter().find(|hit| id_of(hit) == id);
        let score = hit.and_then(|hit| hit["_rankingScore"].as_f64()).unwrap_or_default();
        assert!(score > 0.9999, "document {id} of {uid} is not found by its vector: {hits:?}");
        count += 1;
    }
    count
}
