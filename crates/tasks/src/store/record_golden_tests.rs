//! Golden records: a task of every type and a batch, as each version of the record format wrote them.
//! Every later build reads them, and writes the same bytes as long as the version is the same.
//!
//! `UPDATE_GOLDEN=1 cargo test -p tasks --lib golden` writes the file of this version.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use model::{Code, ServiceError};
use roaring::RoaringBitmap;
use serde_json::{Map, Value, json};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{BatchRecord, EnqueuedDates, read_batch, read_task, write_batch, write_task};
use crate::store::record_bytes::RECORD_VERSION;
use crate::task::Task;
use crate::task::batch::{BatchView, Stats};
use crate::task::content::Content;
use crate::task::details::Details;
use crate::task::network::{Origin, RemoteTask, TaskNetwork};
use crate::task::run_stats::RunStats;
use crate::task::task_type::{Status, TaskType};

fn file(version: u8) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/store/golden");
    folder.join(format!("records-{version}.txt"))
}

fn seconds(seconds: i64) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + Duration::seconds(seconds) + Duration::nanoseconds(7)
}

/// Lists the content of a task of every type, each member set at least once.
fn contents() -> Vec<Content> {
    let payload =
        json!({ "key": Uuid::from_u128(7), "bytes": 12, "checksum": 99, "place": "database" });
    let contents = json!([
        { "kind": "documentAdditionOrUpdate", "indexUid": "books", "primaryKey": "id",
          "method": "update", "format": "\"json\"", "payload": payload, "documents": 2,
          "mayCreateIndex": true, "skipCreation": false },
        { "kind": "documentDeletion", "indexUid": "books", "ids": ["1", "b"] },
        { "kind": "documentDeletionByFilter", "indexUid": "books", "filter": ["id = 1"] },
        { "kind": "documentClear", "indexUid": "books" },
        { "kind": "documentEdition", "indexUid": "books", "filter": "id = 1",
          "context": { "by": 2 }, "function": "doc.n += context.by" },
        { "kind": "settingsUpdate", "indexUid": "books", "settings": { "stopWords": ["the"] },
          "details": { "stopWords": ["the"] }, "mayCreateIndex": false },
        { "kind": "indexCreation", "indexUid": "books", "primaryKey": null },
        { "kind": "indexDeletion", "indexUid": "books" },
        { "kind": "indexUpdate", "indexUid": "books", "primaryKey": "id", "newUid": "novels" },
        { "kind": "indexSwap", "swaps": [{ "indexes": ["a", "b"], "rename": false }] },
        { "kind": "taskCancelation", "query": "?uids=1,2", "tasks": [[1, 2], [4, 4]] },
        { "kind": "taskDeletion", "query": "?statuses=failed", "tasks": [[0, 9]] },
        { "kind": "dumpCreation", "instanceUid": "an instance" },
        { "kind": "snapshotCreation" },
        { "kind": "export", "url": "http://localhost", "apiKey": "secret", "payloadSize": 1000,
          "indexes": { "*": { "overrideSettings": false } } },
        { "kind": "upgradeDatabase", "from": "1.0.0", "to": "1.1.0" },
        { "kind": "indexCompaction", "indexUid": "books" },
        { "kind": "networkTopologyChange", "change": { "self": "a" } },
        { "kind": "dsrUpdate", "ruleUid": "spring", "rule": { "priority": 1 } },
        { "kind": "dsrClear" },
    ]);
    serde_json::from_value(contents).expect("contents")
}

