//! Compacting the task store: what was there is there after the restart, and writes go on.

mod support;

use engine::keys::Access;
use support::Instance;
use tasks::{Method, Status};

#[test]
fn everything_is_there_after_the_restart_that_a_compaction_asks_for() {
    let mut instance = Instance::new();
    for id in 0..50 {
        instance.wait(&instance.add("books", Method::Replace, &format!("[{{\"id\":{id}}}]")));
    }
    let (before, after) = instance.engine().compact_tasks().expect("it is compacted");
    assert!(after <= before, "{before} bytes became {after}");
    assert_eq!(instance.engine().health(), engine::Health::MustRestart);

    instance.restart();
    assert_eq!(instance.engine().health(), engine::Health::Available);
    assert_eq!(
        instance.engine().task(&Access::full(), 49).expect("kept").status,
        Status::Succeeded
    );
    assert_eq!(instance.documents("books").expect("kept").len(), 50);
    // Asked for by several at once, it is done once and the others are told to restart.
    let engine = instance.engine();
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| engine.compact_tasks())).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);

    instance.restart();
    let next = instance.add("books", Method::Replace, "[{\"id\":50}]");
    assert_eq!(next.uid, 50);
    assert_eq!(instance.wait(&next).status, Status::Succeeded);
}
