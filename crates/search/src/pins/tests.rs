//! Placing, against a list that is put together one hit after the other.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::query::Query;
use crate::semantic::{HybridQuery, run_hybrid};
use crate::testing::{Answer, TestIndex, asc, one_attribute, usual_query};
use crate::vector_query::VectorQuery;

fn pins(positions: &[usize]) -> Vec<Pin> {
    let pin = |(doc_id, position): (DocId, &usize)| Pin {
        doc_id,
        position: *position,
        precedence: u64::from(doc_id),
    };
    (0..).zip(positions).map(pin).collect()
}

/// Ranked hits are `r0`, `r1`, …, pins `p0`, `p1`, ….
fn model(count: usize, positions: &[usize], window: Range<usize>) -> Vec<String> {
    let mut list: Vec<String> = (0..count).map(|number| format!("r{number}")).collect();
    for (number, position) in positions.iter().enumerate() {
        // Pins before this one at its place or behind keep theirs.
        let taken = list.iter().rposition(|hit| hit.starts_with('p')).map_or(0, |last| last + 1);
        let place = (*position).max(taken).min(list.len());
        list.insert(place, format!("p{number}"));
    }
    let end = window.end.min(list.len());
    list.get(window.start..end).unwrap_or_default().to_vec()
}

/// As a search does it: the part that the window needs, and no more.
fn placed(count: usize, positions: &[usize], window: Range<usize>) -> Vec<String> {
    let needed = ranked_window(&pins(positions), window.clone());
    let part: Vec<String> =
        (needed.start..needed.end.min(count)).map(|number| format!("r{number}")).collect();
    let known = match part.len() {
        0 => count.min(needed.start),
        found => needed.start + found,
    };
    let ranked = RankedSlice { part, before: needed.start, count: known };
    let pinned = (0..).zip(positions).map(|(number, at): (u32, _)| (*at, format!("p{number}")));
    place(ranked, pinned.collect(), window)
}

#[track_caller]
fn check(count: usize, positions: &[usize], window: Range<usize>, expected: &str) {
    let found = placed(count, positions, window.clone());
    assert_eq!(found.join(" "), expected, "{count} {positions:?} {window:?}");
    assert_eq!(found, model(count, positions, window));
}

#[test]
fn ranked_hits_flow_around_pins() {
    check(3, &[0, 2], 0..20, "p0 r0 p1 r1 r2");
    check(3, &[0, 2], 0..2, "p0 r0");
    check(3, &[0, 2], 2..4, "p1 r1");
    check(3, &[0, 2], 4..9, "r2");
    check(3, &[], 1..9, "r1 r2");
}

#[test]
fn a_place_that_is_taken_leaves_the_next_one() {
    check(3, &[0, 0, 0, 1], 0..20, "p0 p1 p2 p3 r0 r1 r2");
    check(3, &[1, 1, 4], 0..20, "r0 p0 p1 r1 p2 r2");
}

#[test]
fn pins_behind_the_end_follow_the_last_hit() {
    check(0, &[0, 2], 0..20, "p0 p1");
    check(2, &[1, 50, 60], 0..20, "r0 p0 r1 p1 p2");
    check(2, &[50, 60, 70], 3..4, "p1");
    check(0, &[1, 5, 6], 1..2, "p1");
    check(2, &[50], 3..20, "");
    check(2, &[usize::MAX, usize::MAX], 0..9, "r0 r1 p0 p1");
}

#[test]
fn a_window_needs_only_the_hits_between_its_pins() {
    let positions = pins(&[0, 2, 2]);
    assert_eq!(ranked_window(&positions, 0..3), 0..1);
    assert_eq!(ranked_window(&positions, 3..10), 1..7);
    assert_eq!(ranked_window(&positions, 4..4), 1..1);
    assert_eq!(ranked_window(&positions, 2..3), 0..1);
    assert_eq!(ranked_window(&[], 4..9), 4..9);
    assert_eq!(ranked_window(&positions, 5..usize::MAX), 2..usize::MAX - 3);
}

