//! A search sees the settings as they were before a change or as they are after it: all of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::harness::{Setup, TestServer, change_settings, search};

const DOCUMENTS: usize = 4_000;
const INDEX: &str = "at-once";

/// Settings of every kind: what is shown, matched, cut, filtered, sorted, ordered, counted.
fn settings(is_second: bool) -> Value {
    match is_second {
        false => json!({
            "displayedAttributes": ["id", "first"], "searchableAttributes": ["first"],
            "filterableAttributes": ["number"], "sortableAttributes": ["number"],
            "rankingRules": ["sort", "words"], "stopWords": ["the"], "separatorTokens": ["|"],
            "synonyms": {"asked": ["one"]}, "pagination": {"maxTotalHits": 3}, "searchCutoffMs": 600_000,
        }),
        true => json!({
            "displayedAttributes": ["id", "second"], "searchableAttributes": ["second"],
            "filterableAttributes": ["number", "kind"], "sortableAttributes": ["number", "kind"],
            "rankingRules": ["words", "number:desc", "sort"], "stopWords": ["a"], "separatorTokens": [],
            "synonyms": {"asked": ["two"]}, "pagination": {"maxTotalHits": 5}, "searchCutoffMs": 600_000,
        }),
    }
}

/// What a search shows of the settings: the shown attribute, how many hits, the order, what the
/// synonym and the separator found.
fn look(server: &TestServer) -> (String, usize, u64, u64) {
    let body = json!({"q": "asked", "sort": ["number:asc"], "filter": "number >= 0", "limit": 9});
    let answer = search(server, INDEX, body);
    let hits = answer["hits"].as_array().unwrap();
    let shown = hits[0].as_object().unwrap().keys().next_back().unwrap().clone();
    let first = hits[0]["id"].as_u64().unwrap();
    (shown, hits.len(), first, answer["estimatedTotalHits"].as_u64().unwrap())
}

#[test]
fn a_search_never_sees_half_of_a_change() {
    let server = TestServer::start(Setup::default());
    let documents: Vec<Value> = (0..DOCUMENTS)
        .map(|id| {
            json!({"id": id, "number": id, "kind": id % 7,
            "first": format!("the one|piece number {id}"),
            "second": if id % 2 == 0 { format!("a two piece {id}") } else { format!("none {id}") }})
        })
        .collect();
    server.with_documents(INDEX, json!(documents));
    let count = DOCUMENTS as u64;
    let states =
        [("first".to_owned(), 3, 0, count), ("second".to_owned(), 5, count - 2, count / 2)];

    change_settings(&server, INDEX, settings(false));
    assert_eq!(look(&server), states[0]);
    let (ended, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let seen = std::thread::scope(|scope| {
        let searching = scope.spawn(|| {
            let mut seen = Vec::new();
            while !ended.load(Ordering::Acquire) {
                seen.push(look(&server));
                looks.fetch_add(1, Ordering::AcqRel);
            }
            seen
        });
        // Asked for while the other one searches; both ways, so that each kind of value is both
        // added and taken away.
        for round in 0..4 {
            let task = server
                .call_json(&format!("PATCH /indexes/{INDEX}/settings"), settings(round % 2 == 0))
                .task(&server);
            assert_eq!(task["status"], "succeeded", "{task}");
            assert_eq!(look(&server), states[usize::from(round % 2 == 0)]);
            // The other one has looked too, from the beginning to the end.
            let wanted = looks.load(Ordering::Acquire) + 2;
            while looks.load(Ordering::Acquire) < wanted && !searching.is_finished() {
                std::thread::yield_now();
            }
        }
        ended.store(true, Ordering::Release);
        searching.join().expect("every search succeeds")
    });
    for state in &seen {
        assert!(states.contains(state), "{state:?}");
    }
    for state in &states {
        assert!(seen.contains(state), "{state:?} in {} searches", seen.len());
    }
}
