use filter::SortItem;
use serde_json::{Value, json};

use super::*;
use crate::semantic::run_hybrid;
use crate::testing::{Answer, TestIndex, asc, usual_query};

/// With `words` as the only rule, two words score 1 and one word 0.5. The vectors are 0, 0.5, 1,
/// none and 0.8 like that of the query.
fn index(settings: Value) -> TestIndex {
    let index = TestIndex::new(
        settings,
        &[
            json!({ "id": 1, "t": "a b", "g": "p", "n": 5 }),
            json!({ "id": 2, "t": "a", "g": "q", "n": 4 }),
            json!({ "id": 3, "t": "x", "g": "p", "n": 3 }),
            json!({ "id": 4, "t": "a b", "g": "p", "n": 2 }),
            json!({ "id": 5, "t": "x", "g": "q", "n": 1 }),
        ],
    );
    index.set_vectors(&[
        (1, &[[-1.0, 0.0]]),
        (2, &[[0.0, 1.0]]),
        (3, &[[1.0, 0.0]]),
        (5, &[[0.6, 0.8]]),
    ]);
    index
}

fn by_words() -> Value {
    json!({ "searchableAttributes": ["t"], "rankingRules": ["words"] })
}

struct Merged {
    answer: Answer,
    /// True if the vector was computed.
    embedded: bool,
}

impl Merged {
    fn semantic_hits(&self) -> usize {
        self.answer.found.semantic_hits
    }

    /// The ids that came by their vectors.
    fn semantic(&self) -> Vec<u64> {
        let is_semantic = self.answer.details("/vectorSort");
        let ids = self.answer.ids().into_iter().zip(is_semantic);
        ids.filter(|(_, detail)| !detail.is_null()).map(|(id, _)| id).collect()
    }
}

