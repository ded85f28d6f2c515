//! Searches while documents are written and segments are merged: each sees one state. Documents
//! are updated in pairs, in one batch, so no search may see one half of a pair without the other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine::Engine;
use engine::search::{SearchRequest, Window};
use model::{Cancel, IndexUid};
use serde_json::{Value, json};
use settings::Change;
use tasks::{Method, Status};

use crate::support::Instance;

const PAIRS: usize = 40;
const ROUNDS: usize = 60;

/// Both halves of every pair, in the words of one round.
fn documents(round: usize) -> String {
    let halves = (0..PAIRS).flat_map(|pair| ["left", "right"].map(|half| (pair, half)));
    let texts: Vec<String> = halves
        .map(|(pair, half)| {
            format!(r#"{{"id":"{pair}-{half}","pair":"pair{pair}","text":"round{round} moss"}}"#)
        })
        .collect();
    format!("[{}]", texts.join(","))
}

fn hits(engine: &Engine, text: &str) -> (Vec<Value>, u64) {
    let request = SearchRequest {
        text: Some(text.to_owned()),
        window: Window::Offset { offset: 0, limit: 1000 },
        ..SearchRequest::default()
    };
    let answer =
        engine.searcher().search("pairs", &request, &Cancel::default()).expect("an answer");
    (serde_json::from_str(&answer.hits).expect("hits are JSON"), answer.total)
}

/// Looks at everything, and at one pair.
fn check(engine: &Engine, turn: usize) {
    let (all, total) = hits(engine, "moss ");
    assert_eq!((all.len(), total), (2 * PAIRS, 2 * PAIRS as u64));
    let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for hit in &all {
        let (Some(pair), Some(text)) = (hit["pair"].as_str(), hit["text"].as_str()) else {
            panic!("a hit without its fields: {hit}");
        };
        texts.entry(pair).or_default().push(text);
    }
    for (pair, halves) in texts {
        assert!(halves.len() == 2 && halves[0] == halves[1], "half of {pair}: {halves:?}");
    }
    let (two, _) = hits(engine, &format!("\"pair{}\"", turn % PAIRS));
    assert_eq!(two.len(), 2, "{two:?}");
    assert_eq!(two[0]["text"], two[1]["text"]);
}

#[test]
fn a_search_never_sees_half_of_a_batch() {
    let instance = Instance::new();
    instance.wait(&instance.add("pairs", Method::Replace, &documents(0)));
    // However slow the machine is.
    let change = Change::of_many(json!({ "searchCutoffMs": 600_000 })).expect("a good body");
    let uid = IndexUid::new("pairs").expect("a good name");
    let change = instance.engine().change_settings(uid, change, false, None).expect("enqueued");
    assert_eq!(instance.wait(&change).status, Status::Succeeded);
    let done = AtomicBool::new(false);
    let searches = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let engine: Arc<Engine> = Arc::clone(instance.engine());
            scope.spawn(|| {
                let engine = engine;
                while !done.load(Ordering::Relaxed) {
                    check(&engine, searches.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
        for round in 1..=ROUNDS {
            let method = if round % 2 == 0 { Method::Update } else { Method::Replace };
            let written = instance.wait(&instance.add("pairs", method, &documents(round)));
            assert_eq!(written.status, Status::Succeeded);
            // A search finds everything acknowledged as done.
            let (found, _) = hits(instance.engine(), &format!("\"round{round}\""));
            assert_eq!(found.len(), 2 * PAIRS);
        }
        done.store(true, Ordering::Relaxed);
    });
    eprintln!("{} searches during {ROUNDS} batches", searches.load(Ordering::Relaxed));
}
