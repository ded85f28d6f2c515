//! Tests that acknowledged tasks survive a kill, a failing disk, and a crash between the work and
//! its record.

use std::sync::Arc;

use model::{Cancel, Code};
use redb::{Builder, ReadableDatabase, TableDefinition};
use tasks::*;

use crate::support::disk::MemoryDisk;
use crate::support::*;

#[test]
fn acknowledged_tasks_survive_a_kill() {
    let harness = Harness::new();
    harness.add("books");
    harness.add_documents("books", 1, &[b'b'; 100_000]);
    harness.step_all();
    let waiting = harness.add_documents("teas", 1, &[b't'; 100_000]);
    let small = harness.add_documents("teas", 1, b"[{}]");
    harness.queue.cancel(&uids(&[small]), "?uids=3", None).unwrap();
    let killed = harness.killed();
    assert_eq!(killed.statuses(), harness.statuses());
    for uid in 0..5 {
        assert_eq!(killed.task(uid), harness.task(uid));
    }
    assert_eq!(killed.queue.batch(0, None).unwrap(), harness.queue.batch(0, None).unwrap());
    assert_eq!(&*killed.queue.payload_of(waiting, None).unwrap().1, &[b't'; 100_000]);
    assert_eq!(killed.step_all(), 2);
    assert_eq!(killed.task(small).status, Status::Canceled);
    assert_eq!(killed.task(waiting).status, Status::Succeeded);
}

#[test]
fn a_kill_during_a_run_leaves_the_tasks_enqueued() {
    let harness = Harness::new();
    let tasks = [harness.add("books"), harness.add("books")];
    let harness = harness.killed_in_run(false);
    assert_eq!(harness.task(tasks[0]).status, Status::Enqueued);
    assert_eq!(harness.step_all(), 1);
    assert_eq!(harness.runner.log(), [(0, Work::Documents, tasks.to_vec())]);
}

#[test]
fn a_batch_applied_before_a_crash_is_settled_exactly_once() {
    for is_killed in [true, false] {
        let disk = MemoryDisk::default();
        let harness = if is_killed { Harness::new() } else { Harness::on(&disk) };
        harness.add("other");
        harness.step_all();
        let tasks = [harness.add("books"), harness.add("books")];
        let failing = harness.enqueue(clear("ghost"));
        let harness = match is_killed {
            true => harness.killed_in_run(true),
            false => failed_while_recording(harness, &disk),
        };
        let receipt = harness.runner.receipt.lock().unwrap().clone();
        assert_eq!(harness.task(tasks[0]).status, Status::Enqueued);
        assert_eq!(harness.queue.settle(&receipt).unwrap(), 2);
        for uid in tasks {
            let task = harness.task(uid);
            assert_eq!((task.status, task.batch_uid), (Status::Succeeded, Some(1)));
            assert!(task.started_at.unwrap() <= task.finished_at.unwrap());
        }
        let batch = harness.queue.batch(1, None).unwrap();
        assert_eq!(batch.stats.total_nb_tasks, 2);
        assert_eq!(batch.details["indexedDocuments"], 6);
        assert_eq!(harness.payload_files(), 0);
        assert_eq!(harness.queue.settle(&receipt).unwrap(), 0, "only once");
        assert_eq!(harness.step_all(), 1);
        assert_eq!(harness.task(failing).batch_uid, Some(2));
        assert_eq!(harness.runner.log().len(), 3, "the work was not repeated");
    }
}

/// Runs the batch 1 on a disk that fails before its tasks are marked finished, and opens the queue
/// again.
fn failed_while_recording(harness: Harness, disk: &MemoryDisk) -> Harness {
    let failing = disk.clone();
    harness.runner.on_run(move |_, _, _| {
        failing.fail_after(0);
        Ok(())
    });
    assert_eq!(harness.scheduler.step(), Some(1));
    assert!(harness.scheduler.halted().is_some());
    assert_eq!(harness.scheduler.step(), None);
    *harness.runner.hook.lock().unwrap() = None;
    harness.reopened_on(&disk.after_kill())
}

#[test]
fn a_receipt_carries_failures_and_renames() {
    let harness = Harness::new();
    let books = harness.add("books");
    harness.step_all();
    let renamed = harness.enqueue(rename("books", "library"));
    let harness = harness.killed_in_run(true);
    let receipt = harness.runner.receipt.lock().unwrap().clone();
    assert_eq!(harness.queue.settle(&receipt).unwrap(), 1);
    assert_eq!(harness.task(books).index_uid(), Some("library"));
    let failing = harness.enqueue(clear("ghost"));
    let harness = harness.killed_in_run(true);
    let receipt = harness.runner.receipt.lock().unwrap().clone();
    assert_eq!(harness.queue.settle(&receipt).unwrap(), 1);
    let task = harness.task(failing);
    assert_eq!((task.status, task.error.unwrap().code), (Status::Failed, Code::IndexNotFound));
    assert_eq!(harness.task(renamed).status, Status::Succeeded);
    assert!(harness.queue.settle(b"{}").is_err(), "a damaged receipt is reported");
}