proptest! {
    #[test]
    fn placing_is_as_the_model(
        count in 0_usize..12,
        mut positions in vec(0_usize..20, 0..8),
        start in 0_usize..20,
        length in 0_usize..10,
    ) {
        positions.sort_unstable();
        let window = start..start + length;
        prop_assert_eq!(
            placed(count, &positions, window.clone()),
            model(count, &positions, window)
        );
    }

    /// Through whole searches: pages put one behind the other are the whole list, whatever makes
    /// the list shorter.
    #[test]
    fn pages_of_a_search_join_to_the_whole(
        pinned in vec((1_u64..12, 0_usize..14), 0..5),
        threshold in prop::option::of(0.9_f64..1.0),
        distinct in any::<bool>(),
        filtered in any::<bool>(),
        size in 1_usize..5,
    ) {
        let index = shoes();
        let filter = json!("kind != care");
        let filter = filter::Filter::from_json(&filter).unwrap().filter(|_| filtered);
        let pins = pins_of(&index, &pinned);
        let search = |offset, limit, exhaustive, pins: &[Pin]| {
            index.run(|query| {
                query.text = Some("boot");
                query.pins = pins;
                query.filter = filter.as_ref();
                query.criteria.to_mut().ranking_score_threshold = threshold;
                query.criteria.to_mut().distinct = distinct.then(|| "kind".to_owned());
                (query.offset, query.limit, query.exhaustive) = (offset, limit, exhaustive);
            })
        };
        let whole = search(0, 100, true, &pins).unwrap();
        prop_assert_eq!(whole.ids().len() as u64, whole.found.candidates.len());
        for exhaustive in [false, true] {
            let mut joined = Vec::new();
            for page in 0..20 {
                let part = search(page * size, size, exhaustive, &pins).unwrap();
                joined.extend(part.ids());
            }
            prop_assert_eq!(&joined, &whole.ids());
        }
        if !distinct {
            let plain = search(0, 100, true, &[]).unwrap();
            let shown: Vec<u64> = pins
                .iter()
                .map(|pin| plain.id(pin.doc_id))
                .filter(|id| !filtered || *id != 6)
                .collect();
            let ranked: Vec<u64> =
                plain.ids().into_iter().filter(|id| !shown.contains(id)).collect();
            let rest: Vec<u64> =
                whole.ids().into_iter().filter(|id| !shown.contains(id)).collect();
            prop_assert_eq!(ranked, rest);
        }
    }
}

fn shoe(id: u64, name: &str, kind: &str, price: u64) -> serde_json::Value {
    json!({ "id": id, "name": name, "kind": kind, "price": price })
}

fn shoes() -> TestIndex {
    let settings = json!({ "filterableAttributes": ["kind"], "sortableAttributes": ["price"] });
    let documents = [
        shoe(1, "Rain boot", "boot", 40),
        shoe(2, "Snow boot", "boot", 90),
        shoe(3, "Beach sandal", "sandal", 15),
        shoe(4, "City sandal", "sandal", 35),
        shoe(5, "Running shoe", "shoe", 70),
        shoe(6, "Boot polish", "care", 5),
        shoe(7, "A boot in the snow", "boot", 55),
        shoe(8, "Boots", "winter", 56),
    ];
    TestIndex::new(settings, &documents)
}

/// Documents by their ids at positions, as the engine gives them to a query.
fn pins_of(index: &TestIndex, pinned: &[(u64, usize)]) -> Vec<Pin> {
    let mut pins: Vec<Pin> = Vec::new();
    for (precedence, (id, position)) in (0..).zip(pinned) {
        let found = index.snapshot().doc_id(&id.to_string()).unwrap();
        if let Some(doc_id) = found.filter(|found| pins.iter().all(|pin| pin.doc_id != *found)) {
            pins.push(Pin { doc_id, position: *position, precedence });
        }
    }
    pins.sort_by_key(|pin| pin.position);
    pins
}

