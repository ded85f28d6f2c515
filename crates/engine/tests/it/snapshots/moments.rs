//! Snapshots that are taken while several clients write: each holds a state that existed, and a
//! start from it goes on exactly where it was.
//!
//! SNAPSHOT_ROUNDS and SNAPSHOT_SEED make longer runs and other ones.

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::EngineOptions;
use engine::keys::Access;
use tasks::{Query, Status, Task};
use testkit::wait_for;

use crate::snapshots::operation_log::{INDEXES, Model, Operation, OperationLog, model_in};
use crate::snapshots::{import, snapshot_of, take};
use crate::support::Instance;

const ROUNDS: u64 = 12;
const SEED: u64 = 7;
const WRITERS: u64 = 3;

struct TakenSnapshot {
    own_task: u32,
    /// State acknowledged when the snapshot was requested.
    known_before: Option<u32>,
    /// The highest task when it was done.
    known_after: Option<u32>,
}

#[test]
fn every_snapshot_is_a_state_that_existed_and_goes_on_from_there() {
    let rounds = number_from("SNAPSHOT_ROUNDS", ROUNDS);
    let seed = number_from("SNAPSHOT_SEED", SEED);
    let instance = Instance::new();
    let kept = tempfile::tempdir().unwrap();
    let operation_log = OperationLog::default();
    for (id, index) in INDEXES.into_iter().enumerate() {
        operation_log.perform(&instance, Operation::Add { index, id: id as u64, is_large: false });
    }
    let over = AtomicBool::new(false);
    let next_id = AtomicU64::new(100);
    let mut taken = Vec::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (operation_log, instance, over, next_id) =
                (&operation_log, &instance, &over, &next_id);
            scope.spawn(move || write(instance, operation_log, seed + writer, over, next_id));
        }
        for round in 0..rounds {
            let known_before = operation_log.highest();
            let own_task = take(&instance);
            taken.push(TakenSnapshot {
                own_task,
                known_before,
                known_after: operation_log.highest(),
            });
            std::fs::rename(snapshot_of(&instance), kept.path().join(round.to_string())).unwrap();
        }
        over.store(true, Ordering::Relaxed);
    });
    let (mut waiting, mut in_all) = (0, 0);
    for (round, taken) in taken.iter().enumerate() {
        let file = kept.path().join(round.to_string());
        let (left, all) =
            check(|path| assert!(import(&file, path).unwrap()), taken, &operation_log);
        waiting += left;
        in_all += all;
    }
    eprintln!("{rounds} snapshots, {in_all} tasks in them, {waiting} of these waiting");
    assert!(waiting > 0, "no snapshot met a task that waited");
}

/// The task store of one moment with the indexes of another is what must never come out; this is
/// to show that it would not pass.
#[test]
fn a_mix_of_two_moments_would_be_noticed() {
    let instance = Instance::new();
    let kept = tempfile::tempdir().unwrap();
    let operation_log = OperationLog::default();
    let moments = ["early", "late"].map(|name| {
        let id = operation_log.highest().map_or(0, |uid| u64::from(uid) + 1);
        operation_log.perform(&instance, Operation::Add { index: "left", id, is_large: false });
        instance.wait(&operation_log.perform(&instance, Operation::Count { index: "left" }));
        let known = operation_log.highest();
        let own_task = take(&instance);
        std::fs::rename(snapshot_of(&instance), kept.path().join(name)).unwrap();
        (
            kept.path().join(name),
            TakenSnapshot { own_task, known_before: known, known_after: known },
        )
    });
    for (tasks, indexes) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
        let restore = |path: &Path| {
            import(&moments[tasks].0, path).unwrap();
            let other = kept.path().join("other");
            import(&moments[indexes].0, &other).unwrap();
            std::fs::remove_dir_all(path.join("indexes")).unwrap();
            std::fs::rename(other.join("indexes"), path.join("indexes")).unwrap();
            std::fs::remove_dir_all(other).unwrap();
        };
        let checked = panic::catch_unwind(AssertUnwindSafe(|| {
            check(restore, &moments[tasks].1, &operation_log);
        }));
        assert_eq!(checked.is_ok(), tasks == indexes, "tasks {tasks}, indexes {indexes}");
    }
}

