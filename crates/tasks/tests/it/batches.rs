//! Tests what joins a batch and what a batch shows: the recorded conversations 60 to 67, stepped,
//! and with threads while an export holds every index.

use std::time::Duration;

use serde_json::{Value, json};
use tasks::*;
use testkit::wait_for;

use crate::support::*;

fn batch_of(harness: &Harness, uid: TaskUid) -> BatchUid {
    harness.task(uid).batch_uid.unwrap()
}

fn details(harness: &Harness, batch: BatchUid) -> Value {
    json!(harness.queue.batch(batch, None).unwrap().details)
}

fn keyed(harness: &Harness, index_uid: &str, key: &str) -> TaskUid {
    let mut task = addition(&harness.queue, index_uid, 1, b"[]");
    if let Content::DocumentAdditionOrUpdate { primary_key, .. } = &mut task.content {
        *primary_key = Some(key.to_owned());
    }
    harness.queue.enqueue(task).unwrap().uid
}

#[test]
fn each_type_has_its_batch_object() {
    let harness = Harness::new();
    for content in [
        creation("books"),
        settings("books", json!({ "stopWords": ["the"], "synonyms": null })),
        deletion("books", &["2", "8"]),
        swap("books", "teas"),
        rename("teas", "shelf"),
        deletion_of_index("ghost"),
        Content::SnapshotCreation,
        Content::DumpCreation { instance_uid: None },
    ] {
        harness.enqueue(content);
        harness.step_all();
    }
    let expected = [
        json!({}),
        json!({ "stopWords": ["the"], "synonyms": null }),
        json!({ "providedIds": 2, "deletedDocuments": 0 }),
        json!({ "swaps": [{ "indexes": ["books", "teas"], "rename": false }] }),
        json!({ "oldIndexUid": "teas", "newIndexUid": "shelf" }),
        json!({ "deletedDocuments": 0 }),
        json!({}),
        json!({ "dumpUid": "dump" }),
    ];
    for (uid, expected) in expected.into_iter().enumerate() {
        assert_eq!(details(&harness, uid as u32), expected);
    }
    let swap = harness.queue.batch(3, None).unwrap();
    let mut stats = swap.stats.to_json();
    let trace = stats.as_object_mut().unwrap().remove("progressTrace").unwrap();
    assert!(trace["processing tasks"].is_string(), "{trace}");
    assert_eq!(
        stats,
        json!({
            "totalNbTasks": 1, "status": { "succeeded": 1 }, "types": { "indexSwap": 1 },
            "indexUids": {},
        })
    );
    assert_eq!(
        swap.strategy,
        "created batch containing only task with id 3 of type `indexSwap` that cannot be batched \
         with any other task."
    );
    assert_eq!(
        harness.queue.batch(6, None).unwrap().strategy,
        "stopped after the last task of type `snapshotCreation` because they cannot be batched \
         with tasks of any other type."
    );
    assert_eq!(harness.queue.batch(1, None).unwrap().strategy, "batched all enqueued tasks");
    assert_eq!(swap.progress, None);
    let task = harness.task(3);
    assert_eq!((task.started_at, task.finished_at), (Some(swap.started_at), swap.finished_at));
}

