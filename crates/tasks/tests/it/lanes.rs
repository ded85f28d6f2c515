//! Lanes with real threads: side by side over indexes, in order within one, many at once.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::time::Duration;

use tasks::*;
use testkit::{wait_for, wait_until};

use crate::support::*;

fn wait_for_all(harness: &Harness) {
    let unfinished = Query {
        statuses: Some(vec![Status::Enqueued, Status::Processing]),
        limit: Some(0),
        ..Query::default()
    };
    wait_for(|| match harness.queue.tasks(&unfinished, None).unwrap().total {
        0 => Ok(()),
        _ => Err(format!("{:?}", harness.queue.counts())),
    });
}

#[test]
fn indexes_run_side_by_side() {
    let harness = Harness::new();
    let meeting = Arc::new(Barrier::new(3));
    harness.runner.on_run(move |_, _, _| {
        // Passes only when three batches are in here at the same time.
        meeting.wait();
        Ok(())
    });
    harness.scheduler.start(3).unwrap();
    for index_uid in ["a", "b", "c"] {
        harness.add(index_uid);
    }
    wait_for_all(&harness);
    let mut batches: Vec<_> = harness.runner.log().into_iter().map(|(uid, _, _)| uid).collect();
    batches.sort_unstable();
    assert_eq!(batches, [0, 1, 2]);
}

#[test]
fn long_batch_blocks_no_other_lane() {
    let harness =
        Harness::with(Options { lane_wait: Duration::from_millis(30), ..Options::default() });
    let (started, wait_for_start) = mpsc::channel();
    let (go_on, wait) = mpsc::channel::<()>();
    let (started, wait) = (Mutex::new(started), Mutex::new(wait));
    let first = AtomicUsize::new(0);
    harness.runner.on_run(move |_, _, _| {
        if first.fetch_add(1, Ordering::SeqCst) == 0 {
            started.lock().unwrap().send(()).unwrap();
            wait.lock().unwrap().recv().unwrap();
        }
        Ok(())
    });
    harness.scheduler.start(2).unwrap();
    harness.add("slow");
    wait_for_start.recv().unwrap();
    // The next task of the slow index is older than that of the quick one.
    let behind = harness.add("slow");
    let quick = harness.add("quick");
    let dump = harness.enqueue(Content::DumpCreation { instance_uid: None });
    wait_until("what waits for no lane finishes", || {
        [quick, dump].iter().all(|&uid| harness.task(uid).status.is_finished())
    });
    assert_eq!(harness.task(behind).status, Status::Enqueued);
    go_on.send(()).unwrap();
    wait_for_all(&harness);
}

#[test]
fn small_writes_pass_a_large_import_even_on_a_single_lane() {
    let harness = Harness::with(Options { lane_wait: Duration::ZERO, ..Options::default() });
    let (started, wait_for_start) = mpsc::channel();
    let (go_on, wait) = mpsc::channel::<()>();
    let (started, wait) = (Mutex::new(started), Mutex::new(wait));
    harness.runner.on_run(move |batch, _, _| {
        if batch.index_uid.as_deref() == Some("large") {
            started.lock().unwrap().send(()).unwrap();
            wait.lock().unwrap().recv().unwrap();
        }
        Ok(())
    });
    harness.scheduler.start(1).unwrap();
    let body = vec![b' '; 2 << 20];
    harness.add_documents("large", 1, &body);
    wait_for_start.recv().unwrap();
    let heavy = harness.add_documents("other", 1, &body);
    let small = harness.add("small");
    wait_until("the small write does not wait for the large import", || {
        harness.task(small).status.is_finished()
    });
    assert_eq!(harness.task(heavy).status, Status::Enqueued, "one heavy batch at a time");
    go_on.send(()).unwrap();
    wait_for_all(&harness);
}

