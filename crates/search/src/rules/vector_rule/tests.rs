use filter::SortItem;
use serde_json::{Value, json};

use super::*;
use crate::testing::{TestIndex, desc};

/// Sixty documents; every third has no vector, the others get farther from `[1, 0]` two by two.
fn index(rules: Value) -> TestIndex {
    let documents: Vec<Value> =
        (0..60).map(|id| json!({ "id": id, "t": "word", "n": id % 2 })).collect();
    let settings = json!({ "rankingRules": rules, "sortableAttributes": ["n"] });
    let index = TestIndex::new(settings, &documents);
    for id in (0..60).filter(|id| id % 3 != 0) {
        let angle = (id / 3) as f32 / 10.0;
        index.set_vectors(&[(id, &[[angle.cos(), angle.sin()]])]);
    }
    index
}

fn find(
    index: &TestIndex,
    offset: usize,
    limit: usize,
    sort: &[SortItem],
) -> (Vec<u64>, Vec<Value>) {
    let store = index.store();
    let vector = VectorQuery { store: &store, vector: &[1.0, 0.0], distribution: None };
    let (ids, details) = {
        let mut query = crate::testing::usual_query();
        (query.text, query.vector) = (Some("nothing has this"), Some(vector));
        (query.offset, query.limit, query.sort) = (offset, limit, sort);
        let snapshot = index.snapshot();
        let found = crate::run(&snapshot, &query).expect("an answer");
        assert_eq!(found.candidates.len(), 60, "the text takes nothing away");
        let answer = crate::testing::Answer { found, snapshot };
        (answer.ids(), answer.details("/vectorSort/similarity"))
    };
    (ids, details)
}

fn in_order() -> Vec<u64> {
    let with_vectors = (0..60).filter(|id| id % 3 != 0);
    with_vectors.chain((0..60).filter(|id| id % 3 == 0)).collect()
}

#[test]
fn nearest_first_and_what_has_no_vector_last() {
    let index = index(json!(["words", "typo"]));
    let (ids, details) = find(&index, 0, 60, &[]);
    assert_eq!(ids, in_order());
    assert_eq!(details[0], json!(1.0));
    assert!(details[..40].is_sorted_by(|a, b| a.as_f64() >= b.as_f64()));
    assert!(details[40..].iter().all(Value::is_null));
    for (offset, limit) in [(0, 1), (3, 20), (30, 15), (45, 30)] {
        let (page, _) = find(&index, offset, limit, &[]);
        let whole = in_order();
        assert_eq!(page, whole[offset..(offset + limit).min(60)], "{offset} {limit}");
    }
}

#[test]
fn rules_that_sort_stay_before_and_after() {
    // The two of each distance are put in order by what comes after.
    let sort = [desc("n")];
    let (ids, _) = find(&index(json!(["words", "sort"])), 0, 40, &sort);
    let mut expected = in_order();
    expected.truncate(40);
    expected.chunks_mut(2).for_each(|pair| pair.sort_by_key(|id| id % 2 == 0));
    assert_eq!(ids, expected);

    let (ids, _) = find(&index(json!(["sort", "words"])), 0, 60, &sort);
    let (odd, even): (Vec<u64>, Vec<u64>) = in_order().into_iter().partition(|id| id % 2 == 1);
    assert_eq!(ids, [odd, even].concat());
}

#[test]
fn a_document_that_is_alone_is_ranked_by_the_vector_too() {
    for rules in [json!(["words", "sort"]), json!(["sort", "words"])] {
        let index = index(rules);
        let store = index.store();
        let vector = VectorQuery { store: &store, vector: &[1.0, 0.0], distribution: None };
        let sort = [desc("n")];
        // Of the two that are left when the others are deleted, one has no vector.
        index.delete(&(2..60).collect::<Vec<u64>>());
        for with_scores in [false, true] {
            let mut query = crate::testing::usual_query();
            (query.vector, query.sort, query.with_scores) = (Some(vector), &sort, with_scores);
            let found = crate::run(&index.snapshot(), &query).expect("an answer");
            assert_eq!((found.hits.len(), found.semantic_hits), (2, 2));
        }
        index.delete(&[1]);
        let mut query = crate::testing::usual_query();
        (query.vector, query.with_scores) = (Some(vector), false);
        let found = crate::run(&index.snapshot(), &query).expect("an answer");
        assert_eq!((found.hits.len(), found.semantic_hits), (1, 1));
    }
}
