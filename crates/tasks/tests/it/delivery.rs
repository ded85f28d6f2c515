//! Tests tasks shared between instances: delivered until each has taken them, taken once however
//! often they come, and topology changes at one position among them.

use std::io::Write;

use model::{Code, ServiceError};
use serde_json::{Value, json};
use tasks::*;
use testkit::wait_for;
use uuid::Uuid;

use crate::support::*;

const VERSION: Uuid = Uuid::from_u128(7);

fn to(remotes: &[&str]) -> Option<TaskNetwork> {
    Some(TaskNetwork::with_remotes(VERSION, remotes.iter().map(|&remote| remote.to_owned())))
}

fn from(task_uid: TaskUid, network_version: Uuid) -> Option<TaskNetwork> {
    Some(TaskNetwork::Origin(Origin { remote: "lead".to_owned(), task_uid, network_version }))
}

/// Enqueues an addition with these recipients.
fn share(harness: &Harness, remotes: &[&str], body: &[u8]) -> TaskUid {
    let task = addition(&harness.queue, "books", 1, body).with_network(to(remotes));
    harness.queue.enqueue(task).unwrap().uid
}

fn next(harness: &Harness, remote: &str) -> Option<(TaskUid, Vec<u8>)> {
    let delivery = harness.queue.next_delivery(remote).unwrap()?;
    Some((delivery.task.uid, delivery.payload.map(|bytes| bytes.to_vec()).unwrap_or_default()))
}

fn taken(uid: TaskUid) -> RemoteTask {
    RemoteTask { task_uid: Some(uid), error: None }
}

fn remote_tasks(harness: &Harness, uid: TaskUid) -> Value {
    let Some(TaskNetwork::Remotes { remote_tasks, .. }) = harness.task(uid).network else {
        panic!("a task that is handed on")
    };
    json!(remote_tasks)
}

#[test]
fn pending_deliveries_outlive_their_task_and_restarts() {
    let harness = Harness::new();
    let large = vec![b'x'; 100_000];
    let first = share(&harness, &["a", "b"], b"[1]");
    let second = share(&harness, &["a"], &large);
    harness.step_all();
    // Even the history of the task may go.
    harness.queue.delete(&uids(&[first]), "?uids=0", None).unwrap();
    harness.step_all();
    assert!(harness.queue.task(first, None).is_err());

    let harness = harness.reopened();
    assert_eq!(harness.queue.recipients(), [("a".to_owned(), 2), ("b".to_owned(), 1)]);
    assert_eq!(next(&harness, "a"), Some((first, b"[1]".to_vec())));
    harness.queue.delivered("a", first, taken(40)).unwrap();
    assert_eq!(next(&harness, "a"), Some((second, large)));
    assert_eq!(next(&harness, "b"), Some((first, b"[1]".to_vec())));
    assert_eq!(next(&harness, "c"), None);
    assert_eq!(harness.payload_files(), 1);
    harness.queue.delivered("a", second, taken(41)).unwrap();
    assert_eq!(harness.payload_files(), 0);

    let harness = harness.killed();
    assert_eq!(next(&harness, "a"), None);
    assert_eq!(next(&harness, "b"), Some((first, b"[1]".to_vec())));
    harness.queue.delivered("b", first, taken(3)).unwrap();
    assert!(harness.queue.recipients().is_empty());
    assert_eq!(remote_tasks(&harness, second), json!({ "a": { "taskUid": 41 } }));
    let stored = harness.queue.stored_bytes();
    assert_eq!(harness.reopened().queue.stored_bytes(), stored);
}

#[test]
fn a_body_stays_for_its_own_task_when_others_were_faster() {
    let harness = Harness::new();
    let large = vec![b'x'; 100_000];
    let uid = share(&harness, &["a"], &large);
    harness.queue.delivered("a", uid, taken(1)).unwrap();
    assert_eq!(harness.payload_files(), 1);
    assert_eq!(&*harness.queue.payload_of(uid, None).unwrap().1, &large[..]);
    harness.step_all();
    assert_eq!(harness.payload_files(), 0);
}

#[test]
fn delivery_during_the_run_is_shown_in_the_task() {
    let harness = Harness::new();
    let uid = share(&harness, &["a", "b"], b"[]");
    let queue = harness.queue.clone();
    harness.runner.on_run(move |_, _, _| {
        queue.delivered("a", uid, taken(5)).map_err(RunError::Failed)?;
        let error = ServiceError::new(Code::RemoteTimeout, "slow");
        queue.delivery_failed("b", uid, error).map_err(RunError::Failed)
    });
    harness.step_all();
    assert_eq!(harness.task(uid).status, Status::Succeeded);
    let shown = remote_tasks(&harness, uid);
    assert_eq!(shown["a"], json!({ "taskUid": 5 }));
    assert_eq!(shown["b"]["error"]["code"], "remote_timeout");
    assert_eq!(next(&harness, "b").unwrap().0, uid, "it is tried again");
}

#[test]
fn forgotten_recipients_have_no_deliveries() {
    let harness = Harness::new();
    let uid = share(&harness, &["a", "b"], &vec![b'x'; 100_000]);
    harness.step_all();
    harness.queue.forget_recipient("a").unwrap();
    assert_eq!(next(&harness, "a"), None);
    assert_eq!(remote_tasks(&harness, uid)["a"]["error"]["code"], "remote_could_not_send_request");
    assert_eq!(harness.payload_files(), 1);
    harness.queue.forget_recipient("b").unwrap();
    assert_eq!(harness.payload_files(), 0);
}

