use std::borrow::Cow;

use filter::SortItem;
use serde_json::{Value, json};

use super::*;
use crate::criteria::Criteria;
use crate::fusion::Fusion;
use crate::pins::Pin;
use crate::strategy::Strategy;
use crate::testing::{Answer, TestIndex, asc, usual_query};

const METHODS: [Fusion; 2] = [Fusion::Rrf { k: 60 }, Fusion::Normalized];

/// Creates `count` documents with none to three of the words, and vectors in all directions; every
/// tenth has no vector.
fn index(count: u64, mut settings: Value) -> TestIndex {
    settings["searchableAttributes"] = json!(["t"]);
    let text = |id: u64| match id % 5 {
        0 => "amber tide song ".repeat(1 + id as usize % 7),
        1 => format!("amber {}", "sand ".repeat(id as usize % 11)),
        2 => format!("tide song {}", "rock ".repeat(id as usize % 13)),
        _ => "quiet".to_owned(),
    };
    let documents: Vec<Value> = (1..=count)
        .map(|id| json!({ "id": id, "t": text(id), "n": id % 3, "g": format!("g{}", id / 2) }))
        .collect();
    let index = TestIndex::new(settings, &documents);
    let angle = |id: u64| (id * 37 % 101) as f32 / 101.0 * 3.0;
    let vectors: Vec<(u64, [[f32; 2]; 1])> = (1..=count)
        .filter(|id| id % 10 != 9)
        .map(|id| (id, [[angle(id).cos(), angle(id).sin()]]))
        .collect();
    let vectors: Vec<(u64, &[[f32; 2]])> = vectors.iter().map(|(id, v)| (*id, &v[..])).collect();
    index.set_vectors(&vectors);
    index
}

fn bm25() -> Value {
    json!({ "rankingRules": ["bm25"] })
}

fn find(
    index: &TestIndex,
    fusion: Fusion,
    ratio: f32,
    change: impl FnOnce(&mut Query<'_>),
) -> Answer {
    let (snapshot, store) = (index.snapshot(), index.store());
    let mut query = Query { text: Some("amber tide song"), criteria: any_word(), ..usual_query() };
    change(&mut query);
    let hybrid = HybridQuery { store: &store, distribution: None, ratio, fusion };
    let found = run_fused(&snapshot, &query, hybrid, || Some(vec![1.0, 0.0])).expect("an answer");
    Answer { found: found.found, snapshot }
}

fn any_word() -> Cow<'static, Criteria> {
    Cow::Owned(Criteria { matching_strategy: Strategy::Any, ..Criteria::default() })
}

/// The ids by the words alone and by the vector alone, with their scores.
fn sides(index: &TestIndex) -> [Vec<(u64, f64)>; 2] {
    let store = index.store();
    let vector = VectorQuery { store: &store, vector: &[1.0, 0.0], distribution: None };
    [None, Some(vector)].map(|vector| {
        let mut query = usual_query();
        (query.text, query.criteria) = (Some("amber tide song"), any_word());
        (query.vector, query.limit) = (vector, 1000);
        let snapshot = index.snapshot();
        let found = run(&snapshot, &query).expect("an answer");
        let answer = Answer { found, snapshot };
        let has_say = |hit: &&crate::Hit| match hit.details().get("vectorSort") {
            Some(detail) => !detail["similarity"].is_null(),
            None => true,
        };
        let hits = answer.found.hits.iter().filter(has_say);
        hits.map(|hit| (answer.id(hit.doc_id), hit.score)).collect()
    })
}

fn is_descending(scores: &[f64]) -> bool {
    scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|score| (0.0..=1.0).contains(score))
}

fn scores(answer: &Answer) -> Vec<f64> {
    answer.found.hits.iter().map(|hit| hit.score).collect()
}

#[test]
fn ranks_are_fused_as_by_the_formula() {
    // All of them are among the first that are fused.
    let index = index(50, bm25());
    let [words, near] = sides(&index);
    for (k, ratio) in [(60, 0.5_f32), (1, 0.5), (10, 0.2), (1000, 0.9)] {
        let part = |list: &[(u64, f64)], id: u64, weight: f64| {
            let rank = list.iter().position(|(other, _)| *other == id);
            rank.map_or(0.0, |rank| weight / (f64::from(k) + 1.0 + rank as f64))
        };
        let ratio_64 = f64::from(ratio);
        let naive = |id| part(&words, id, 1.0 - ratio_64) + part(&near, id, ratio_64);
        let answer = find(&index, Fusion::Rrf { k }, ratio, |query| query.limit = 100);
        assert_eq!(answer.ids().len(), 50);
        let found = scores(&answer);
        assert!(is_descending(&found));
        for (id, score) in answer.ids().into_iter().zip(found) {
            let expected = naive(id) * (f64::from(k) + 1.0);
            assert!((score - expected).abs() < 1e-9, "{id}: {score} {expected}");
        }
    }
}