/// Looks for `a b` and the vector `[1, 0]`.
fn find(index: &TestIndex, ratio: f32, change: impl FnOnce(&mut Query<'_>)) -> Merged {
    find_with(index, ratio, Some(vec![1.0, 0.0]), change)
}

fn find_with(
    index: &TestIndex,
    ratio: f32,
    vector: Option<Vec<f32>>,
    change: impl FnOnce(&mut Query<'_>),
) -> Merged {
    let (snapshot, store) = (index.snapshot(), index.store());
    let mut query = Query { text: Some("a b"), ..usual_query() };
    change(&mut query);
    let hybrid = HybridQuery { store: &store, distribution: None, ratio, fusion: Fusion::Score };
    let mut embedded = false;
    let expected = vector.clone();
    let embed = || {
        embedded = true;
        vector
    };
    let found = run_hybrid(&snapshot, &query, hybrid, embed).expect("an answer");
    assert_eq!(found.vector, if embedded { expected } else { None });
    Merged { answer: Answer { found: found.found, snapshot }, embedded }
}

#[test]
fn greater_weighted_score_goes_first_and_shows_unweighted() {
    let index = index(by_words());
    let merged = find(&index, 0.9, |_| ());
    assert_eq!(merged.answer.ranked(), [(3, 1.0), (5, 0.8), (2, 0.5), (1, 1.0), (4, 1.0)]);
    assert_eq!(merged.semantic(), [3, 5, 2]);
    let merged = find(&index, 0.1, |_| ());
    assert_eq!(merged.answer.ranked(), [(1, 1.0), (4, 1.0), (2, 0.5), (3, 1.0), (5, 0.8)]);
    assert_eq!(merged.semantic(), [3, 5]);
    assert_eq!(merged.semantic_hits(), 2);
}

#[test]
fn on_a_tie_the_semantic_hit_goes_first() {
    // 3 ties with 1 and 4; 2 ties with itself.
    let merged = find(&index(by_words()), 0.5, |_| ());
    assert_eq!(merged.answer.ranked(), [(3, 1.0), (1, 1.0), (4, 1.0), (5, 0.8), (2, 0.5)]);
    assert_eq!(merged.semantic(), [3, 5, 2]);
    assert_eq!(merged.semantic_hits(), 3);
}

#[test]
fn values_that_are_sorted_by_are_compared_as_they_are() {
    let settings = json!({ "searchableAttributes": ["t"], "rankingRules": ["sort", "words"],
        "sortableAttributes": ["n"] });
    let index = index(settings);
    let sort: [SortItem; 1] = [asc("n")];
    let (snapshot, store) = (index.snapshot(), index.store());
    let query = Query { text: Some("a b"), sort: &sort, ..usual_query() };
    for (ratio, semantic) in [(0.5, vec![5, 3, 2]), (0.9, vec![5, 3, 2]), (0.1, vec![5, 3])] {
        let hybrid =
            HybridQuery { store: &store, distribution: None, ratio, fusion: Fusion::Score };
        let merged =
            run_hybrid(&snapshot, &query, hybrid, || Some(vec![1.0, 0.0])).expect("an answer");
        let answer = Answer { found: merged.found, snapshot: snapshot.clone() };
        let merged = Merged { answer, embedded: true };
        assert_eq!(merged.answer.ids(), [5, 4, 3, 2, 1], "{ratio}");
        assert_eq!(merged.semantic(), semantic, "{ratio}");
    }
}

#[test]
fn vector_is_not_computed_if_words_are_good_enough() {
    let index = index(by_words());
    for (limit, ratio, needs_vector) in [
        (2, 0.5, false),
        // 1 × 0.45 is just enough, 1 × 0.44 is not.
        (2, 0.549, false),
        (2, 0.56, true),
        // The third hit has 0.5 × 0.5.
        (3, 0.5, true),
        (3, 0.09, false),
        (3, 0.11, true),
        // Not as many hits as could be shown.
        (4, 0.1, true),
        (0, 0.5, false),
    ] {
        let merged = find(&index, ratio, |query| query.limit = limit);
        assert_eq!(merged.embedded, needs_vector, "{limit} {ratio}");
        if !needs_vector {
            assert_eq!(merged.answer.ids(), [1, 4, 2][..limit], "{limit} {ratio}");
            assert_eq!((merged.semantic_hits(), merged.answer.total()), (0, 3));
        }
    }
    // What counts are all hits up to the end of the page.
    let merged = find(&index, 0.5, |query| (query.offset, query.limit) = (1, 1));
    assert_eq!((merged.embedded, merged.answer.ids()), (false, vec![4]));
    let merged = find(&index, 0.5, |query| (query.offset, query.limit) = (2, 1));
    assert_eq!((merged.embedded, merged.answer.ids()), (true, vec![4]));
}

#[test]
fn without_a_vector_the_words_answer_alone() {
    let merged = find_with(&index(by_words()), 0.9, None, |_| ());
    assert!(merged.embedded);
    assert_eq!(merged.answer.ids(), [1, 4, 2]);
    assert_eq!((merged.semantic_hits(), merged.answer.total()), (0, 3));
    let merged = find_with(&index(by_words()), 0.9, None, |query| query.offset = 1);
    assert_eq!(merged.answer.ids(), [4, 2]);
}

#[test]
fn the_total_is_that_of_both() {
    let index = index(by_words());
    for limit in [1, 3, 20] {
        let merged = find(&index, 0.9, |query| query.limit = limit);
        assert_eq!(merged.answer.total(), 5);
    }
    let merged =
        find(&index, 0.9, |query| query.criteria.to_mut().ranking_score_threshold = Some(0.6));
    assert_eq!(merged.answer.ids(), [3, 5, 1, 4]);
    assert_eq!(merged.answer.total(), 4);
}

#[test]
fn distinct_applies_across_both_lists() {
    let mut settings = by_words();
    settings["distinctAttribute"] = json!("g");
    let index = index(settings);
    for (ratio, ids, semantic_hits) in
        [(0.9, [3, 5], 2), (0.5, [3, 5], 2), (0.1, [1, 2], 0), (0.4, [1, 5], 1)]
    {
        for exhaustive in [false, true] {
            let merged = find(&index, ratio, |query| query.exhaustive = exhaustive);
            assert_eq!(merged.answer.ids(), ids, "{ratio}");
            assert_eq!(merged.semantic_hits(), semantic_hits, "{ratio}");
            assert_eq!(merged.answer.total(), 2, "{ratio}");
        }
    }
}

#[test]
fn pages_are_parts_of_the_whole() {
    let index = index(by_words());
    let all = [3, 5, 2, 1, 4];
    for offset in 0..7 {
        for limit in 0..7 {
            let merged = find(&index, 0.9, |query| {
                (query.offset, query.limit, query.with_scores) = (offset, limit, limit % 2 == 0);
            });
            let page: Vec<u64> = all.into_iter().skip(offset).take(limit).collect();
            let semantic = page.iter().filter(|id| all[..3].contains(*id)).count();
            assert_eq!(merged.answer.ids(), page, "{offset} {limit}");
            assert_eq!(merged.semantic_hits(), semantic, "{offset} {limit}");
        }
    }
}

#[test]
fn a_distribution_weighs_before_the_lists_are_merged() {
    let index = index(by_words());
    let (snapshot, store) = (index.snapshot(), index.store());
    let query = Query { text: Some("a b"), ..usual_query() };
    // 1 becomes 0.7 and 0.8 becomes 0.62, which is less than what the words have.
    let distribution = Some(Distribution { mean: 0.5, sigma: 1.0 });
    let hybrid = HybridQuery { store: &store, distribution, ratio: 0.5, fusion: Fusion::Score };
    let merged = run_hybrid(&snapshot, &query, hybrid, || Some(vec![1.0, 0.0])).expect("an answer");
    let answer = Answer { found: merged.found, snapshot };
    assert_eq!(answer.ranked(), [(1, 1.0), (4, 1.0), (3, 0.7), (5, 0.62), (2, 0.5)]);
}

#[test]
fn words_of_several_parts_suffice_together() {
    use crate::federation::Candidate;
    let hit = |number: u64, score: f64| Candidate {
        parts: vec![SortKey::Rank(score)],
        score,
        query: 0,
        number,
        pin: None,
        distinct: Vec::new(),
        hit: (),
    };
    let good = |numbers: std::ops::Range<u64>| numbers.map(|n| hit(n, 0.95)).collect::<Vec<_>>();
    // No part has enough alone.
    assert!(words_suffice(vec![good(0..2), good(2..4)], 4, 0.5));
    assert!(!words_suffice(vec![good(0..2), good(2..4)], 5, 0.5));
    // One that is not good comes too late to count, or not.
    let part = || [good(2..4), vec![hit(9, 0.2)]].concat();
    assert!(words_suffice(vec![good(0..2), part()], 4, 0.5));
    assert!(!words_suffice(vec![good(0..2), part()], 5, 0.5));
    assert!(!words_suffice(vec![good(0..4)], 4, 0.6), "the words weigh less");
    // A pinned document fills a place and need not be good.
    let pin = pins::Pin { doc_id: 0, position: 1, precedence: 0 };
    let pinned = Candidate { pin: Some(pin), ..hit(7, 0.0) };
    assert!(words_suffice(vec![good(0..2), vec![pinned], good(2..3)], 4, 0.5));
}

#[test]
fn hits_of_different_parts_are_compared_as_within_one() {
    let by_words = |score: f64| Hit::new(1, vec![Score::Bm25(score)]);
    let by_vector = |similarity: f32| Hit::new(2, vec![Score::Vector(Some(similarity))]);
    let is_before = |left: &Hit, right: &Hit, ratio: f32| {
        let (left, right) = (left.hybrid_sort_keys(ratio), right.hybrid_sort_keys(ratio));
        sort_key::compare((&left, 0.0), (&right, 0.0)) == Ordering::Greater
    };
    assert!(is_before(&by_words(1.0), &by_vector(0.9), 0.5));
    assert!(is_before(&by_vector(0.9), &by_words(1.0), 0.6));
    assert!(is_before(&by_vector(1.0), &by_words(1.0), 0.5), "of equal ones the vector's");
}

#[test]
fn neither_side_finds_what_the_text_excludes() {
    let index = index(by_words());
    for (text, expected) in [
        ("-x", vec![1, 2, 4]),
        ("-a", vec![3, 5]),
        ("a -b", vec![2, 3, 5]),
        ("-\"a b\"", vec![2, 3, 5]),
        ("\"a b\" -x", vec![1, 2, 4]),
        ("\"a b\"", vec![1, 2, 3, 4, 5]),
    ] {
        let merged = find(&index, 0.5, |query| query.text = Some(text));
        let mut ids = merged.answer.ids();
        ids.sort_unstable();
        assert_eq!(
            (ids, merged.answer.total()),
            (expected.clone(), expected.len() as u64),
            "{text}"
        );
    }
}
