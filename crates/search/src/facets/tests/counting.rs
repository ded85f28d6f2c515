//! More documents, so that every way of counting is taken.

use model::Cancel;
use serde_json::{Value, json};

use super::naive::{self, Documents};
use super::{NOT_CANCELLED, Shelf, open_rule};
use crate::facets::{FacetQuery, distribution, search};

const DOCUMENTS: u32 = 4500;

fn document(id: u32) -> Value {
    let rare = if id.is_multiple_of(3) {
        json!(format!("rare {:05}", id * 7 % 5000))
    } else {
        Value::Null
    };
    let word = ["north", "East", "south", "West", "east"][(id * id % 5) as usize];
    json!({
        "id": id, "n": id * 31 % 1700, "word": word, "rare": rare,
        "many": [format!("m{}", id % 400), format!("m{}", id % 90), id % 7],
    })
}

#[test]
fn all_ways_of_counting_agree() {
    let shelf = Shelf::new(&json!({ "filterableAttributes": open_rule() }));
    let documents: Vec<Value> = (0..DOCUMENTS).map(document).collect();
    shelf.write(&documents[..4000]);
    shelf.write(&documents[4000..4400]);
    shelf.write(&documents[4400..]);
    let everything = shelf.candidates(0..DOCUMENTS);
    let check = |of: &str| {
        let snapshot = shelf.snapshot();
        let known: Documents = (0..DOCUMENTS)
            .filter_map(|id| Some((snapshot.doc_id(&id.to_string()).unwrap()?, document(id))))
            .collect();
        let live = snapshot.live();
        let spread = live.iter().filter(|id| id % 5 != 0).collect();
        // Most of the values, and none of the first: looking them up turns out to be costly.
        let late = live.iter().filter(|id| id * 31 % 1700 > 300).collect();
        let few = live.iter().filter(|id| id % 401 == 7).collect();
        let one = live.iter().take(1).collect();
        for (number, candidates) in [live, &spread, &late, &few, &one].into_iter().enumerate() {
            let is_candidate = |id| candidates.contains(id);
            for order in ["alpha", "count"] {
                for most in [1, 30, 10_000] {
                    shelf.set(&json!({ "filterableAttributes": open_rule(),
                        "faceting": { "maxValuesPerFacet": most, "sortFacetValuesBy": { "*": order } } }));
                    let snapshot = shelf.snapshot();
                    let settings = snapshot.typed_settings();
                    let what = format!("{of}, candidates {number}, {order}, {most}");
                    let found =
                        distribution(&snapshot, candidates, &["*".to_owned()], &NOT_CANCELLED)
                            .unwrap();
                    for (name, values) in found.distribution {
                        let (expected, extremes) =
                            naive::distribution(&known, is_candidate, &name, settings);
                        assert_eq!(values, expected, "{what}, {name}");
                        let stats = found.stats.iter().find(|(of, _)| *of == name);
                        assert_eq!(stats.map(|(_, stats)| *stats), extremes, "{what}, {name}");
                    }
                    for (facet, text) in [("many", "m1"), ("rare", ""), ("word", "easr")] {
                        let query = FacetQuery { facet, text: Some(text), locales: None };
                        let found =
                            search(&snapshot, &query, candidates, &Cancel::default()).unwrap();
                        let expected =
                            naive::search(&known, is_candidate, facet, Some(text), settings);
                        assert_eq!(found, expected, "{what}, {facet} {text}");
                    }
                }
            }
        }
    };
    check("whole segments");
    assert_eq!(everything.len(), u64::from(DOCUMENTS));
    shelf.delete((0..DOCUMENTS).filter(|id| id % 50 == 3));
    check("some deleted");
}

/// Few values are frequent and most are rare, differently in each segment.
#[test]
fn frequent_values_are_found_among_many_rare_ones() {
    let shelf = Shelf::new(&json!({ "filterableAttributes": ["v"] }));
    let mut known = Documents::new();
    let mut documents = Vec::new();
    for segment in 0..3_u32 {
        for id in 0..2500 {
            // Every other document has one of twelve values; the rest have one of their own.
            let spread = id * 7919 % 2500;
            let value = match spread {
                0..1250 => format!("v{}", (spread / (30 + 20 * segment)) % 12),
                _ => format!("rare {}", (id * 31 + segment) % 6000),
            };
            let id = segment * 2500 + id;
            documents.push(json!({ "id": id, "v": [value, format!("own {id}")] }));
        }
        shelf.write(&documents);
        for document in documents.drain(..) {
            let id = document["id"].to_string();
            known.insert(shelf.snapshot().doc_id(&id).unwrap().unwrap(), document);
        }
    }
    for most in [1, 5, 12, 13, 40, 20_000] {
        let faceting = json!({ "maxValuesPerFacet": most, "sortFacetValuesBy": { "*": "count" } });
        shelf.set(&json!({ "filterableAttributes": ["v"], "faceting": faceting }));
        let snapshot = shelf.snapshot();
        let some = snapshot.live().iter().filter(|id| id % 10 != 3).collect();
        for candidates in [snapshot.live(), &some] {
            let (expected, _) = naive::distribution(
                &known,
                |id| candidates.contains(id),
                "v",
                snapshot.typed_settings(),
            );
            let found =
                distribution(&snapshot, candidates, &["v".to_owned()], &NOT_CANCELLED).unwrap();
            assert_eq!(found.distribution[0].1, expected, "{most}");
        }
    }
}