fn tasks() -> Vec<Task> {
    let mut tasks: Vec<Task> = (0_u32..)
        .zip(contents())
        .map(|(uid, content)| Task {
            uid,
            batch_uid: (uid % 2 == 0).then_some(uid / 2),
            status: if uid % 2 == 0 { Status::Succeeded } else { Status::Enqueued },
            details: Details::of(&content),
            content,
            error: None,
            canceled_by: None,
            enqueued_at: seconds(1_000 + i64::from(uid)),
            started_at: (uid % 2 == 0).then(|| seconds(2_000)),
            finished_at: (uid % 2 == 0).then(|| seconds(3_000)),
            custom_metadata: (uid % 3 == 0).then(|| "from a test".to_owned()),
            network: None,
        })
        .collect();
    tasks[1].status = Status::Canceled;
    tasks[1].canceled_by = Some(10);
    tasks[3].status = Status::Failed;
    tasks[3].error = Some(ServiceError::new(Code::IndexNotFound, "Index `books` not found."));
    let network_version = Uuid::from_u128(11);
    let remotes = BTreeMap::from([("b".to_owned(), RemoteTask { task_uid: Some(5), error: None })]);
    tasks[5].network = Some(TaskNetwork::Remotes { network_version, remote_tasks: remotes });
    let origin = Origin { remote: "a".to_owned(), task_uid: 6, network_version };
    tasks[7].network = Some(TaskNetwork::Origin(origin));
    tasks
}

fn batch() -> BatchRecord {
    let figures = |name: &str| Map::from_iter([(name.to_owned(), Value::from("1 MiB"))]);
    let run = RunStats { internal_database_sizes: figures("documents"), ..RunStats::default() };
    let stats = Stats {
        total_nb_tasks: 2,
        status: BTreeMap::from([(Status::Succeeded, 1), (Status::Failed, 1)]),
        types: BTreeMap::from([(TaskType::IndexDeletion, 2)]),
        index_uids: BTreeMap::from([("books".to_owned(), 2)]),
        progress_trace: figures("processing tasks"),
        run,
    };
    let view = BatchView {
        uid: 4,
        progress: None,
        details: figures("deletedDocuments"),
        stats,
        started_at: seconds(2_000),
        finished_at: Some(seconds(3_000)),
        strategy: "batched all enqueued tasks".to_owned(),
    };
    let dates = EnqueuedDates { earliest: seconds(1_000), latest: seconds(1_001) };
    let tasks = RoaringBitmap::from_iter([7, 8]);
    BatchRecord { view, tasks, dates, index_uids: vec!["books".to_owned()] }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("text grows");
        text
    })
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).expect("digits"));
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("a byte")).collect()
}

/// Returns the records of this build, a line each: the tasks in uid order, then the batch.
fn written() -> String {
    let tasks = tasks();
    let records = tasks.iter().map(|task| write_task(task).expect("a record"));
    let lines = records.chain([write_batch(&batch()).expect("a record")]);
    lines.map(|record| hex(&record) + "\n").collect()
}

#[test]
fn golden_records_are_read_as_the_tasks_that_were_written() {
    let all_types: Vec<_> = tasks().iter().map(Task::task_type).collect();
    assert!(TaskType::ALL.iter().all(|task_type| all_types.contains(task_type)));
    for version in 1..=RECORD_VERSION {
        let text = fs::read_to_string(file(version)).expect("golden records");
        let (tasks, batch) = (tasks(), batch());
        assert_eq!(text.lines().count(), tasks.len() + 1, "version {version}");
        for (line, task) in text.lines().zip(&tasks) {
            assert_eq!(read_task(task.uid, &from_hex(line)).expect("a task"), *task);
        }
        let line = text.lines().last().expect("a batch");
        assert_eq!(read_batch(batch.view.uid, &from_hex(line)).expect("a batch"), batch);
    }
}

#[test]
fn bytes_of_records_change_only_with_their_version() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() && !file(RECORD_VERSION).exists() {
        fs::create_dir_all(file(RECORD_VERSION).parent().expect("a folder")).expect("the folder");
        fs::write(file(RECORD_VERSION), written()).expect("the file");
    }
    let golden = fs::read_to_string(file(RECORD_VERSION)).expect("run with UPDATE_GOLDEN=1");
    for ((uid, written), golden) in written().lines().enumerate().zip(golden.lines()) {
        assert_eq!(written, golden, "record {uid}: raise RECORD_VERSION and run UPDATE_GOLDEN=1");
    }
}
