use super::*;
use crate::task::content::Swap;
use crate::task::details::Details;
use crate::task::task_type::Status;

fn task(uid: TaskUid, content: Content) -> Task {
    Task {
        uid,
        batch_uid: None,
        status: Status::Enqueued,
        details: Details::of(&content),
        content,
        error: None,
        canceled_by: None,
        enqueued_at: time::OffsetDateTime::UNIX_EPOCH,
        started_at: None,
        finished_at: None,
        custom_metadata: None,
        network: None,
    }
}

fn clear(index_uid: &str) -> Content {
    Content::DocumentClear { index_uid: index_uid.to_owned() }
}

fn compaction(index_uid: &str) -> Content {
    Content::IndexCompaction { index_uid: index_uid.to_owned() }
}

fn swap(left: &str, right: &str) -> Content {
    let indexes = (left.to_owned(), right.to_owned());
    Content::IndexSwap { swaps: vec![Swap { indexes, rename: false }] }
}

fn lanes(contents: Vec<Content>) -> Lanes {
    let mut lanes = Lanes::default();
    for (uid, content) in contents.into_iter().enumerate() {
        let task = task(uid as TaskUid, content);
        lanes.insert(task.uid, WaitingTask::of(&task));
    }
    lanes
}

fn heads(lanes: &Lanes) -> Vec<TaskUid> {
    lanes.startable().map(|(_, head, _)| head).collect()
}

/// Occupies and empties the lanes of a task, like a batch of that task alone.
fn take(lanes: &mut Lanes, uid: TaskUid) -> (Vec<Arc<str>>, WaitingTask) {
    let names = lanes.lanes_of(uid);
    lanes.occupy(&names);
    (names, lanes.remove(uid).unwrap())
}

#[test]
fn the_oldest_task_of_each_index_can_start() {
    let mut lanes = lanes(vec![clear("a"), clear("a"), clear("b"), clear("c")]);
    assert_eq!(heads(&lanes), [0, 2, 3]);
    let (names, _) = take(&mut lanes, 0);
    assert_eq!(heads(&lanes), [2, 3], "task 1 waits for its busy lane");
    lanes.release(&names);
    assert_eq!(heads(&lanes), [1, 2, 3]);
}

#[test]
fn a_swap_waits_for_both_lanes_and_holds_both() {
    let mut lanes = lanes(vec![clear("a"), swap("a", "b"), clear("b"), clear("c")]);
    assert_eq!(heads(&lanes), [0, 3], "the swap is first for b but not for a");
    let (names, _) = take(&mut lanes, 0);
    assert_eq!(heads(&lanes), [3], "a is busy");
    lanes.release(&names);
    let first: Vec<_> = lanes.startable().map(|(_, head, name)| (head, &**name)).collect();
    assert_eq!(first, [(1, "a"), (1, "b"), (3, "c")]);
    let (names, _) = take(&mut lanes, 1);
    assert_eq!(names.len(), 2);
    assert_eq!(heads(&lanes), [3]);
    lanes.release(&names);
    assert_eq!(heads(&lanes), [2, 3]);
}

#[test]
fn a_swap_of_nothing_runs_too() {
    let lanes = lanes(vec![Content::IndexSwap { swaps: vec![] }]);
    assert_eq!(heads(&lanes), [0]);
}

#[test]
fn compactions_go_before_the_other_tasks_of_their_index() {
    let mut lanes = lanes(vec![clear("a"), clear("b"), clear("b"), compaction("b")]);
    assert_eq!(heads(&lanes), [3, 0]);
    let uids: Vec<_> = lanes.candidates("b").map(|candidate| candidate.uid).collect();
    assert_eq!(uids, [3]);
    let (names, _) = take(&mut lanes, 3);
    lanes.release(&names);
    assert_eq!(heads(&lanes), [0, 1]);
    let uids: Vec<_> = lanes.candidates("b").map(|candidate| candidate.uid).collect();
    assert_eq!(uids, [1, 2]);
}

#[test]
fn a_task_that_is_put_back_is_first_again() {
    let mut lanes = lanes(vec![clear("a"), clear("a")]);
    let (names, waiting) = take(&mut lanes, 0);
    lanes.insert(0, waiting);
    assert_eq!(heads(&lanes), [] as [TaskUid; 0], "still busy");
    lanes.release(&names);
    assert_eq!(heads(&lanes), [0]);
}

#[test]
fn idle_lanes_are_forgotten() {
    let mut lanes = lanes(vec![clear("a"), swap("b", "c"), compaction("d")]);
    for uid in 0..3 {
        let (names, _) = take(&mut lanes, uid);
        lanes.release(&names);
    }
    assert!(lanes.lanes.is_empty() && lanes.ready.is_empty() && lanes.waiting.is_empty());
}

#[test]
fn global_tasks_wait_by_type_and_exports_know_their_indexes() {
    let indexes = serde_json::Map::from_iter([("bo*".to_owned(), serde_json::Value::Null)]);
    let export = Content::Export { url: String::new(), api_key: None, payload_size: None, indexes };
    let mut lanes = lanes(vec![Content::SnapshotCreation, export, Content::SnapshotCreation]);
    let snapshots: Vec<_> = lanes.of_type(TaskType::SnapshotCreation).collect();
    assert_eq!(snapshots, [0, 2]);
    assert_eq!(lanes.exports_of("books").collect::<Vec<_>>(), [1]);
    assert_eq!(lanes.exports_of("teas").count(), 0);
    lanes.remove(1);
    assert_eq!(lanes.exports_of("books").count(), 1, "it runs");
    lanes.forget_export(1);
    assert_eq!(lanes.exports_of("books").count(), 0);
}

#[test]
fn patterns_are_names_or_prefixes() {
    assert!(pattern_matches("*", "books"));
    assert!(pattern_matches("bo*", "books"));
    assert!(pattern_matches("books", "books"));
    assert!(!pattern_matches("book", "books"));
    assert!(!pattern_matches("x*", "books"));
}