fn pinned_search<'q>(
    index: &TestIndex,
    pins: &'q [Pin],
    change: impl FnOnce(&mut Query<'q>),
) -> Answer {
    let search = index.run(|query| {
        (query.text, query.pins) = (Some("boot"), pins);
        change(query);
    });
    search.unwrap()
}

#[test]
fn a_pinned_document_need_not_match_and_counts() {
    let index = shoes();
    let pins = pins_of(&index, &[(5, 0), (3, 2)]);
    let answer = pinned_search(&index, &pins, |_| ());
    assert_eq!(answer.ids(), [5, 1, 3, 2, 7, 6, 8]);
    assert_eq!(answer.found.candidates.len(), 7);
    let (pinned, ranked) = (&answer.found.hits[2], &answer.found.hits[1]);
    assert_eq!(pinned.score, 1.0);
    assert_eq!(json!(pinned.details()), json!({ "pin": { "order": 0, "position": 2 } }));
    assert!(ranked.details().contains_key("words"));
    // One that matches leaves its own place.
    let pins = pins_of(&index, &[(6, 0)]);
    assert_eq!(pinned_search(&index, &pins, |_| ()).ids(), [6, 1, 2, 7, 8]);
    let nothing = pinned_search(&index, &pins, |query| query.text = Some("zzzz"));
    assert_eq!((nothing.ids(), nothing.found.candidates.len()), (vec![6], 1));
    let no_window = pinned_search(&index, &pins, |query| query.limit = 0);
    assert_eq!((no_window.ids(), no_window.found.candidates.len()), (vec![], 5));
}

#[test]
fn a_pinned_document_must_pass_the_filter_but_not_the_threshold() {
    let index = shoes();
    let pins = pins_of(&index, &[(5, 0), (6, 1)]);
    let filter = filter::Filter::from_json(&json!("kind = boot")).unwrap();
    let answer = pinned_search(&index, &pins, |query| query.filter = filter.as_ref());
    assert_eq!(answer.ids(), [1, 2, 7]);
    let answer = pinned_search(&index, &pins, |query| {
        query.criteria.to_mut().ranking_score_threshold = Some(0.999);
    });
    assert_eq!(answer.ids(), [5, 6, 1, 2, 7]);
    assert_eq!(answer.found.candidates.len(), 5);
}

#[test]
fn each_value_counts_once_and_pins_come_first() {
    let index = shoes();
    let distinct =
        |query: &mut Query<'_>| query.criteria.to_mut().distinct = Some("kind".to_owned());
    let pins = pins_of(&index, &[(5, 0), (3, 2)]);
    assert_eq!(pinned_search(&index, &pins, distinct).ids(), [5, 1, 3, 6, 8]);
    // Its kind is taken, wherever it stands.
    let pins = pins_of(&index, &[(7, 9)]);
    let answer = pinned_search(&index, &pins, distinct);
    assert_eq!(answer.ids(), [6, 8, 7]);
    assert_eq!(answer.found.candidates.len(), 3);
    let pins = pins_of(&index, &[(2, 1), (7, 0), (1, 5)]);
    assert_eq!(pinned_search(&index, &pins, distinct).ids(), [7, 6, 8]);
}

#[test]
fn pins_hold_against_a_sort() {
    let index = shoes();
    let sort = [asc("price")];
    let pins = pins_of(&index, &[(5, 0), (3, 2)]);
    let answer = index.run_sorted(&sort, |query| query.pins = &pins).unwrap();
    assert_eq!(answer.ids(), [5, 6, 3, 4, 1, 7, 8, 2]);
}

