use std::sync::Arc;

use filter::Filter;
use serde_json::{Value, json};
use settings::boosts::{Effect, boosts_from, check_boosts};

use super::{Boosting, FilteredBoost};
use crate::error::SearchError;
use crate::fusion::Fusion;
use crate::query::Query;
use crate::semantic::{HybridQuery, run_hybrid};
use crate::strategy::Strategy;
use crate::testing::{Answer, TestIndex, usual_query};

/// Boosts as a request has them, at one day after 1970 began.
fn boosting(boosts: Value) -> Boosting {
    let boosts = boosts_from(&check_boosts(boosts).expect("boosts"));
    let filtered = boosts.into_iter().map(|boost| {
        let filter = match &boost.effect {
            Effect::Filter(filter) => Filter::from_json(filter).expect("a filter"),
            _ => None,
        };
        FilteredBoost { boost, filter }
    });
    Boosting { boosts: filtered.collect(), is_from_request: true, now: 86_400.0 }
}

fn index(rules: &[&str], documents: &[Value]) -> TestIndex {
    let settings = json!({
        "searchableAttributes": ["t"],
        "rankingRules": rules,
        "sortableAttributes": ["n", "at", "_geo"],
        "filterableAttributes": ["id"],
    });
    TestIndex::new(settings, documents)
}

fn ids(index: &TestIndex, boosts: Value) -> Vec<u64> {
    let boosts = boosting(boosts);
    index.run(|query| query.boosts = Some(&boosts)).expect("an answer").ids()
}

#[test]
fn best_value_of_a_document_counts() {
    let documents = [
        json!({ "id": 1 }),
        json!({ "id": 2, "n": [1, 40, "text"] }),
        json!({ "id": 3, "n": -5 }),
        json!({ "id": 4, "n": [30, 35] }),
        json!({ "id": 5, "n": "99" }),
    ];
    let index = index(&["boost"], &documents);
    assert_eq!(ids(&index, json!([{"value": {"attribute": "n"}}])), [2, 4, 1, 3, 5]);
    let decay =
        json!({"attribute": "n", "origin": 33, "scale": 1, "curve": "linear", "decay": 0.9});
    assert_eq!(ids(&index, json!([{ "decay": decay }])), [4, 2, 1, 3, 5]);
}

#[test]
fn dates_are_read_from_texts_and_numbers() {
    let documents = [
        json!({ "id": 1, "at": "1970-01-01T12:00:00+00:00" }),
        json!({ "id": 2, "at": "1970-01-02T00:00:01Z" }),
        json!({ "id": 3, "at": 86_300 }),
        json!({ "id": 4, "at": "soon" }),
        json!({ "id": 5, "at": ["1960-01-01", "1970-01-02"] }),
    ];
    let index = index(&["boost"], &documents);
    let now = json!([{"decay": {"attribute": "at", "origin": "now", "scale": "1d"}}]);
    assert_eq!(ids(&index, now), [5, 2, 3, 1, 4]);
    // Without anything that is a time, only numbers count.
    let numbers = json!([{"decay": {"attribute": "at", "origin": 86_400, "scale": 86_400}}]);
    assert_eq!(ids(&index, numbers), [3, 1, 2, 4, 5]);
}

#[test]
fn replaced_and_deleted_documents_do_not_count() {
    let documents: Vec<Value> = (0..40).map(|id| json!({ "id": id, "n": id })).collect();
    let index = index(&["boost"], &documents);
    index.put(&[json!({ "id": 39, "n": 1 }), json!({ "id": 3, "n": 100 })]);
    index.delete(&[38, 37]);
    let boosts = json!([{"value": {"attribute": "n"}}]);
    assert_eq!(ids(&index, boosts.clone())[..4], [3, 36, 35, 34]);
    index.merge();
    assert_eq!(ids(&index, boosts)[..4], [3, 36, 35, 34]);
}

#[test]
fn the_order_is_that_of_all_sums() {
    let documents: Vec<Value> = (0..3000_u64)
        .map(|id| {
            let color = if id % 2 == 0 { "red" } else { "blue" };
            json!({ "id": id, "n": id * 7919 % 503, "t": color })
        })
        .collect();
    let index = index(&["words", "boost"], &documents);
    let boosts = boosting(json!([
        {"value": {"attribute": "n", "max": 502}, "weight": 2},
        {"filter": "id < 100"},
    ]));
    let mut expected: Vec<u64> = (0..3000).filter(|id| id % 2 == 0).collect();
    let sum = |id: u64| 2.0 * (id * 7919 % 503) as f64 / 502.0 + f64::from(u8::from(id < 100));
    expected.sort_by(|a, b| sum(*b).total_cmp(&sum(*a)).then(a.cmp(b)));
    for (offset, limit) in [(0, 5), (700, 100), (1490, 20)] {
        for with_scores in [false, true] {
            let answer = index.run(|query| {
                (query.text, query.criteria.to_mut().matching_strategy) =
                    (Some("red "), Strategy::All);
                query.boosts = Some(&boosts);
                (query.offset, query.limit, query.with_scores) = (offset, limit, with_scores);
            });
            let end = expected.len().min(offset + limit);
            assert_eq!(answer.unwrap().ids(), expected[offset..end], "{offset} {limit}");
        }
    }
}

