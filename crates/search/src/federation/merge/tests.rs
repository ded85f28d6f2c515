use serde_json::json;

use super::*;
use filter::Order;

fn hit(name: &'static str, query: usize, number: u64, rank: f64) -> Candidate<&'static str> {
    Candidate {
        parts: vec![SortKey::Rank(rank)],
        score: rank,
        query,
        number,
        pin: None,
        distinct: Vec::new(),
        hit: name,
    }
}

fn with_values(mut hit: Candidate<&'static str>, values: &[&str]) -> Candidate<&'static str> {
    hit.distinct = values.iter().map(|value| DistinctValue::Text(value.to_string())).collect();
    hit
}

fn pinned(
    name: &'static str,
    query: usize,
    number: u64,
    at: (usize, u64),
) -> Candidate<&'static str> {
    let pin = Pin { doc_id: number as u32, position: at.0, precedence: at.1 };
    Candidate { parts: Vec::new(), pin: Some(pin), ..hit(name, query, number, 1.0) }
}

fn names(merged: &MergedHits<&'static str>) -> Vec<&'static str> {
    merged.hits.iter().map(|candidate| candidate.hit).collect()
}

#[test]
fn the_best_of_those_next_in_line_goes_first() {
    // The second list is not ordered by its scores, as that of a hybrid search.
    let lists = || {
        vec![
            vec![hit("a1", 0, 1, 0.9), hit("a2", 0, 2, 0.5)],
            vec![hit("b1", 1, 1, 0.6), hit("b2", 1, 2, 0.8), hit("b3", 1, 3, 0.5)],
            vec![],
        ]
    };
    assert_eq!(names(&merge_answers(lists(), 9)), ["a1", "b1", "b2", "a2", "b3"]);
    assert_eq!(names(&merge_answers(lists(), 2)), ["a1", "b1"]);
    assert!(merge_answers(lists(), 0).hits.is_empty());
}

#[test]
fn ties_go_to_the_first_query_and_then_to_the_lower_number() {
    let lists = vec![
        vec![hit("later query", 2, 0, 0.5)],
        vec![hit("higher number", 1, 7, 0.5)],
        vec![hit("lower number", 1, 3, 0.5)],
    ];
    let expected = ["lower number", "higher number", "later query"];
    assert_eq!(names(&merge_answers(lists, 9)), expected);
}

#[test]
fn places_nearby_come_first() {
    let at = |name, query, metres| Candidate {
        parts: vec![SortKey::Distance { order: Order::Asc, metres }],
        ..hit(name, query, 1, 1.0)
    };
    let lists = vec![
        vec![at("here", 0, Some(5.0)), at("far", 0, Some(900.0)), at("nowhere", 0, None)],
        vec![at("near", 1, Some(50.0))],
    ];
    assert_eq!(names(&merge_answers(lists, 9)), ["here", "near", "far", "nowhere"]);
}

#[test]
fn a_document_of_several_queries_counts_by_the_best() {
    let lists = || {
        vec![
            vec![hit("1 by q0", 0, 1, 0.5), hit("2 by q0", 0, 2, 0.4)],
            vec![hit("2 by q1", 1, 2, 0.9), hit("1 by q1", 1, 1, 0.5)],
        ]
    };
    let merged = merge_queries(lists(), 9);
    assert_eq!(names(&merged), ["2 by q1", "1 by q0"]);
    // In the order in which they came to their ends.
    assert_eq!(merged.spent, [1, 0]);
    // In several indexes these are different documents.
    assert_eq!(merge_answers(lists(), 9).hits.len(), 4);
}

#[test]
fn values_count_once_over_all_lists() {
    let lists = vec![
        vec![
            with_values(hit("en", 0, 1, 0.9), &["en"]),
            with_values(hit("fr", 0, 2, 0.7), &["fr"]),
        ],
        vec![
            with_values(hit("en again", 1, 1, 0.8), &["en"]),
            with_values(hit("fr first", 1, 2, 0.75), &["fr", "de"]),
            with_values(hit("none", 1, 3, 0.1), &[]),
            with_values(hit("none again", 1, 4, 0.1), &[]),
        ],
    ];
    let merged = merge_answers(lists, 9);
    assert_eq!(names(&merged), ["en", "fr first", "none", "none again"]);
    assert_eq!(merged.seen.len(), 3);
}

#[test]
fn pins_stand_in_their_places_each_once() {
    let lists = || {
        vec![
            vec![
                pinned("p0", 0, 10, (0, 5)),
                hit("a1", 0, 1, 0.9),
                pinned("p2", 0, 11, (2, 0)),
                hit("a2", 0, 2, 0.8),
            ],
            // Pins the same document elsewhere, and another one before the first.
            vec![pinned("first", 1, 12, (0, 1)), pinned("p2 again", 1, 11, (3, 0))],
            vec![hit("p0 by its score", 2, 10, 1.0), hit("a2 again", 2, 2, 0.1)],
        ]
    };
    assert_eq!(names(&merge_queries(lists(), 9)), ["first", "p0", "p2", "a1", "a2"]);
    assert_eq!(names(&merge_queries(lists(), 4)), ["first", "p0", "p2", "a1"]);
    // Placing what was placed changes nothing.
    let once = merge_queries(lists(), 9).hits;
    assert_eq!(merge_answers(vec![once.clone()], 9).hits, once);
}

#[test]
fn exhausted_lists_are_reported() {
    let value = |hit, value: &str| with_values(hit, &[value]);
    let lists = vec![
        vec![with_values(hit("a1", 0, 1, 0.9), &["x", "y"])],
        vec![value(hit("b1", 1, 1, 0.8), "x"), value(hit("b2", 1, 2, 0.7), "y")],
        vec![hit("c1", 2, 1, 0.1), hit("c2", 2, 2, 0.1)],
    ];
    let merged = merge_answers(lists.clone(), 2);
    assert_eq!(names(&merged), ["a1", "c1"]);
    assert_eq!(merged.spent, [0, 1]);
    assert_eq!(merge_answers(lists, 1).spent, [0; 0]);
}

#[test]
fn values_are_the_same_however_they_are_written() {
    let number = |number: f64| DistinctValue::Number(number);
    let set: HashSet<DistinctValue> = [number(0.0), number(-0.0), number(1.5)].into();
    assert_eq!(set.len(), 2);
    assert!(!set.contains(&DistinctValue::Text("1.5".to_owned())));
    for value in set {
        let text = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<DistinctValue>(&text).unwrap(), value);
    }
    assert_eq!(json!(DistinctValue::Text("x".to_owned())), json!({ "text": "x" }));
}

#[test]
fn rejected_hits_are_skipped() {
    let lists = vec![
        vec![hit("a1", 0, 1, 0.9), hit("a2", 0, 2, 0.7), pinned("a3", 0, 3, (0, 0))],
        vec![hit("b1", 1, 1, 0.8), hit("a4", 1, 2, 0.6), hit("b2", 1, 3, 0.5)],
    ];
    let mut left = 2;
    let merged = merge_admitted(lists, 4, &mut |name: &&str| {
        let is_admitted = name.starts_with('b') || left > 0;
        left -= usize::from(is_admitted && name.starts_with('a'));
        is_admitted
    });
    assert_eq!(names(&merged), ["a3", "a1", "b1", "b2"]);
}