#[test]
fn tasks_of_an_index_run_in_order_and_never_at_once() {
    let harness = Harness::with(Options {
        max_batched_tasks: 3,
        lane_wait: Duration::ZERO,
        ..Options::default()
    });
    let busy: Mutex<HashSet<String>> = Mutex::default();
    let order: Arc<Mutex<HashMap<String, Vec<TaskUid>>>> = Arc::default();
    let seen = order.clone();
    harness.runner.on_run(move |batch, _, _| {
        let names: Vec<String> =
            batch.tasks[0].content.index_uids().into_iter().map(str::to_owned).collect();
        for name in &names {
            assert!(busy.lock().unwrap().insert(name.clone()), "two batches of {name} at once");
            let uids = batch.tasks.iter().map(|task| task.uid);
            seen.lock().unwrap().entry(name.clone()).or_default().extend(uids);
        }
        std::thread::yield_now();
        for name in &names {
            busy.lock().unwrap().remove(name);
        }
        Ok(())
    });
    harness.scheduler.start(4).unwrap();
    for round in 0..40 {
        for index_uid in ["a", "b", "c", "d"] {
            harness.add(index_uid);
        }
        if round % 10 == 5 {
            harness.enqueue(swap("a", "c"));
        }
    }
    wait_for_all(&harness);
    let failed = Query { statuses: Some(vec![Status::Failed]), ..Query::default() };
    let failed: Vec<_> =
        harness.queue.tasks(&failed, None).unwrap().results.into_iter().map(|t| t.error).collect();
    assert!(failed.is_empty(), "{failed:?}");
    for (name, uids) in order.lock().unwrap().iter() {
        assert!(uids.is_sorted(), "{name}: {uids:?}");
        assert!(uids.len() >= 40);
    }
}

#[test]
fn picking_a_batch_stays_cheap_with_many_waiting_indexes() {
    // Held still while 8,000 tasks over 2,000 indexes are enqueued.
    let harness = Harness::with(Options { max_batched_tasks: 0, ..Options::default() });
    std::thread::scope(|scope| {
        for part in 0..8 {
            let harness = &harness;
            scope.spawn(move || {
                for round in 0..1_000 {
                    let number = (round * 8 + part) % 2_000;
                    harness.enqueue(clear(&format!("index-{number}")));
                }
            });
        }
    });
    let Harness { folder, runner, scheduler, queue, .. } = harness;
    drop((scheduler, queue));
    let database = database_at(folder.path());
    let queue = Queue::open(database, folder.path().join("payloads"), Options::default()).unwrap();
    let scheduler = Scheduler::new(queue.clone(), runner.clone());
    for batch in 0..300 {
        assert_eq!(scheduler.step(), Some(batch));
    }
    assert!(runner.log().iter().all(|(_, _, tasks)| tasks.len() == 4));
}

#[test]
fn enqueueing_from_many_threads_gives_every_task_its_own_uid() {
    let harness = Harness::new();
    harness.scheduler.start(2).unwrap();
    let uids: Mutex<Vec<TaskUid>> = Mutex::default();
    std::thread::scope(|scope| {
        for part in 0..8 {
            let (harness, uids) = (&harness, &uids);
            scope.spawn(move || {
                for _ in 0..100 {
                    let uid = harness.add(&format!("index-{part}"));
                    uids.lock().unwrap().push(uid);
                }
            });
        }
    });
    wait_for_all(&harness);
    let mut uids = uids.into_inner().unwrap();
    uids.sort_unstable();
    assert_eq!(uids, (0..800).collect::<Vec<_>>());
    let succeeded = Query { statuses: Some(vec![Status::Succeeded]), ..Query::default() };
    assert_eq!(harness.queue.tasks(&succeeded, None).unwrap().total, 800);
}

#[test]
fn upgrade_runs_alone() {
    let harness = Harness::with(Options { lane_wait: Duration::ZERO, ..Options::default() });
    let inside: Arc<Mutex<Vec<Work>>> = Arc::default();
    let seen = inside.clone();
    harness.runner.on_run(move |batch, _, _| {
        seen.lock().unwrap().push(batch.work);
        std::thread::sleep(Duration::from_millis(3));
        let mut running = seen.lock().unwrap();
        let beside_upgrade = running.contains(&Work::Upgrade) && running.len() > 1;
        let position = running.iter().position(|work| *work == batch.work).unwrap();
        running.remove(position);
        assert!(!beside_upgrade, "{running:?}");
        Ok(())
    });
    harness.scheduler.start(4).unwrap();
    for round in 0..12 {
        for index_uid in ["a", "b", "c", "d"] {
            harness.add(index_uid);
        }
        if round % 4 == 1 {
            harness.enqueue(Content::UpgradeDatabase { from: "1".into(), to: "2".into() });
            harness.enqueue(Content::DumpCreation { instance_uid: None });
        }
    }
    wait_for_all(&harness);
    let failed = Query { statuses: Some(vec![Status::Failed]), ..Query::default() };
    assert_eq!(harness.queue.tasks(&failed, None).unwrap().total, 0);
}
