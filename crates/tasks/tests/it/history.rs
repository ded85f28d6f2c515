//! Tasks follow their index when it is swapped or renamed.

use serde_json::{Value, json};
use tasks::*;

use crate::support::*;

fn swaps(harness: &Harness, uid: TaskUid) -> Value {
    harness.task(uid).details.to_json().unwrap()["swaps"].clone()
}

fn of_index(harness: &Harness, name: &str) -> Vec<TaskUid> {
    let index_uids = Some(vec![name.to_owned()]);
    harness.uids(Query { index_uids, ..Query::default() })
}

#[test]
fn a_swap_rewrites_older_tasks_and_older_swaps() {
    let harness = Harness::new();
    let books = harness.add("books");
    let teas = harness.add("teas");
    let set = harness.enqueue(settings("books", json!({ "sortableAttributes": ["pages"] })));
    let failed = harness.enqueue(creation("teas"));
    harness.step_all();
    let first = harness.enqueue(swap("books", "teas"));
    let later = harness.add("books");
    harness.step_all();
    assert_eq!(of_index(&harness, "teas"), [set, books]);
    assert_eq!(of_index(&harness, "books"), [later, failed, teas]);
    assert_eq!(harness.task(failed).index_uid(), Some("books"), "failed tasks too");
    assert_eq!(swaps(&harness, first), json!([{ "indexes": ["books", "teas"], "rename": false }]));

    let second = harness.enqueue(swap("teas", "books"));
    harness.step_all();
    assert_eq!(harness.task(books).index_uid(), Some("books"));
    assert_eq!(harness.task(later).index_uid(), Some("teas"));
    let turned = json!([{ "indexes": ["teas", "books"], "rename": false }]);
    assert_eq!(swaps(&harness, first), turned);
    assert_eq!(swaps(&harness, second), turned);
    let kept = harness.queue.batch(harness.task(first).batch_uid.unwrap(), None).unwrap();
    assert_eq!(kept.details["swaps"], json!([{ "indexes": ["books", "teas"], "rename": false }]));

    // The same after a restart: what is in memory is what is on disk.
    let before = [of_index(&harness, "books"), of_index(&harness, "teas")];
    let harness = harness.reopened();
    assert_eq!([of_index(&harness, "books"), of_index(&harness, "teas")], before);
}

#[test]
fn a_failed_swap_is_rewritten_by_a_later_one() {
    let harness = Harness::new();
    for name in ["b", "new"] {
        harness.enqueue(creation(name));
    }
    let several = |swaps: &[(&str, &str, bool)]| Content::IndexSwap {
        swaps: swaps
            .iter()
            .map(|&(left, right, rename)| Swap { indexes: (left.into(), right.into()), rename })
            .collect(),
    };
    let failed = harness.enqueue(several(&[("ghost", "b", true), ("new", "nope", false)]));
    harness.step_all();
    assert_eq!(harness.task(failed).status, Status::Failed);
    assert_eq!(
        swaps(&harness, failed),
        json!([
            { "indexes": ["ghost", "b"], "rename": true },
            { "indexes": ["new", "nope"], "rename": false },
        ])
    );
    harness.enqueue(several(&[("b", "new", false)]));
    harness.step_all();
    assert_eq!(
        swaps(&harness, failed),
        json!([
            { "indexes": ["ghost", "new"], "rename": true },
            { "indexes": ["b", "nope"], "rename": false },
        ])
    );
}

#[test]
fn a_rename_moves_the_old_name_s_tasks_only() {
    let harness = Harness::new();
    let books = harness.add("books");
    let other = harness.enqueue(clear("library"));
    harness.step_all();
    let renamed = harness.enqueue(rename("books", "library"));
    let again = harness.add("books");
    harness.step_all();
    assert_eq!(of_index(&harness, "library"), [renamed, other, books]);
    assert_eq!(of_index(&harness, "books"), [again, renamed]);
    let details = harness.task(renamed).details.to_json().unwrap();
    assert_eq!(
        (&details["oldIndexUid"], &details["newIndexUid"]),
        (&json!("books"), &json!("library"))
    );
}

#[test]
fn swaps_and_renames_are_barriers_for_their_indexes_only() {
    let harness = Harness::new();
    let a = harness.add("a");
    let swapped = harness.enqueue(swap("a", "b"));
    let b = harness.add("b");
    let a_again = harness.add("a");
    let c = harness.add("c");
    harness.step_all();
    let ran: Vec<_> = harness.runner.log().into_iter().map(|(_, _, tasks)| tasks).collect();
    assert_eq!(ran, [vec![a], vec![swapped], vec![b], vec![a_again], vec![c]]);
}

#[test]
fn only_tasks_of_the_index_are_touched() {
    let harness = Harness::new();
    for _ in 0..50 {
        harness.enqueue(creation("bystander"));
    }
    harness.enqueue(creation("a"));
    harness.step_all();
    let before: Vec<Task> = (0..50).map(|uid| harness.task(uid)).collect();
    harness.enqueue(rename("a", "b"));
    harness.step_all();
    let after: Vec<Task> = (0..50).map(|uid| harness.task(uid)).collect();
    assert_eq!(before, after);
}