#[test]
fn scores_are_fused_as_by_the_formula() {
    let index = index(80, bm25());
    let [words, near] = sides(&index);
    let ids: Vec<u64> = (1..=80).collect();
    let scaled = |list: &[(u64, f64)], others: f64| {
        let score = |id: u64| list.iter().find(|hit| hit.0 == id).map_or(others, |hit| hit.1);
        let all: Vec<f64> = ids.iter().map(|id| score(*id)).collect();
        let (least, most) = (
            all.iter().copied().fold(f64::INFINITY, f64::min),
            all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        );
        all.into_iter().map(|score| (score - least) / (most - least)).collect::<Vec<f64>>()
    };
    // What has none of the words scores nothing, what has no vector as the farthest.
    let (words, near) = (scaled(&words, 0.0), scaled(&near, near.last().expect("a hit").1));
    let answer = find(&index, Fusion::Normalized, 0.3, |query| query.limit = 100);
    let found = scores(&answer);
    assert!(is_descending(&found));
    for (id, score) in answer.ids().into_iter().zip(found) {
        let at = id as usize - 1;
        let expected = 0.7 * words[at] + 0.3 * near[at];
        assert!((score - expected).abs() < 1e-6, "{id}: {score} {expected}");
    }
}

#[test]
fn pages_are_parts_of_the_whole_however_deep() {
    let index = index(700, bm25());
    for fusion in METHODS {
        let whole = find(&index, fusion, 0.5, |query| query.limit = 1000);
        assert!(is_descending(&scores(&whole)), "{fusion:?}");
        let whole = whole.ids();
        let mut sorted = whole.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (1..=700).collect::<Vec<u64>>(), "{fusion:?}");
        for (offset, limit) in [(0, 1), (0, 20), (90, 20), (95, 60), (150, 100), (390, 30)] {
            let page =
                find(&index, fusion, 0.5, |query| (query.offset, query.limit) = (offset, limit));
            assert_eq!(page.ids(), whole[offset..offset + limit], "{fusion:?} {offset} {limit}");
            assert_eq!(page.total(), 700);
        }
    }
}

#[test]
fn hits_explain_both_sides() {
    let index = index(40, bm25());
    for (fusion, name, method) in
        [(METHODS[0], "reciprocalRank", "rrf"), (METHODS[1], "normalizedScore", "normalized")]
    {
        let answer = find(&index, fusion, 0.25, |_| ());
        for hit in &answer.found.hits {
            let details = &hit.details()["fusion"];
            let value = |side: &str| details[side][name].as_f64().expect("a number");
            let expected = 0.75 * value("words") + 0.25 * value("vector");
            assert!((hit.score - expected).abs() < 1e-9, "{details}");
            assert_eq!(
                (details["fusion"].as_str(), &details["score"]),
                (Some(method), &json!(hit.score))
            );
            assert_eq!(details["k"].is_null(), method != "rrf");
            assert_eq!(details["vector"]["rank"].is_null(), !hit.is_semantic());
        }
        let semantic = answer.found.hits.iter().filter(|hit| hit.is_semantic()).count();
        assert_eq!(answer.found.semantic_hits, semantic);
    }
}

#[test]
fn hits_below_the_threshold_are_neither_shown_nor_counted() {
    let index = index(300, bm25());
    for fusion in METHODS {
        let whole = find(&index, fusion, 0.5, |query| query.limit = 300);
        let found = scores(&whole);
        for least in [0.9, 0.5, 0.2, 0.0] {
            let count = found.iter().filter(|score| **score >= least).count();
            let answer = find(&index, fusion, 0.5, |query| {
                (query.criteria.to_mut().ranking_score_threshold, query.exhaustive, query.limit) =
                    (Some(least), true, 10);
            });
            assert_eq!(answer.total() as usize, count, "{fusion:?} {least}");
            assert_eq!(answer.ids(), whole.ids()[..count.min(10)], "{fusion:?} {least}");
        }
    }
}