#[test]
fn pins_are_not_found_by_a_vector() {
    let texts = ["a b", "a", "b", "c", "a b c"];
    let index = TestIndex::of_texts(one_attribute(), &texts);
    let vectors: [(u64, &[[f32; 2]]); 3] =
        [(1, &[[1.0, 0.0]]), (3, &[[0.9, 0.1]]), (4, &[[0.0, 1.0]])];
    index.set_vectors(&vectors);
    let (store, vector) = (index.store(), [1.0, 0.0]);
    let pins = pins_of(&index, &[(4, 0), (1, 9)]);

    let of_vector = VectorQuery { store: &store, vector: &vector, distribution: None };
    let answer = index.run(|query| (query.vector, query.pins) = (Some(of_vector), &pins)).unwrap();
    assert_eq!(answer.ids(), [4, 3, 2, 5, 1]);
    assert_eq!(answer.found.semantic_hits, 3);

    let hybrid =
        HybridQuery { store: &store, distribution: None, ratio: 0.5, fusion: crate::Fusion::Score };
    let snapshot = index.snapshot();
    let merged = |offset, limit| {
        let query = Query { text: Some("a b"), pins: &pins, offset, limit, ..usual_query() };
        let found = run_hybrid(&snapshot, &query, hybrid, || Some(vector.to_vec())).unwrap().found;
        Answer { found, snapshot: index.snapshot() }
    };
    let whole = merged(0, 20);
    assert_eq!(whole.ids().len(), 5);
    assert_eq!((whole.ids()[0], whole.ids()[4]), (4, 1));
    assert_eq!(whole.found.candidates.len(), 5);
    assert!(whole.found.semantic_hits <= 3);
    let pages: Vec<u64> = (0..5).flat_map(|page| merged(page, 1).ids()).collect();
    assert_eq!(pages, whole.ids());
}

#[test]
fn a_window_full_of_pins_asks_for_no_vector() {
    let index = TestIndex::of_texts(one_attribute(), &["a", "b"]);
    index.set_vectors(&[(1, &[[1.0, 0.0]])]);
    let (store, snapshot) = (index.store(), index.snapshot());
    let pins = pins_of(&index, &[(2, 0)]);
    let query = Query { text: Some("a"), pins: &pins, limit: 1, ..usual_query() };
    let hybrid =
        HybridQuery { store: &store, distribution: None, ratio: 0.9, fusion: crate::Fusion::Score };
    let found = run_hybrid(&snapshot, &query, hybrid, || panic!("no vector is needed")).unwrap();
    assert_eq!(found.found.hits.len(), 1);
}

#[test]
fn each_value_counts_once_where_two_lists_are_merged() {
    let index = shoes();
    let near: Vec<(u64, &[[f32; 2]])> = vec![
        (1, &[[1.0, 0.0]]),
        (2, &[[0.9, 0.1]]),
        (3, &[[0.8, 0.3]]),
        (4, &[[0.5, 0.5]]),
        (5, &[[0.0, 1.0]]),
    ];
    index.set_vectors(&near);
    let (store, snapshot) = (index.store(), index.snapshot());
    let pins = pins_of(&index, &[(7, 3), (4, 0), (3, 1)]);
    let hybrid =
        HybridQuery { store: &store, distribution: None, ratio: 0.5, fusion: crate::Fusion::Score };
    let search = |offset, limit| {
        let mut query = Query {
            text: Some("boot"),
            pins: &pins,
            exhaustive: true,
            offset,
            limit,
            ..usual_query()
        };
        query.criteria.to_mut().distinct = Some("kind".to_owned());
        let vector = || Some(vec![1.0, 0.0]);
        let found = run_hybrid(&snapshot, &query, hybrid, vector).unwrap().found;
        Answer { found, snapshot: index.snapshot() }
    };
    let whole = search(0, 20);
    // Boots and sandals are pinned, so there is one of each other kind.
    let (mut others, place) = (whole.ids(), |id| whole.ids().iter().position(|hit| *hit == id));
    assert_eq!((place(4), place(7)), (Some(0), Some(3)));
    others.retain(|id| ![4, 7].contains(id));
    others.sort_unstable();
    assert_eq!(others, [5, 6, 8]);
    assert_eq!(whole.found.candidates.len(), 5);
    let pages: Vec<u64> = (0..5).flat_map(|page| search(page, 1).ids()).collect();
    assert_eq!(pages, whole.ids());
}
