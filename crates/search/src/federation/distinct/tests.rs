use std::sync::LazyLock;

use model::Cancel;
use serde_json::{Value, json};

use super::*;
use crate::distinct::choose;
use crate::testing::{TestIndex, id_of};

static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

fn index(documents: &[Value]) -> TestIndex {
    TestIndex::new(json!({ "filterableAttributes": ["k"] }), documents)
}

fn text(value: &str) -> DistinctValue {
    DistinctValue::Text(value.to_owned())
}

#[track_caller]
fn check(exhaustive: bool, seen: &[DistinctValue], kept: &[u64], expected: [&[u64]; 2]) {
    let (left, right) = (
        index(&[
            json!({ "id": 1, "k": "Red" }),
            json!({ "id": 2, "k": "red" }),
            json!({ "id": 3, "k": 7 }),
            json!({ "id": 4 }),
        ]),
        index(&[
            json!({ "id": 1, "k": "blue" }),
            json!({ "id": 2, "k": ["red", 7] }),
            json!({ "id": 3, "k": "blue" }),
            json!({ "id": 4, "k": null }),
        ]),
    );
    let (left, right) = (left.snapshot(), right.snapshot());
    let of_ids = |snapshot: &Snapshot, ids: &[u64]| -> RoaringBitmap {
        ids.iter().map(|id| snapshot.doc_id(&id.to_string()).unwrap().unwrap()).collect()
    };
    let counted = |snapshot| CountedDocuments {
        snapshot,
        candidates: Snapshot::live(snapshot).clone(),
        kept: RoaringBitmap::new(),
    };
    let indexes = || {
        let mut indexes = [counted(&left), counted(&right)];
        indexes[0].kept = of_ids(&left, kept);
        indexes
    };
    let seen: HashSet<DistinctValue> = seen.iter().cloned().collect();
    let check = |indexes: &[CountedDocuments<'_>]| {
        for (index, expected) in indexes.iter().zip(expected) {
            let ids: Vec<u64> =
                index.candidates.iter().map(|doc_id| id_of(index.snapshot, doc_id)).collect();
            assert_eq!(ids, expected);
        }
    };
    let mut together = indexes();
    drop_duplicates(&mut together, "k", &seen, exhaustive, &NOT_CANCELLED).unwrap();
    check(&together);
    if exhaustive {
        // The same by instances that know nothing of each other.
        let mut apart = indexes();
        drop_duplicates(&mut apart, "k", &seen, false, &NOT_CANCELLED).unwrap();
        let mut listed = indexes();
        drop_duplicates(&mut listed, "k", &seen, false, &NOT_CANCELLED).unwrap();
        let mut lists = Vec::new();
        for index in &mut listed {
            lists.extend(
                list_contenders(std::slice::from_mut(index), "k", &NOT_CANCELLED).unwrap().unwrap(),
            );
        }
        let chosen = choose(&[("a", &lists[0]), ("b", &lists[1])]);
        keep_chosen(&mut apart, &chosen, "k", &NOT_CANCELLED).unwrap();
        check(&apart);
        for ((index, listed), chosen) in apart.iter().zip(&listed).zip(&chosen) {
            assert_eq!(index.candidates, &listed.candidates | chosen);
        }
    }
}

#[test]
fn duplicates_of_hits_are_not_counted() {
    check(false, &[], &[], [&[1, 2, 3, 4], &[1, 2, 3, 4]]);
    check(false, &[text("red")], &[2], [&[2, 3, 4], &[1, 3, 4]]);
    check(false, &[DistinctValue::Number(7.0)], &[3], [&[1, 2, 3, 4], &[1, 3, 4]]);
    check(false, &[text("green"), text("blue")], &[], [&[1, 2, 3, 4], &[2, 4]]);
}

#[test]
fn exhaustive_count_has_each_value_once_across_indexes() {
    check(true, &[], &[], [&[1, 3, 4], &[1, 4]]);
    check(true, &[text("red")], &[2], [&[2, 3, 4], &[1, 4]]);
    check(true, &[text("blue")], &[], [&[1, 3, 4], &[4]]);
}

#[test]
fn values_are_told_in_their_normal_form() {
    let index = index(&[
        json!({ "id": 1, "k": ["Red ", 7, true] }),
        json!({ "id": 2, "k": {} }),
        json!({ "id": 3 }),
    ]);
    let snapshot = index.snapshot();
    let documents = snapshot.live().iter();
    let values = values_of(&snapshot, "k", documents, &NOT_CANCELLED).unwrap();
    assert_eq!(
        values,
        [vec![DistinctValue::Number(7.0), text("red"), text("true")], vec![], vec![]]
    );
}