fn write(
    instance: &Instance,
    operation_log: &OperationLog,
    seed: u64,
    over: &AtomicBool,
    next_id: &AtomicU64,
) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while !over.load(Ordering::Relaxed) {
        // xorshift: a run can be repeated from its seed.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let index = INDEXES[(state >> 20) as usize % INDEXES.len()];
        let operation = match state % 40 {
            0 => Operation::DeleteIndex { index: "fleeting" },
            1 => Operation::Swap,
            2..=14 => Operation::Count { index },
            kind => {
                let id = next_id.fetch_add(1, Ordering::Relaxed);
                Operation::Add { index, id, is_large: kind < 18 }
            }
        };
        operation_log.perform(instance, operation);
        std::thread::sleep(Duration::from_millis((state >> 40) % 6));
    }
}

/// How many tasks wait in the snapshot, and how many there are.
fn check(
    restore: impl FnOnce(&Path),
    taken: &TakenSnapshot,
    operation_log: &OperationLog,
) -> (usize, usize) {
    let mut restored = Instance::restored(|path| {
        restore(path);
        let report = engine::check::verify(path).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    });
    let tasks = all_tasks(&restored);
    let uids: BTreeSet<u32> = tasks.iter().map(|task| task.uid).collect();
    check_prefix(&uids, taken, operation_log);

    // Nothing runs yet: exactly the finished tasks have taken effect.
    let done = |tasks: &[Task]| {
        let done = tasks.iter().filter(|task| task.status == Status::Succeeded);
        done.map(|task| task.uid)
            .filter(|uid| operation_log.uids().contains(uid))
            .collect::<Vec<_>>()
    };
    // An addition makes its index before it is applied.
    let filled = |mut model: Model| {
        model.retain(|_, documents| !documents.is_empty());
        model
    };
    let expected = filled(operation_log.model_of(done(&tasks)));
    assert_eq!(filled(model_in(&restored)), expected, "as it was restored");
    let waiting = tasks.iter().filter(|task| task.status == Status::Enqueued).count();

    // Waiting tasks run now, once.
    restored.restart();
    let tasks = wait_for(|| {
        let tasks = all_tasks(&restored);
        let all_finished = tasks.iter().all(|task| task.status.is_finished());
        if all_finished { Ok(tasks) } else { Err("what waited does not end") }
    });
    for task in tasks.iter().filter(|task| task.status == Status::Failed) {
        let error = task.error.as_ref().expect("a reason");
        assert_eq!(error.code.name(), "index_not_found", "{error:?}");
    }
    assert_eq!(
        model_in(&restored),
        operation_log.model_of(done(&tasks)),
        "after what waited was done"
    );
    (waiting, tasks.len())
}

/// All that was acknowledged before, nothing from after, no gap in between.
fn check_prefix(uids: &BTreeSet<u32>, taken: &TakenSnapshot, operation_log: &OperationLog) {
    let known = operation_log.uids();
    let last = uids.last().copied();
    assert!(last >= taken.known_before && last <= taken.known_after.max(Some(taken.own_task)));
    for uid in known.iter().filter(|uid| Some(**uid) <= last) {
        assert!(uids.contains(uid), "task {uid} is missing, {last:?} is there");
    }
    assert!(!uids.contains(&taken.own_task), "the snapshot holds its own task");
}

fn all_tasks(instance: &Instance) -> Vec<Task> {
    let query = Query { limit: Some(100_000), ..Query::default() };
    let mut tasks = instance.engine().tasks(&Access::full(), &query).unwrap().results;
    tasks.sort_by_key(|task| task.uid);
    tasks
}

fn number_from(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

impl Instance {
    /// An instance on a folder that was filled before it starts, and that runs nothing yet.
    pub fn restored(fill: impl FnOnce(&Path)) -> Self {
        let mut instance = Instance::new();
        instance.stop();
        std::fs::remove_dir_all(instance.path()).unwrap();
        fill(&instance.path());
        let idle = EngineOptions { max_batched_tasks: 0, ..EngineOptions::new(instance.path()) };
        instance.start_with(idle);
        instance
    }
}