#[test]
fn sorts_before_and_after_the_rule_apply() {
    let documents = [
        json!({ "id": 1, "n": 1, "at": 5 }),
        json!({ "id": 2, "n": 2, "at": 5 }),
        json!({ "id": 3, "n": 1, "at": 9 }),
    ];
    let first = index(&["boost", "n:desc"], &documents);
    let last = index(&["n:desc", "boost"], &documents);
    let at = json!([{"decay": {"attribute": "at", "origin": 9, "scale": 1}}]);
    assert_eq!(ids(&first, at.clone()), [3, 2, 1]);
    assert_eq!(ids(&last, at), [2, 3, 1]);
}

#[test]
fn vector_search_reorders_and_applies_the_threshold() {
    let documents: Vec<Value> = (1..=4).map(|id| json!({ "id": id })).collect();
    let index = index(&["words"], &documents);
    let vectors: [(u64, &[[f32; 2]]); 3] =
        [(1, &[[1.0, 0.0]]), (2, &[[0.8, 0.6]]), (3, &[[0.0, 1.0]])];
    index.set_vectors(&vectors);
    let store = index.store();
    let boosts = boosting(json!([{"filter": "id != 1"}]));
    for (threshold, exhaustive, expected, total) in
        [(None, false, vec![2, 1, 3, 4], 4), (Some(0.6), true, vec![2], 1)]
    {
        let answer = index.run(|query| {
            let vector = &[1.0, 0.0];
            query.vector = Some(crate::VectorQuery { store: &store, vector, distribution: None });
            query.boosts = Some(&boosts);
            (query.criteria.to_mut().ranking_score_threshold, query.exhaustive) =
                (threshold, exhaustive);
        });
        let answer = answer.unwrap();
        assert_eq!((answer.ids(), answer.total()), (expected, total));
    }
    // Pages are cut from the new order.
    let answer = index.run(|query| {
        let vector = &[1.0, 0.0];
        query.vector = Some(crate::VectorQuery { store: &store, vector, distribution: None });
        query.boosts = Some(&boosts);
        (query.offset, query.limit) = (1, 2);
    });
    assert_eq!(answer.unwrap().ids(), [1, 3]);
}

#[test]
fn boosts_count_under_every_fusion_of_a_hybrid_search() {
    let documents: Vec<Value> =
        (0..40).map(|id| json!({ "id": id, "t": "amber ".repeat(1 + id % 4) })).collect();
    let boosts = boosting(json!([{"filter": "id = 17", "weight": 1000}]));
    for rules in [&["words", "exactness"][..], &["bm25"]] {
        let index = index(rules, &documents);
        let vectors = (0..40).map(|id| (id, [[1.0, id as f32]])).collect::<Vec<_>>();
        let vectors = vectors.iter().map(|(id, vector)| (*id, &vector[..])).collect::<Vec<_>>();
        index.set_vectors(&vectors);
        let (snapshot, store) = (index.snapshot(), index.store());
        for fusion in [Fusion::Score, Fusion::Rrf { k: 60 }, Fusion::Normalized] {
            let first = |boosts| {
                let text = Some("amber");
                let query = Query { text, boosts, with_scores: true, ..usual_query() };
                let hybrid = HybridQuery { store: &store, distribution: None, ratio: 0.5, fusion };
                let answer = run_hybrid(&snapshot, &query, hybrid, || Some(vec![1.0, 0.0]));
                let found = answer.expect("an answer").found;
                let details = found.hits[0].details();
                assert!(found.hits.is_sorted_by(|one, next| one.score >= next.score));
                (Answer { found, snapshot: Arc::clone(&snapshot) }.ids()[0], details)
            };
            assert_ne!(first(None).0, 17, "{rules:?} {fusion:?}");
            let (id, details) = first(Some(&boosts));
            assert_eq!(id, 17, "{rules:?} {fusion:?}");
            let detail = details.get("boost").unwrap_or_else(|| &details["bm25"]["boost"]);
            assert_eq!(detail["value"], 1000.0, "{rules:?} {fusion:?}");
        }
    }
}

#[test]
fn boosts_without_values_or_effect_are_refused() {
    let index = index(&["words"], &[json!({ "id": 1, "t": "a" })]);
    let run = |boosts: Value| {
        let boosts = boosting(boosts);
        index.run(|query| query.boosts = Some(&boosts)).err()
    };
    for (boosts, part) in [
        (json!([{"value": {"attribute": "t"}}]), "Attribute `t` of a boost is neither"),
        (json!([{"value": {"attribute": "n"}}]), "have an effect only with"),
    ] {
        match run(boosts) {
            Some(SearchError::Boosts(message)) => assert!(message.contains(part), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(run(json!([])).is_none());
}
