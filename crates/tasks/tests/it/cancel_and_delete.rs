//! Cancelation, deletion and automatic clean-up: entirely the queue's own work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;
use tasks::*;
use testkit::wait_until;

use crate::support::*;

fn counters(harness: &Harness, uid: TaskUid) -> (u64, u64) {
    let details = harness.task(uid).details.to_json().unwrap();
    let done = details.get("canceledTasks").or(details.get("deletedTasks")).unwrap();
    (details["matchedTasks"].as_u64().unwrap(), done.as_u64().unwrap())
}

#[test]
fn waiting_tasks_are_canceled_with_the_dates_of_the_cancelation() {
    let harness = Harness::new();
    let small = harness.add("teas");
    let large = harness.add_documents("teas", 3, &[b' '; 100_000]);
    let cleared = harness.enqueue(clear("books"));
    assert_eq!(harness.payload_files(), 1);
    let cancel = harness.queue.cancel(&Query::default(), "?uids=*", None).unwrap().uid;
    assert_eq!(harness.scheduler.step(), Some(0));
    assert_eq!(counters(&harness, cancel), (3, 3));
    assert!(harness.runner.log().is_empty(), "the runner is not asked");
    let canceler = harness.task(cancel);
    assert_eq!(canceler.status, Status::Succeeded);
    for uid in [small, large, cleared] {
        let task = harness.task(uid);
        assert_eq!(task.status, Status::Canceled);
        assert_eq!((task.canceled_by, task.error.as_ref()), (Some(cancel), None));
        assert_eq!(task.batch_uid, canceler.batch_uid);
        assert_eq!(task.started_at, canceler.started_at);
        assert_eq!(task.finished_at, canceler.finished_at);
        assert_eq!(
            harness.uids(Query { canceled_by: Some(vec![cancel]), ..Query::default() }).len(),
            3
        );
    }
    assert_eq!(harness.payload_files(), 0);
    assert_eq!(harness.step_all(), 0);

    let batch = harness.queue.batch(0, None).unwrap();
    assert_eq!(json!(batch.stats.status), json!({ "succeeded": 1, "canceled": 3 }));
    assert_eq!(json!(batch.stats.index_uids), json!({ "books": 1, "teas": 2 }));
    let by = |query: Query| {
        let page = harness.queue.batches(&query, None).unwrap();
        page.results.iter().map(|batch| batch.uid).collect::<Vec<_>>()
    };
    assert_eq!(by(Query { canceled_by: Some(vec![cancel]), ..Query::default() }), [0]);
    assert_eq!(by(Query { statuses: Some(vec![Status::Canceled]), ..Query::default() }), [0]);

    let again = harness.queue.cancel(&Query::default(), "?uids=*", None).unwrap().uid;
    harness.step_all();
    assert_eq!(counters(&harness, again), (4, 0), "finished tasks are left alone");
}

#[test]
fn the_newest_cancelation_runs_first_and_may_cancel_the_others() {
    let harness = Harness::new();
    let books = harness.add("books");
    let first = harness.queue.cancel(&uids(&[books]), "?uids=0", None).unwrap().uid;
    let second = harness.queue.cancel(&uids(&[books, first]), "?uids=0,1", None).unwrap().uid;
    assert_eq!(harness.step_all(), 1);
    assert_eq!(counters(&harness, second), (2, 2));
    assert_eq!(harness.task(first).status, Status::Canceled);
    assert_eq!(counters(&harness, first), (1, 0));
}

#[test]
fn targets_are_fixed_when_the_request_comes() {
    let harness = Harness::new();
    let enqueued = Query { statuses: Some(vec![Status::Enqueued]), ..Query::default() };
    harness.add("books");
    let cancel = harness.queue.cancel(&enqueued, "?statuses=enqueued", None).unwrap().uid;
    let later = harness.add("books");
    harness.step_all();
    assert_eq!(counters(&harness, cancel), (1, 1));
    assert_eq!(harness.task(later).status, Status::Succeeded);
}