/// Adds to `books`, then holds every index with an export that runs until it is canceled.
fn held_by_export(threads: usize) -> (Harness, TaskUid) {
    // Batches of a busy machine may take longer than the usual wait and still be short here.
    let harness =
        Harness::with(Options { lane_wait: Duration::from_secs(40), ..Options::default() });
    harness.runner.on_run(|batch, _, cancel| {
        if batch.work != Work::Export {
            std::thread::sleep(Duration::from_millis(3));
            return Ok(());
        }
        loop {
            cancel.check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    harness.scheduler.start(threads).unwrap();
    let first = harness.add("books");
    finished(&harness, first);
    let export = harness.enqueue(export("*"));
    (harness, export)
}

fn finished(harness: &Harness, uid: TaskUid) -> Task {
    wait_for(|| {
        let task = harness.task(uid);
        if task.status.is_finished() { Ok(task) } else { Err(format!("{task:?}")) }
    })
}

fn release(harness: &Harness, export: TaskUid) -> TaskUid {
    let cancel = harness.queue.cancel(&uids(&[export]), format!("?uids={export}"), None).unwrap();
    let cancel = finished(harness, cancel.uid);
    assert_eq!(cancel.batch_uid, Some(1), "the batch that was stopped left its uid");
    let details = cancel.details.to_json().unwrap();
    assert_eq!((&details["matchedTasks"], &details["canceledTasks"]), (&json!(1), &json!(1)));
    assert_eq!(harness.task(export).batch_uid, Some(1));
    assert_eq!(harness.task(export).canceled_by, Some(cancel.uid));
    cancel.uid
}

#[test]
fn tasks_held_by_an_export_are_batched_together_afterwards() {
    for threads in [1, 4] {
        let (harness, export) = held_by_export(threads);
        let teas = [harness.add("teas"), harness.add("teas")];
        let books = harness.add("books");
        let teas_deletion = harness.enqueue(deletion("teas", &["TEA-01", "TEA-99"]));
        let stop_words = |word: &str| json!({ "stopWords": [word] });
        let set = [
            harness.enqueue(settings("books", stop_words("a"))),
            harness.enqueue(settings("books", stop_words("b"))),
        ];
        release(&harness, export);
        let last = harness.enqueue(creation("last"));
        assert_eq!(finished(&harness, last).batch_uid, Some(5), "{threads} threads");
        assert_eq!(teas.map(|uid| batch_of(&harness, uid)), [2, 2]);
        assert_eq!(batch_of(&harness, teas_deletion), 2);
        assert_eq!(batch_of(&harness, books), 3);
        assert_eq!(set.map(|uid| batch_of(&harness, uid)), [4, 4]);
        assert_eq!(
            details(&harness, 2),
            json!({
                "receivedDocuments": 6, "indexedDocuments": 6, "providedIds": 2,
                "deletedDocuments": 0,
            })
        );
        assert_eq!(details(&harness, 4), stop_words("b"));
        let canceled = harness.queue.batch(1, None).unwrap();
        assert_eq!(json!(canceled.stats.status), json!({ "succeeded": 1, "canceled": 1 }));
        assert_eq!(canceled.stats.total_nb_tasks, 2);
        assert_eq!(
            json!(canceled.details),
            json!({
                "url": "http://127.0.0.1:1", "apiKey": "01234XXXXXX...", "payloadSize": "24 MiB",
                "indexes": { "*": { "filter": null, "overrideSettings": false } },
                "matchedTasks": 1, "canceledTasks": 1, "originalFilter": "?uids=1",
            })
        );
    }
}

#[test]
fn short_batches_keep_the_order_of_their_tasks_over_lanes() {
    for threads in [1, 4] {
        let (harness, export) = held_by_export(threads);
        let x = [keyed(&harness, "x", "id"), harness.add("x"), keyed(&harness, "x", "code")];
        let y = [harness.add("y"), keyed(&harness, "y", "ref")];
        let swapped = harness.enqueue(swap("x", "y"));
        let after = [harness.add("x"), harness.enqueue(creation("y"))];
        release(&harness, export);
        let last = harness.enqueue(creation("last"));
        assert_eq!(finished(&harness, last).batch_uid, Some(9), "{threads} threads");
        assert_eq!(x.map(|uid| batch_of(&harness, uid)), [2, 2, 3]);
        assert_eq!(y.map(|uid| batch_of(&harness, uid)), [4, 5]);
        assert_eq!(batch_of(&harness, swapped), 6);
        assert_eq!(after.map(|uid| batch_of(&harness, uid)), [7, 8]);
        assert_eq!(x.map(|uid| harness.task(uid).index_uid().unwrap().to_owned()), ["y"; 3]);
        assert_eq!(harness.task(x[2]).status, Status::Failed);
        assert_eq!(harness.task(after[0]).index_uid(), Some("x"));
        let stats = harness.queue.batch(2, None).unwrap().stats;
        assert_eq!(json!(stats.index_uids), json!({ "x": 2 }), "batches keep their names");
    }
}

#[test]
fn boundaries_inside_one_index() {
    let (harness, export) = held_by_export(2);
    let by_filter = |filter: &str| Content::DocumentDeletionByFilter {
        index_uid: "books".to_owned(),
        filter: json!(filter),
    };
    let tasks = [
        harness.add("books"),
        harness.enqueue(settings("books", json!({ "filterableAttributes": ["pages"] }))),
        harness.add("books"),
        harness.enqueue(by_filter("pages = 4")),
        harness.enqueue(by_filter("pages = 96")),
        harness.enqueue(deletion("books", &["2"])),
        harness.add("books"),
        harness.enqueue(clear("books")),
        harness.add("books"),
    ];
    release(&harness, export);
    finished(&harness, tasks[8]);
    assert_eq!(tasks.map(|uid| batch_of(&harness, uid)), [2, 3, 4, 5, 5, 5, 5, 5, 6]);
    let works: Vec<_> = harness.runner.log().into_iter().skip(1).map(|(_, work, _)| work).collect();
    assert_eq!(
        works,
        [Work::Documents, Work::Settings, Work::Documents, Work::DocumentClear, Work::Documents]
    );
}

#[test]
fn the_contract_s_order_when_stepped() {
    let harness = Harness::new();
    let books = harness.add("books");
    let dump = harness.enqueue(Content::DumpCreation { instance_uid: None });
    let snapshot = harness.enqueue(Content::SnapshotCreation);
    let exported = harness.enqueue(export("*"));
    let compacted = harness.enqueue(Content::IndexCompaction { index_uid: "teas".to_owned() });
    let deleted = [
        harness.queue.delete(&uids(&[]), "?uids=", None).unwrap().uid,
        harness.queue.delete(&uids(&[]), "?uids=", None).unwrap().uid,
    ];
    let change = harness.enqueue(Content::NetworkTopologyChange { change: Value::Null });
    let upgrade = harness.enqueue(Content::UpgradeDatabase { from: "1".into(), to: "2".into() });
    let second_snapshot = harness.enqueue(Content::SnapshotCreation);
    let canceled = [
        harness.queue.cancel(&uids(&[]), "?uids=", None).unwrap().uid,
        harness.queue.cancel(&uids(&[]), "?uids=", None).unwrap().uid,
    ];
    assert_eq!(harness.step_all(), 10);
    let expected = [
        canceled[1],
        canceled[0],
        upgrade,
        deleted[0],
        compacted,
        exported,
        // A change of the topology stands where it was enqueued among the writes.
        books,
        change,
        snapshot,
        dump,
    ];
    for (batch, uid) in expected.into_iter().enumerate() {
        assert_eq!(batch_of(&harness, uid), batch as u32, "task {uid}");
    }
    assert_eq!(batch_of(&harness, deleted[1]), 3);
    assert_eq!(batch_of(&harness, second_snapshot), 8);
}

#[test]
fn batches_stop_at_the_limits() {
    let harness = Harness::with(Options { max_batched_tasks: 2, ..Options::default() });
    let tasks = [(); 5].map(|()| harness.add("books"));
    harness.step_all();
    assert_eq!(tasks.map(|uid| batch_of(&harness, uid)), [0, 0, 1, 1, 2]);

    let harness = Harness::with(Options { max_batched_bytes: 25, ..Options::default() });
    let tasks = [(); 3].map(|()| harness.add_documents("books", 1, b"[{\"id\":1}]"));
    let large = harness.add_documents("books", 1, &[b' '; 40]);
    harness.step_all();
    assert_eq!(tasks.map(|uid| batch_of(&harness, uid)), [0, 0, 1]);
    assert_eq!(batch_of(&harness, large), 2);
}

#[test]
fn a_run_that_panics_fails_every_task() {
    let harness = Harness::new();
    let tasks = [harness.add("books"), harness.add("books")];
    harness.runner.on_run(|_, _, _| panic!("out of luck"));
    harness.step_all();
    for uid in tasks {
        let task = harness.task(uid);
        assert_eq!(task.status, Status::Failed);
        assert_eq!(
            task.error.unwrap(),
            model::ServiceError::internal(
                "An unexpected crash occurred when processing the task: out of luck"
            )
        );
    }
    harness.runner.on_run(|_, _, _| Ok(()));
    harness.add("books");
    assert_eq!(harness.step_all(), 1, "the next batch runs");
}

#[test]
fn failed_upgrade_blocks_the_queue_and_is_retried_at_start() {
    let harness = Harness::new();
    let upgrade = harness.enqueue(Content::UpgradeDatabase { from: "1".into(), to: "2".into() });
    let books = harness.add("books");
    harness.runner.on_run(|_, _, _| Err(model::ServiceError::internal("not today").into()));
    assert_eq!(harness.step_all(), 1);
    assert_eq!(harness.task(upgrade).status, Status::Failed);
    assert!(harness.scheduler.halted().is_some());
    let harness = harness.reopened();
    assert_eq!(harness.task(upgrade).status, Status::Enqueued);
    harness.runner.on_run(|_, _, _| Ok(()));
    assert_eq!(harness.step_all(), 2);
    let task = harness.task(upgrade);
    assert_eq!((task.status, task.batch_uid, task.error), (Status::Succeeded, Some(1), None));
    assert_eq!(harness.task(books).status, Status::Succeeded);
}
