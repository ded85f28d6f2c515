//! Tests snapshots of the queue, and new queues made from them.

use std::sync::Arc;

use model::ServiceError;
use tasks::{QueueError, Restorer, StoredBatch, Task};

use crate::support::*;

fn tasks_of(snapshot: &tasks::QueueSnapshot) -> Vec<Task> {
    let mut tasks = Vec::new();
    let read: Result<(), ServiceError> = snapshot.for_each_task(|task| {
        tasks.push(task.clone());
        Ok(())
    });
    read.unwrap();
    tasks
}

fn batches_of(snapshot: &tasks::QueueSnapshot) -> Vec<StoredBatch> {
    let mut batches = Vec::new();
    let read: Result<(), ServiceError> = snapshot.for_each_batch(|batch| {
        batches.push(batch.clone());
        Ok(())
    });
    read.unwrap();
    batches
}

fn payloads_of(snapshot: &tasks::QueueSnapshot) -> Vec<(u32, Vec<u8>)> {
    let mut payloads = Vec::new();
    let read: Result<(), ServiceError> = snapshot.for_each_payload(|uid, bytes| {
        payloads.push((uid, bytes.to_vec()));
        Ok(())
    });
    read.unwrap();
    payloads
}

#[test]
fn snapshot_stays_readable_while_the_queue_runs() {
    let harness = Harness::new();
    harness.enqueue(creation("books"));
    harness.step_all();
    let (small, large) = (vec![b'a'; 10], vec![b'b'; 100_000]);
    let first = harness.add_documents("books", 1, &small);
    let second = harness.add_documents("books", 1, &large);
    let (snapshot, looked) = harness.queue.freeze(|| Ok("looked")).unwrap();
    assert_eq!(looked, "looked");
    // Both run and their bodies go.
    harness.step_all();
    assert_eq!(harness.payload_files(), 0);
    assert_eq!(payloads_of(&snapshot), [(first, small), (second, large)]);
    let statuses: Vec<_> = tasks_of(&snapshot).iter().map(|task| task.status.name()).collect();
    assert_eq!(statuses, ["succeeded", "enqueued", "enqueued"]);
    assert_eq!((snapshot.number_of_tasks().unwrap(), batches_of(&snapshot).len()), (3, 1));
}

#[test]
fn a_batch_that_an_index_had_applied_has_ended() {
    let harness = Harness::new();
    let uid = harness.add_documents("books", 1, b"{}");
    let (mut snapshot, ()) = harness.queue.freeze(|| Ok(())).unwrap();
    harness.step_all();
    let receipt = harness.runner.receipt.lock().unwrap().clone();
    snapshot.settle(&receipt).unwrap();
    snapshot.settle(&receipt).unwrap();
    assert_eq!(tasks_of(&snapshot)[0].status.name(), "succeeded");
    assert!(payloads_of(&snapshot).is_empty());
    let batches = batches_of(&snapshot);
    assert_eq!(batches.len(), 1);
    assert!(batches[0].tasks.contains(uid));
}

#[test]
fn a_queue_made_from_another_goes_on_where_that_was() {
    let harness = Harness::new();
    harness.enqueue(creation("books"));
    harness.step_all();
    let waiting = harness.add_documents("books", 1, b"a body");
    let (snapshot, ()) = harness.queue.freeze(|| Ok(())).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let database = Arc::new(redb::Database::create(folder.path().join("meta.redb")).unwrap());
    let payloads = folder.path().join("payloads");
    let mut restorer = Restorer::open(Arc::clone(&database), &payloads).unwrap();
    let lost = tasks_of(&snapshot).into_iter().find(|task| task.uid == waiting).unwrap();
    assert!(!restorer.task(lost).unwrap(), "a waiting task without its body cannot run");
    for (uid, body) in payloads_of(&snapshot) {
        let taken: Result<(), QueueError> = restorer.payload(uid, |into| {
            std::io::Write::write_all(into, &body).expect("memory takes it");
            Ok(())
        });
        taken.unwrap();
    }
    for task in tasks_of(&snapshot) {
        // Through the JSON form used in dumps.
        let json = serde_json::to_string(&task).unwrap();
        assert!(restorer.task(serde_json::from_str(&json).unwrap()).unwrap());
    }
    for batch in batches_of(&snapshot) {
        let json = serde_json::to_string(&batch).unwrap();
        restorer.batch(serde_json::from_str(&json).unwrap()).unwrap();
    }
    restorer.finish().unwrap();

    let queue = tasks::Queue::open(database, payloads, tasks::Options::default()).unwrap();
    let (task, body) = queue.payload_of(waiting, None).unwrap();
    assert_eq!((task.uid, &*body), (waiting, &b"a body"[..]));
    assert_eq!(queue.batch(0, None).unwrap().uid, 0);
    let (again, ()) = queue.freeze(|| Ok(())).unwrap();
    assert_eq!(batches_of(&again), batches_of(&snapshot));
    assert_eq!(tasks_of(&again)[0], tasks_of(&snapshot)[0]);
    let next = queue.enqueue(tasks::NewTask::new(creation("next"))).unwrap();
    assert_eq!(next.uid, waiting + 1);
}