#[test]
fn a_sort_before_the_rules_that_rank_holds() {
    let rules = json!({ "rankingRules": ["sort", "bm25"], "sortableAttributes": ["n"] });
    let index = index(250, rules);
    let sort: [SortItem; 1] = [asc("n")];
    let (snapshot, store) = (index.snapshot(), index.store());
    for fusion in METHODS {
        for limit in [20, 250] {
            let text = Some("amber tide song");
            let query = Query { text, sort: &sort, limit, ..usual_query() };
            let hybrid = HybridQuery { store: &store, distribution: None, ratio: 0.5, fusion };
            let run = run_fused(&snapshot, &query, hybrid, || Some(vec![1.0, 0.0]));
            let answer =
                Answer { found: run.expect("an answer").found, snapshot: snapshot.clone() };
            let ids = answer.ids();
            assert_eq!(ids.len(), limit);
            assert!(ids.is_sorted_by_key(|id| id % 3), "{fusion:?}: {ids:?}");
            let of_zero: Vec<f64> = answer
                .ids()
                .iter()
                .zip(scores(&answer))
                .filter(|(id, _)| *id % 3 == 0)
                .map(|(_, score)| score)
                .collect();
            assert!(is_descending(&of_zero), "{fusion:?}: {of_zero:?}");
        }
    }
}

#[test]
fn a_text_that_only_excludes_leaves_the_order_to_the_vector() {
    let index = index(60, json!({}));
    let store = index.store();
    let vector = VectorQuery { store: &store, vector: &[1.0, 0.0], distribution: None };
    let mut query = usual_query();
    (query.text, query.vector, query.limit) = (Some("-amber"), Some(vector), 60);
    let snapshot = index.snapshot();
    let found = run(&snapshot, &query).expect("an answer");
    let expected = Answer { found, snapshot }.ids();
    assert!(expected.len() < 60 && expected.iter().all(|id| id % 5 > 1));
    for fusion in METHODS {
        let answer = find(&index, fusion, 0.5, |query| {
            (query.text, query.limit) = (Some("-amber"), 60);
        });
        assert_eq!(answer.total() as usize, expected.len());
        let with_vector =
            |ids: Vec<u64>| -> Vec<u64> { ids.into_iter().filter(|id| id % 10 != 9).collect() };
        assert_eq!(with_vector(answer.ids()), with_vector(expected.clone()), "{fusion:?}");
        for (text, excluded) in [("tide -song", [0, 2]), ("quiet -\"tide song\"", [0, 2])] {
            let answer = find(&index, fusion, 0.5, |query| {
                (query.text, query.limit) = (Some(text), 60);
            });
            assert!(answer.ids().iter().all(|id| !excluded.contains(&(id % 5))), "{text}");
            assert_eq!(answer.total(), 36, "{text}");
        }
    }
}

#[test]
fn values_count_once_and_pins_keep_their_places() {
    let mut settings = bm25();
    settings["distinctAttribute"] = json!("g");
    let distinct = index(90, settings);
    let plain = index(90, bm25());
    for fusion in METHODS {
        let answer = find(&distinct, fusion, 0.5, |query| query.limit = 90);
        let mut values: Vec<u64> = answer.ids().into_iter().map(|id| id / 2).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!((answer.ids().len(), values.len(), answer.total()), (46, 46, 46));

        let whole = find(&plain, fusion, 0.5, |query| query.limit = 90).ids();
        let snapshot = plain.snapshot();
        let doc_id = snapshot.doc_id("44").expect("readable").expect("a document");
        let pins = [Pin { doc_id, position: 1, precedence: 0 }];
        let store = plain.store();
        let text = Some("amber tide song");
        let query = Query { text, criteria: any_word(), pins: &pins, limit: 5, ..usual_query() };
        let hybrid = HybridQuery { store: &store, distribution: None, ratio: 0.5, fusion };
        let found = run_fused(&snapshot, &query, hybrid, || Some(vec![1.0, 0.0]));
        let ids = Answer { found: found.expect("an answer").found, snapshot }.ids();
        assert_eq!((ids.len(), ids[0], ids[1]), (5, whole[0], 44), "{fusion:?} {whole:?}");
    }
}

#[test]
fn without_a_vector_the_words_answer_alone() {
    let index = index(60, bm25());
    let [words, _] = sides(&index);
    let (snapshot, store) = (index.snapshot(), index.store());
    for fusion in METHODS {
        let text = Some("amber tide song");
        let query = Query { text, criteria: any_word(), limit: 60, ..usual_query() };
        let hybrid = HybridQuery { store: &store, distribution: None, ratio: 0.5, fusion };
        let found = run_fused(&snapshot, &query, hybrid, || None).expect("an answer").found;
        let answer = Answer { found, snapshot: snapshot.clone() };
        assert_eq!(answer.ids(), words.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        assert_eq!(answer.found.semantic_hits, 0);
    }
}
