//! Scheduled snapshots, and the end of the schedule.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use engine::EngineOptions;
use engine::keys::Access;
use engine::snapshots::ObjectStorage;
use tasks::{Content, Query, Status, Task, TaskType};
use testkit::{wait_for, wait_until};

use crate::snapshots::object_storage::bucket_at;
use crate::snapshots::snapshot_of;
use crate::support::Instance;

fn snapshots(instance: &Instance) -> Vec<Task> {
    let types = Some(vec![TaskType::SnapshotCreation]);
    let query = Query { types, limit: Some(1000), ..Query::default() };
    instance.engine().tasks(&Access::full(), &query).unwrap().results
}

#[test]
fn a_schedule_asks_again_and_again_and_not_at_once() {
    let period = Duration::from_millis(300);
    let mut instance = Instance::new();
    instance.stop();
    let mut options = EngineOptions::new(instance.path());
    options.snapshots.period = Some(period);
    let start = Instant::now();
    instance.start_with(options);
    wait_until("the first snapshot", || !snapshots(&instance).is_empty());
    assert!(start.elapsed() >= period, "the first comes after one period");
    wait_for(|| {
        let tasks = snapshots(&instance);
        let taken = tasks.iter().filter(|task| task.status == Status::Succeeded).count();
        if taken >= 3 { Ok(()) } else { Err(format!("{tasks:?}")) }
    });
    assert!(snapshot_of(&instance).exists());
    instance.restart();
    let before = snapshots(&instance).len();
    std::thread::sleep(2 * period);
    assert_eq!(snapshots(&instance).len(), before, "none without a schedule");
}

#[test]
fn a_snapshot_can_be_called_off() {
    // It takes calls and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut instance = Instance::new();
    instance.stop();
    let mut options = EngineOptions::new(instance.path());
    options.address_policy = "any".parse().unwrap();
    options.snapshots.storage = Some(ObjectStorage {
        bucket: bucket_at(&format!("http://{}", silent.local_addr().unwrap())),
        prefix: String::new(),
        compression_level: 0,
    });
    instance.start_with(options);
    let task = instance.enqueue(Content::SnapshotCreation);
    let engine = instance.engine();
    wait_until("the snapshot begins", || {
        engine.task(&Access::full(), task.uid).unwrap().status == Status::Processing
    });
    let query = Query { uids: Some(vec![task.uid]), ..Query::default() };
    let canceler = engine.cancel_tasks(&Access::full(), query, "?uids=0".to_owned()).unwrap();
    assert_eq!(instance.wait(&task).status, Status::Canceled);
    assert_eq!(instance.wait(&canceler).status, Status::Succeeded);
    assert!(!instance.path().join("snapshot-staging").exists());
}
