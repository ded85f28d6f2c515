//! Compacting the task store: nothing that was acknowledged is lost, and writes go on.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::Health;
use engine::keys::Access;
use tasks::{Method, Status};

use crate::support::Instance;

#[test]
fn writes_after_a_compaction_survive_a_restart() {
    let mut instance = Instance::new();
    for id in 0..50 {
        instance.wait(&instance.add("books", Method::Replace, &format!("[{{\"id\":{id}}}]")));
    }
    let (before, after) = instance.engine().compact_tasks().expect("it is compacted");
    assert!(after <= before, "{before} bytes became {after}");
    assert_eq!(instance.engine().health(), Health::MustRestart);
    assert!(!instance.path().join("meta.redb.new").exists());
    let next = instance.add("books", Method::Replace, "[{\"id\":50}]");
    assert_eq!(next.uid, 50);
    assert_eq!(instance.wait(&next).status, Status::Succeeded);

    instance.restart();
    assert_eq!(instance.engine().health(), Health::Available);
    for uid in [49, 50] {
        let task = instance.engine().task(&Access::full(), uid).expect("kept");
        assert_eq!(task.status, Status::Succeeded);
    }
    assert_eq!(instance.documents("books").expect("kept").len(), 51);
}

#[test]
fn writes_during_compactions_survive_a_restart() {
    let mut instance = Instance::new();
    let done = AtomicBool::new(false);
    let mut acknowledged = Vec::new();
    std::thread::scope(|scope| {
        let compacting: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut times = 0;
                    while times < 2 || !done.load(Ordering::Acquire) {
                        instance.engine().compact_tasks().expect("it is compacted");
                        times += 1;
                    }
                })
            })
            .collect();
        for id in 0..60 {
            let body = format!("[{{\"id\":{id}}}]");
            acknowledged.push(instance.add("books", Method::Replace, &body));
            // Read all the while, of whichever file is in force.
            let task = instance.engine().task(&Access::full(), id).expect("it was acknowledged");
            assert_eq!(task.uid, id);
        }
        done.store(true, Ordering::Release);
        for thread in compacting {
            thread.join().expect("no panic");
        }
    });
    for task in &acknowledged {
        assert_eq!(instance.wait(task).status, Status::Succeeded);
    }

    instance.restart();
    assert_eq!(instance.documents("books").expect("kept").len(), 60);
    for task in &acknowledged {
        let kept = instance.engine().task(&Access::full(), task.uid).expect("kept");
        assert_eq!(kept.status, Status::Succeeded);
    }
}

#[test]
fn a_compaction_that_fails_changes_nothing() {
    let mut instance = Instance::new();
    // No file can be made where a folder is.
    let draft = instance.path().join("meta.redb.new");
    fs::create_dir(&draft).expect("a folder");
    let error = instance.engine().compact_tasks().expect_err("there is no room for the new file");
    assert!(error.message.contains("cannot be compacted"), "{error}");
    assert_eq!(instance.engine().health(), Health::Available);
    let task = instance.add("books", Method::Replace, "[{\"id\":1}]");
    assert_eq!(instance.wait(&task).status, Status::Succeeded);

    // Leftovers of a killed process are removed.
    fs::remove_dir(&draft).expect("it is empty");
    instance.stop();
    fs::write(&draft, "half a file").expect("it can be written");
    instance.start();
    assert!(!draft.exists());
    assert_eq!(instance.documents("books").expect("kept").len(), 1);
}
