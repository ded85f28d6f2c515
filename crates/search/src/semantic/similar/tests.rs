use std::sync::LazyLock;

use model::Cancel;
use serde_json::{Value, json};

use super::*;
use crate::testing::{TestIndex, id_of};

static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

fn index() -> TestIndex {
    let documents: Vec<Value> = (1..=6).map(|id| json!({ "id": id })).collect();
    let index = TestIndex::new(json!({ "filterableAttributes": ["id"] }), &documents);
    index.set_vectors(&[
        (1, &[[1.0, 0.0], [0.0, 1.0]]),
        (2, &[[0.6, 0.8]]),
        // The other way round: no place of it is near.
        (3, &[[0.0, 1.0], [1.0, 0.0]]),
        (4, &[[-1.0, 0.0], [0.0, 2.0]]),
        (5, &[[-1.0, 0.0]]),
    ]);
    index
}

/// Ids with scores, and the total.
fn like_the_first(change: impl FnOnce(&mut SimilarQuery<'_>)) -> (Vec<(u64, f64)>, u64) {
    let index = index();
    let (snapshot, store) = (index.snapshot(), index.store());
    let target = snapshot.doc_id("1").expect("readable").expect("a document");
    let vectors = store.vectors_of(target).expect("readable");
    let mut query = SimilarQuery {
        target: Some(target),
        vectors: &vectors,
        store: &store,
        distribution: None,
        filter: None,
        offset: 0,
        limit: 20,
        threshold: None,
        cancel: &NOT_CANCELLED,
    };
    change(&mut query);
    let found = similar(&snapshot, &query).expect("an answer");
    let round = |score: f64| (score * 1e4).round() / 1e4;
    let hits = found.hits.iter().map(|hit| (id_of(&snapshot, hit.doc_id), round(hit.score)));
    (hits.collect(), found.counts.total(query.threshold, query.offset + query.limit))
}

#[test]
fn vectors_are_compared_place_by_place_and_the_best_counts() {
    let (hits, total) = like_the_first(|_| ());
    assert_eq!(hits, [(4, 1.0), (2, 0.8), (3, 0.5), (5, 0.0)]);
    assert_eq!(total, 5, "also what has no vector");
}

#[test]
fn windows_and_thresholds() {
    let (hits, total) = like_the_first(|query| (query.offset, query.limit) = (1, 2));
    assert_eq!((hits, total), (vec![(2, 0.8), (3, 0.5)], 5));
    let (hits, total) = like_the_first(|query| query.threshold = Some(0.6));
    assert_eq!((hits, total), (vec![(4, 1.0), (2, 0.8)], 2));
    let (hits, _) = like_the_first(|query| query.limit = 0);
    assert!(hits.is_empty());
}

#[test]
fn distribution_changes_scores_before_the_threshold() {
    let spread = Some(Distribution { mean: 0.5, sigma: 1.0 });
    let (hits, _) = like_the_first(|query| query.distribution = spread);
    assert_eq!(hits, [(4, 0.7), (2, 0.62), (3, 0.5), (5, 0.3)]);
    let (hits, total) = like_the_first(|query| {
        (query.distribution, query.threshold) = (spread, Some(0.65));
    });
    assert_eq!((hits, total), (vec![(4, 0.7)], 1));
}
