//! Tests a disk that is full for a while: writes of the queue wait for space, nothing new is
//! accepted, and afterwards everything continues. Writes stop only after the longest wait.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use model::{Code, ServiceError};
use tasks::*;

use crate::support::disk::MemoryDisk;
use crate::support::*;

struct FullDisk {
    disk: MemoryDisk,
    queue: Queue,
    scheduler: Scheduler,
    folder: tempfile::TempDir,
}

impl FullDisk {
    fn new(max_wait: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = MemoryDisk::default();
        let disk_space = DiskSpace::unmeasured(max_wait);
        let database = disk.open_retrying_database(&disk_space);
        let options = Options { disk_space, ..Options::default() };
        let queue = Queue::open(database, folder.path(), options).unwrap();
        let scheduler = Scheduler::new(queue.clone(), Arc::new(FakeRunner::default()));
        Self { disk, queue, scheduler, folder }
    }

    fn enqueue(&self, content: Content) -> Result<TaskUid, ServiceError> {
        self.queue.enqueue(NewTask::new(content)).map(|task| task.uid)
    }

    /// Enqueues on the full disk; returns the waiting thread.
    fn waiting(&self) -> thread::JoinHandle<Result<Task, ServiceError>> {
        let queue = self.queue.clone();
        let waiting = thread::spawn(move || queue.enqueue(NewTask::new(creation("waits"))));
        self.disk.wait_until_waited_for();
        // Another is refused as soon as the first waits.
        assert!(self.enqueue(creation("refused")).is_err());
        waiting
    }
}

#[test]
fn waiting_writes_finish_when_space_returns() {
    let full = FullDisk::new(Duration::from_secs(120));
    let before = full.enqueue(creation("before")).unwrap();
    full.disk.fill(true);
    let waiting = full.waiting();
    let refusal = full.enqueue(creation("refused")).unwrap_err();
    assert_eq!(refusal.code, Code::NoSpaceLeftOnDevice);
    assert_eq!(
        refusal.message,
        "No write is accepted while the disk is full. Free some space, or delete indexes, \
         documents or tasks."
    );
    assert!(full.queue.task(before, None).is_ok(), "reading goes on");
    assert!(!waiting.is_finished());

    full.disk.fill(false);
    let written = waiting.join().unwrap().unwrap();
    let after = full.enqueue(creation("after")).unwrap();
    assert_eq!((before, written.uid, after), (0, 1, 2));
    assert!(full.queue.stopped().is_none());
    while full.scheduler.step().is_some() {}
    let FullDisk { disk, queue, scheduler, folder } = full;
    drop((queue, scheduler));
    for disk in [disk.after_kill(), disk.after_power_cut()] {
        let queue = Queue::open(disk.open_database(), folder.path(), Options::default()).unwrap();
        for uid in 0..3 {
            assert_eq!(queue.task(uid, None).unwrap().status, Status::Succeeded);
        }
    }
}

#[test]
fn batch_end_is_recorded_when_space_returns() {
    let full = FullDisk::new(Duration::from_secs(120));
    let uid = full.enqueue(creation("books")).unwrap();
    full.disk.fill(true);
    thread::scope(|scope| {
        let batch = scope.spawn(|| full.scheduler.step());
        full.disk.wait_until_waited_for();
        assert!(!batch.is_finished());
        full.disk.fill(false);
        assert_eq!(batch.join().unwrap(), Some(0));
    });
    assert_eq!(full.queue.task(uid, None).unwrap().status, Status::Succeeded);
    assert!(full.scheduler.halted().is_none());
}

#[test]
fn wait_ends_and_nothing_acknowledged_is_lost() {
    let full = FullDisk::new(Duration::from_millis(500));
    let before = full.enqueue(creation("before")).unwrap();
    full.disk.fill(true);
    let error = full.enqueue(creation("refused")).unwrap_err();
    assert_eq!(error.code, Code::NoSpaceLeftOnDevice);
    full.disk.fill(false);
    let again = full.enqueue(creation("again")).unwrap_err();
    assert!(again.message.contains("no further write is accepted until"), "{again}");
    let FullDisk { disk, queue, scheduler, folder } = full;
    drop((queue, scheduler));
    let queue =
        Queue::open(disk.after_kill().open_database(), folder.path(), Options::default()).unwrap();
    assert_eq!(queue.task(before, None).unwrap().status, Status::Enqueued);
}

#[test]
fn a_shutdown_does_not_wait_for_room() {
    let full = FullDisk::new(Duration::from_secs(600));
    full.disk.fill(true);
    let waiting = full.waiting();
    full.scheduler.shutdown();
    assert_eq!(waiting.join().unwrap().unwrap_err().code, Code::NoSpaceLeftOnDevice);
}

#[test]
fn tasks_that_free_space_are_accepted_on_a_full_disk() {
    let full = FullDisk::new(Duration::from_secs(120));
    let done = full.enqueue(creation("books")).unwrap();
    while full.scheduler.step().is_some() {}
    full.disk.fill(true);
    let waiting = full.waiting();
    let queue = full.queue.clone();
    // It is not refused; here it waits in line.
    let deletion = thread::spawn(move || queue.delete(&uids(&[done]), "?uids=0", None));
    thread::sleep(Duration::from_millis(300));
    assert!(!deletion.is_finished());
    full.disk.fill(false);
    waiting.join().unwrap().unwrap();
    deletion.join().unwrap().unwrap();
}