#[test]
fn a_task_that_comes_again_is_taken_once() {
    let harness = Harness::new();
    let take = |harness: &Harness, uid, version| {
        let large = vec![b'x'; 100_000];
        let task = addition(&harness.queue, "books", 1, &large).with_network(from(uid, version));
        harness.queue.enqueue(task).unwrap().uid
    };
    harness.enqueue(creation("teas"));
    assert_eq!(take(&harness, 12, VERSION), 1);
    assert_eq!(take(&harness, 12, VERSION), 1);
    assert_eq!(take(&harness, 14, VERSION), 2);
    assert_eq!(harness.payload_files(), 2, "the body that came again is gone");
    let harness = harness.killed();
    assert_eq!(take(&harness, 14, VERSION), 2);
    // Another version begins anew: the sender may have been set up again.
    assert_eq!(take(&harness, 3, Uuid::from_u128(8)), 3);
    assert_eq!(take(&harness, 3, Uuid::from_u128(8)), 3);
    assert_eq!(harness.statuses().len(), 4);
    let origin = harness.task(3).network;
    assert_eq!(origin, from(3, Uuid::from_u128(8)));
}

#[test]
fn shared_tasks_are_not_canceled() {
    let harness = Harness::new();
    let shared = share(&harness, &["a"], b"[]");
    let own = harness.add("teas");
    let canceler = harness.queue.cancel(&uids(&[shared, own]), "?uids=0,1", None).unwrap();
    harness.step_all();
    assert_eq!(harness.task(shared).status, Status::Succeeded);
    assert_eq!(harness.task(own).status, Status::Canceled);
    let details = harness.task(canceler.uid).details.to_json().unwrap();
    assert_eq!(details["matchedTasks"], 1);
}

#[test]
fn topology_change_runs_between_older_and_younger_writes() {
    let harness = Harness::new();
    let older = [harness.add("books"), harness.add("books"), harness.add("teas")];
    let change = harness.enqueue(Content::NetworkTopologyChange { change: json!({ "key": "k" }) });
    let younger = [harness.add("books"), harness.add("plants")];
    // It goes before the others of its lane and must not keep those from going before the change.
    let compaction = harness.enqueue(Content::IndexCompaction { index_uid: "books".to_owned() });
    harness.step_all();
    let order: Vec<TaskUid> =
        harness.runner.log().into_iter().flat_map(|(_, _, tasks)| tasks).collect();
    assert_eq!(order[0], compaction);
    assert_eq!(order[1..4], older);
    assert_eq!(order[4], change);
    assert_eq!(order[5..], younger);
    let Content::NetworkTopologyChange { change } = harness.task(change).content else { panic!() };
    assert_eq!(change, Value::Null, "it holds keys");
}

#[test]
fn topology_change_waits_for_lanes_and_blocks_younger_writes() {
    let harness = Harness::new();
    let older: Vec<TaskUid> = (0..4).map(|n| harness.add(&format!("index{n}"))).collect();
    let change = harness.enqueue(Content::NetworkTopologyChange { change: Value::Null });
    let younger: Vec<TaskUid> = (0..4).map(|n| harness.add(&format!("index{n}"))).collect();
    harness.scheduler.start(3).unwrap();
    wait_for(|| match harness.task(younger[3]).finished_at {
        Some(_) => Ok(()),
        None => Err(format!("{:?}", harness.statuses())),
    });
    harness.scheduler.shutdown();
    let order: Vec<TaskUid> =
        harness.runner.log().into_iter().flat_map(|(_, _, tasks)| tasks).collect();
    let place = |uid: TaskUid| order.iter().position(|&ran| ran == uid).unwrap();
    assert!(older.iter().all(|&uid| place(uid) < place(change)), "{order:?}");
    assert!(younger.iter().all(|&uid| place(uid) > place(change)), "{order:?}");
}

#[test]
fn stashed_entries_are_read_back() {
    let harness = Harness::new();
    let put = |harness: &Harness, key: &str, value: u64, body: &[u8]| {
        let mut writer = harness.queue.payloads().writer();
        writer.write_all(body).unwrap();
        let payload = writer.finish().unwrap().seal().unwrap();
        harness.queue.stash(key, json!(value), Some(payload)).unwrap();
    };
    put(&harness, "in/b", 1, &vec![b'x'; 100_000]);
    put(&harness, "in/a", 2, b"small");
    put(&harness, "in/b", 3, &vec![b'y'; 100_000]);
    harness.queue.stash("out", json!(null), None).unwrap();
    assert_eq!(harness.payload_files(), 1, "what was replaced is gone");

    let harness = harness.reopened();
    let found = harness.queue.stashed("in/").unwrap();
    let bodies: Vec<_> = found
        .iter()
        .map(|found| {
            let body = harness.queue.payloads().open_payload(&found.payload.unwrap()).unwrap();
            (found.key.as_str(), found.value.clone(), body[0])
        })
        .collect();
    assert_eq!(bodies, [("in/a", json!(2), b's'), ("in/b", json!(3), b'y')]);
    let stored = harness.queue.stored_bytes();
    let harness = harness.reopened();
    assert_eq!(harness.queue.stored_bytes(), stored);
    harness.queue.unstash("in/").unwrap();
    assert!(harness.queue.stashed("in/").unwrap().is_empty());
    assert_eq!(harness.queue.stashed("").unwrap().len(), 1);
    assert_eq!(harness.payload_files(), 0);
}