#[test]
fn a_damaged_record_is_reported_and_a_foreign_format_refused() {
    const TASKS: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("tasks");
    const META: TableDefinition<'_, &str, u64> = TableDefinition::new("task_meta");
    let record = {
        let harness = Harness::new();
        harness.add("books");
        let folder = harness.folder.path().to_owned();
        let Harness { folder: _kept, scheduler, queue, .. } = harness;
        drop((scheduler, queue));
        let database = database_at(&folder);
        let table = database.begin_read().unwrap().open_table(TASKS).unwrap();
        table.get(0).unwrap().unwrap().value().to_vec()
    };
    // Cut or changed anywhere, a record gives an error or a task, never a panic.
    for position in 0..record.len() {
        let mut changed = record.clone();
        changed[position] ^= 0x5a;
        for bytes in [&record[..position], &changed] {
            let folder = tempfile::tempdir().unwrap();
            let database = Arc::new(
                Builder::new().create_with_backend(redb::backends::InMemoryBackend::new()).unwrap(),
            );
            let transaction = database.begin_write().unwrap();
            transaction.open_table(TASKS).unwrap().insert(0, bytes).unwrap();
            transaction.commit().unwrap();
            if let Ok(queue) = Queue::open(database, folder.path(), Options::default()) {
                let _ = queue.task(0, None);
                let _ = queue.tasks(&Query::default(), None);
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let database = database_at(folder.path());
    let transaction = database.begin_write().unwrap();
    transaction.open_table(META).unwrap().insert("format_version", 99).unwrap();
    transaction.commit().unwrap();
    let error = Queue::open(database, folder.path(), Options::default()).unwrap_err();
    assert!(matches!(error, QueueError::UnknownFormat { found: 99, .. }), "{error}");
}

#[test]
fn registry_update_commits_with_the_tasks_or_not_at_all() {
    const REGISTRY: TableDefinition<'_, &str, u64> = TableDefinition::new("registry");

    #[derive(Debug)]
    struct Registering {
        refuse: bool,
    }
    impl Runner for Registering {
        fn index_state(&self, _: &str) -> IndexState {
            IndexState::default()
        }
        fn run(&self, batch: &Batch, _: &Progress, _: &Cancel) -> Result<Outcome, RunError> {
            let refuse = self.refuse;
            let registry = RegistryUpdate::new(move |transaction| {
                transaction.open_table(REGISTRY)?.insert("books", 1)?;
                if refuse { Err(redb::Error::Corrupted("no".to_owned())) } else { Ok(()) }
            });
            let succeeded = |task: &Task| TaskOutcome::Succeeded(task.details.clone());
            Ok(Outcome {
                tasks: batch.tasks.iter().map(succeeded).collect(),
                registry: Some(registry),
                ..Outcome::default()
            })
        }
    }
    for refuse in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let database = database_at(folder.path());
        let queue =
            Queue::open(database.clone(), folder.path().join("payloads"), Options::default())
                .unwrap();
        let scheduler = Scheduler::new(queue.clone(), Arc::new(Registering { refuse }));
        queue.enqueue(NewTask::new(creation("books"))).unwrap();
        assert_eq!(scheduler.step(), Some(0));
        let table = database.begin_read().unwrap().open_table(REGISTRY);
        let registered = table.is_ok_and(|table| table.get("books").unwrap().is_some());
        let task = queue.task(0, None).unwrap();
        assert_eq!(registered, !refuse);
        assert_eq!(task.status, if refuse { Status::Failed } else { Status::Succeeded });
        assert!(queue.stopped().is_none() && scheduler.halted().is_none());
        let panicking = queue.transact(RegistryUpdate::new(|_| panic!("no luck"))).unwrap_err();
        assert_eq!(panicking.message, "the registry could not be written: no luck");
        queue.enqueue(NewTask::new(creation("books"))).unwrap();
        assert_eq!(scheduler.step(), Some(1));
    }
}

#[test]
fn failed_write_stops_writes_and_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut failures = 0;
    for operations in 0..60 {
        let disk = MemoryDisk::default();
        let queue = Queue::open(disk.open_database(), folder.path(), Options::default()).unwrap();
        let runner = Arc::new(FakeRunner::default());
        let scheduler = Scheduler::new(queue.clone(), runner);
        disk.fail_after(operations);

        let mut acknowledged = Vec::new();
        let mut refused = None;
        for round in 0..12 {
            match queue.enqueue(NewTask::new(creation(&format!("index-{round}")))) {
                Ok(task) => acknowledged.push(task.uid),
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
            if round % 4 == 3 {
                scheduler.step();
            }
        }
        if let Some(error) = refused {
            failures += 1;
            let again = queue.enqueue(NewTask::new(creation("again"))).unwrap_err();
            assert!(again.message.contains("no further write is accepted"), "{again}");
            assert_eq!(
                (error.code, again.code),
                (Code::NoSpaceLeftOnDevice, Code::NoSpaceLeftOnDevice)
            );
            assert!(queue.stopped().is_some());
            assert_eq!(scheduler.step(), None);
        }
        let visible: Vec<TaskUid> = queue
            .tasks(&Query::default(), None)
            .map_or(Vec::new(), |page| page.results.iter().map(|task| task.uid).collect());
        let finished: Vec<Task> = acknowledged
            .iter()
            .filter_map(|&uid| queue.task(uid, None).ok())
            .filter(|task| task.status.is_finished())
            .collect();
        drop((scheduler, queue));
        for disk in [disk.after_kill(), disk.after_power_cut()] {
            let queue =
                Queue::open(disk.open_database(), folder.path(), Options::default()).unwrap();
            for &uid in acknowledged.iter().chain(&visible) {
                assert!(queue.task(uid, None).is_ok(), "task {uid} after {operations} operations");
            }
            for task in &finished {
                assert_eq!(queue.task(task.uid, None).unwrap(), *task);
            }
        }
    }
    assert!(failures > 5, "only {failures} runs met the failure");
}