/// A runner whose first run of `index_uid` waits until it is told to stop.
fn stubborn(harness: &Harness, index_uid: &'static str) -> mpsc::Receiver<()> {
    let (started, wait_for_start) = mpsc::channel();
    let started = std::sync::Mutex::new(started);
    let runs = AtomicUsize::new(0);
    harness.runner.on_run(move |batch, _, cancel| {
        // As every runner does: a shutdown may come between choosing a batch and running it.
        cancel.check()?;
        if batch.index_uid.as_deref() != Some(index_uid) || runs.fetch_add(1, Ordering::SeqCst) > 0
        {
            return Ok(());
        }
        started.lock().unwrap().send(()).unwrap();
        loop {
            cancel.check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    wait_for_start
}

#[test]
fn a_running_batch_is_interrupted_and_the_rest_of_it_runs_again() {
    let harness = Harness::new();
    let started = stubborn(&harness, "books");
    let tasks = [harness.add("books"), harness.add("books"), harness.add("books")];
    harness.scheduler.start(1).unwrap();
    started.recv().unwrap();
    assert_eq!(harness.task(tasks[0]).status, Status::Processing);
    let cancel = harness.queue.cancel(&uids(&[tasks[1]]), "?uids=1", None).unwrap().uid;
    wait_until("all tasks end", || tasks.iter().all(|&uid| harness.task(uid).status.is_finished()));
    assert_eq!(counters(&harness, cancel), (1, 1));
    assert_eq!(harness.task(cancel).batch_uid, Some(0));
    assert_eq!(harness.task(tasks[1]).status, Status::Canceled);
    assert_eq!(harness.runner.log(), [(1, Work::Documents, vec![tasks[0], tasks[2]])]);
}

#[test]
fn other_lanes_are_not_interrupted() {
    let harness = Harness::new();
    let started = stubborn(&harness, "books");
    let books = harness.add("books");
    harness.scheduler.start(2).unwrap();
    started.recv().unwrap();
    // Neither an import of another index nor its cancelation waits for the busy lane.
    let teas = harness.add("teas");
    wait_until("teas are added", || harness.task(teas).status == Status::Succeeded);
    let cancel = harness.queue.cancel(&uids(&[teas]), "?uids=1", None).unwrap().uid;
    wait_until("the cancelation ends", || harness.task(cancel).status.is_finished());
    assert_eq!(counters(&harness, cancel), (1, 0));
    assert_eq!(harness.task(books).status, Status::Processing);
    let cancel = harness.queue.cancel(&uids(&[books]), "?uids=0", None).unwrap().uid;
    wait_until("books are canceled", || harness.task(books).status == Status::Canceled);
    assert_eq!(counters(&harness, cancel), (1, 1));
}

/// A runner whose runs of `index_uid` each wait until they are let go, or told to stop.
fn held(harness: &Harness, index_uid: &'static str) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (started, wait_for_start) = mpsc::channel();
    let (let_go, gate) = mpsc::channel();
    let (started, gate) = (std::sync::Mutex::new(started), std::sync::Mutex::new(gate));
    harness.runner.on_run(move |batch, _, cancel| {
        cancel.check()?;
        if batch.index_uid.as_deref() != Some(index_uid) {
            return Ok(());
        }
        started.lock().unwrap().send(()).unwrap();
        while gate.lock().unwrap().recv_timeout(Duration::from_millis(1)).is_err() {
            cancel.check()?;
        }
        Ok(())
    });
    (wait_for_start, let_go)
}

fn of_index(name: &str) -> Query {
    Query { index_uids: Some(vec![name.to_owned()]), ..Query::default() }
}

#[test]
fn a_task_that_is_deleted_right_after_it_was_added_is_gone() {
    let harness = Harness::new();
    let (_started, let_go) = held(&harness, "books");
    harness.scheduler.start(2).unwrap();
    for round in 0..20 {
        let added = harness.add("books");
        let query = if round % 2 == 0 { uids(&[added]) } else { of_index("books") };
        let deletion = harness.queue.delete(&query, "?", None).unwrap().uid;
        let_go.send(()).unwrap();
        wait_until("the deletion ends", || harness.task(deletion).status.is_finished());
        assert!(harness.queue.task(added, None).is_err(), "round {round}");
        assert_eq!(counters(&harness, deletion), (1, 1));
    }
}

#[test]
fn deletion_waits_for_its_running_batch_and_blocks_nothing_else() {
    let harness = Harness::new();
    let (started, let_go) = held(&harness, "books");
    harness.scheduler.start(2).unwrap();
    let books = harness.add("books");
    started.recv().unwrap();
    let waiting = harness.queue.delete(&of_index("books"), "?indexUids=books", None).unwrap().uid;

    // Another index is written to, and another deletion runs, while this one waits.
    let teas = harness.add("teas");
    wait_until("teas are added", || harness.task(teas).status == Status::Succeeded);
    let other = harness.queue.delete(&uids(&[teas]), "?uids=2", None).unwrap().uid;
    wait_until("the other deletion ends", || harness.task(other).status.is_finished());
    assert_eq!(counters(&harness, other), (1, 1));
    assert_eq!(harness.task(waiting).status, Status::Enqueued);
    assert_eq!(harness.task(books).status, Status::Processing);

    let_go.send(()).unwrap();
    wait_until("the deletion ends", || harness.task(waiting).status.is_finished());
    assert_eq!(counters(&harness, waiting), (1, 1));
    assert!(harness.queue.task(books, None).is_err());
    assert!(harness.queue.batch(0, None).is_err(), "the batch went with its only task");
    let strategy = harness.queue.batch(harness.task(waiting).batch_uid.unwrap(), None).unwrap();
    assert!(strategy.strategy.starts_with("stopped after the last task of type `taskDeletion`"));
}

#[test]
fn a_deletion_does_not_wait_for_batches_that_start_later() {
    let harness = Harness::new();
    let (started, let_go) = held(&harness, "books");
    harness.scheduler.start(1).unwrap();
    let first = harness.add("books");
    started.recv().unwrap();
    let second = harness.add("books");
    let deletion = harness.queue.delete(&uids(&[first, second]), "?uids=0,1", None).unwrap().uid;
    // Both deletions begin together, so the first has begun once the other is done.
    let other = harness.queue.delete(&uids(&[]), "?uids=", None).unwrap().uid;
    wait_until("the other deletion ends", || harness.task(other).status.is_finished());
    assert_eq!(harness.task(deletion).status, Status::Enqueued);
    let_go.send(()).unwrap();
    wait_until("the deletion ends", || harness.task(deletion).status.is_finished());
    assert_eq!(counters(&harness, deletion), (2, 1));
    assert!(harness.queue.task(first, None).is_err());
    started.recv().unwrap();
    let_go.send(()).unwrap();
    wait_until("the second is added", || harness.task(second).status == Status::Succeeded);
}

#[test]
fn waiting_deletion_ends_with_the_scheduler_or_the_batch() {
    let harness = Harness::new();
    let (started, _let_go) = held(&harness, "books");
    harness.scheduler.start(1).unwrap();
    let books = harness.add("books");
    started.recv().unwrap();
    let deletion = harness.queue.delete(&uids(&[books]), "?uids=0", None).unwrap().uid;
    // The cancelation interrupts the batch and goes first; what it canceled is then deleted.
    harness.queue.cancel(&uids(&[books]), "?uids=0", None).unwrap();
    wait_until("the deletion ends", || harness.task(deletion).status.is_finished());
    assert_eq!(counters(&harness, deletion), (1, 1));
    assert!(harness.queue.task(books, None).is_err());

    let books = harness.add("books");
    started.recv().unwrap();
    let deletion = harness.queue.delete(&uids(&[books]), "?uids=3", None).unwrap().uid;
    harness.scheduler.shutdown();
    for uid in [books, deletion] {
        assert_eq!(harness.task(uid).status, Status::Enqueued);
    }
    // After a restart nothing runs any more that the deletion could wait for.
    let harness = harness.reopened();
    harness.runner.on_run(|_, _, _| Ok(()));
    assert_eq!(harness.step_all(), 2);
    assert_eq!(counters(&harness, deletion), (1, 0));
    assert_eq!(harness.task(books).status, Status::Succeeded);
}

#[test]
fn deletion_removes_finished_tasks_and_emptied_batches() {
    let harness = Harness::new();
    let together = [harness.add("books"), harness.add("books")];
    harness.step_all();
    let failed = harness.enqueue(clear("ghost"));
    harness.step_all();
    let waiting = harness.add("books");
    let stored = harness.queue.stored_bytes();

    let first = harness.queue.delete(&uids(&[together[0], waiting, 900]), "?", None).unwrap().uid;
    let second = harness.queue.delete(&uids(&[together[0], failed]), "?", None).unwrap().uid;
    assert_eq!(harness.scheduler.step(), Some(2), "both in one batch");
    assert_eq!(counters(&harness, first), (2, 1));
    assert_eq!(counters(&harness, second), (2, 1), "what the first did not count");
    assert_eq!(harness.task(second).batch_uid, Some(2));
    assert!(harness.queue.task(together[0], None).is_err());
    assert!(harness.queue.batch(0, None).is_ok(), "one of its tasks is left");
    assert!(harness.queue.batch(1, None).is_err());
    assert_eq!(harness.queue.batch(2, None).unwrap().stats.total_nb_tasks, 2);

    let of_batch = Query { batch_uids: Some(vec![0]), ..Query::default() };
    harness.queue.delete(&of_batch, "?batchUids=0", None).unwrap();
    harness.step_all();
    assert!(harness.queue.batch(0, None).is_err());
    assert_eq!(harness.task(waiting).status, Status::Succeeded, "it ran as if nothing was");

    harness.queue.delete(&Query::default(), "?uids=*", None).unwrap();
    harness.step_all();
    assert_eq!(harness.statuses().len(), 1);
    assert!(harness.queue.stored_bytes() < stored);
    // Uids are not used again, not even after a restart.
    let harness = harness.reopened();
    let next = harness.add("books");
    assert_eq!(harness.scheduler.step(), Some(6));
    assert_eq!(harness.statuses(), [(next - 1, Status::Succeeded), (next, Status::Succeeded)]);
}

#[test]
fn the_oldest_finished_tasks_are_cleaned_away_at_the_limit() {
    let options = Options { max_tasks: 10, cleanup_count: 4, ..Options::default() };
    let harness = Harness::with(options);
    for _ in 0..9 {
        harness.enqueue(creation("books"));
    }
    assert_eq!(harness.step_all(), 9);
    let tenth = harness.enqueue(creation("books"));
    assert_eq!(harness.scheduler.step(), Some(9), "the clean-up goes first");
    assert_eq!(harness.statuses().first().unwrap().0, 4);
    assert_eq!(harness.task(tenth).status, Status::Enqueued);
    let cleanup = harness.task(tenth + 1);
    let details = cleanup.details.to_json().unwrap();
    assert_eq!((&details["matchedTasks"], &details["deletedTasks"]), (&json!(4), &json!(4)));
    let filter = details["originalFilter"].as_str().unwrap();
    assert!(filter.starts_with("?beforeEnqueuedAt=20"), "{filter}");
    assert!(filter.ends_with("Z&statuses=succeeded,failed,canceled"), "{filter}");
    assert_eq!(harness.step_all(), 1);
}

#[test]
fn a_queue_full_of_waiting_tasks_is_not_cleaned() {
    let harness = Harness::with(Options { max_tasks: 3, ..Options::default() });
    for _ in 0..4 {
        harness.enqueue(creation("books"));
    }
    assert_eq!(harness.scheduler.step(), Some(0));
    assert_eq!(harness.statuses().len(), 4, "one finished task is not worth a clean-up");
}

#[test]
fn a_full_store_takes_only_what_frees_it() {
    let harness = Harness::with(Options { max_stored_bytes: 2_000, ..Options::default() });
    let refused = loop {
        match harness.queue.enqueue(NewTask::new(creation("books"))) {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(refused.code, model::Code::NoSpaceLeftOnDevice);
    assert_eq!(
        refused.message,
        "Sonde cannot receive write operations because the limit of the task database has \
         been reached. Please delete tasks to continue performing write operations."
    );
    assert!(harness.queue.delete(&uids(&[]), "?uids=", None).is_err(), "it frees nothing");
    harness.queue.cancel(&Query::default(), "?uids=*", None).unwrap();
    harness.queue.delete(&uids(&[0]), "?uids=0", None).unwrap();
    harness.step_all();
    harness.queue.delete(&Query::default(), "?uids=*", None).unwrap();
    harness.step_all();
    harness.enqueue(creation("books"));
}

#[test]
fn shutdown_stops_running_batches_and_their_tasks_wait() {
    let harness = Harness::new();
    let started = stubborn(&harness, "books");
    let books = harness.add("books");
    harness.scheduler.start(1).unwrap();
    started.recv().unwrap();
    harness.scheduler.shutdown();
    assert_eq!(harness.task(books).status, Status::Enqueued);
    assert_eq!(harness.task(books).batch_uid, None);
    let harness = harness.reopened();
    assert_eq!(harness.step_all(), 1);
    assert_eq!(harness.task(books).status, Status::Succeeded);
}

#[test]
fn listeners_get_changes() {
    let harness = Harness::new();
    let events = harness.queue.subscribe();
    harness.add("books");
    harness.runner.on_run(|_, progress, _| {
        let _step = progress.enter("indexing", 1);
        Ok(())
    });
    harness.step_all();
    let told: Vec<String> = events
        .try_iter()
        .map(|event| match event {
            Event::Task(task) => format!("task {} {}", task.uid, task.status),
            Event::Batch(batch) => {
                let steps = batch.progress.as_ref().map(|progress| progress.steps.len());
                format!("batch {} {:?} {}", batch.uid, steps, batch.finished_at.is_some())
            }
        })
        .collect();
    assert_eq!(
        told,
        [
            "task 0 enqueued",
            "task 0 processing",
            "batch 0 None false",
            "batch 0 Some(1) false",
            "batch 0 Some(2) false",
            "batch 0 Some(1) false",
            "task 0 succeeded",
            "batch 0 None true",
        ]
    );
}
