//! Random documents, changed and deleted on the way, against the naive evaluation.

use model::Cancel;
use proptest::prelude::*;
use roaring::RoaringBitmap;
use serde_json::{Value, json};

use super::naive::{self, Documents};
use super::{NOT_CANCELLED, Shelf, open_rule};
use crate::facets::{FacetQuery, distribution, search};

const IDS: u32 = 24;

#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "Red", "red", " RED", "réd", "re\u{301}d", "Rouge", "rouge", "ROUGE ", "rouges", "rogue",
    "Straße", "strasse", "Élan", "elan", "éla", "true", "2", "10", "2.50", " ", "stockholm",
    "Stockholms", "stckholm", "Ørsted", "日本", "日本語", "κύμα",
];

const QUERIES: &[&str] = &[
    "",
    "r",
    "re",
    "rouge",
    "rogue",
    "ROUGE",
    "el",
    "él",
    "elan ",
    "stra",
    "stockhlom",
    "stocholms",
    " ",
    " r",
    "日",
    "ø",
    "t",
    "2",
    "κυμα",
    "zzzzzzzzzz",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => prop::sample::select(TEXTS).prop_map(Value::from),
        3 => prop::sample::select(&[0.0, -0.0, 2.0, 10.0, 9.0, 2.5, -1.0, 1e21][..])
            .prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!(2)),
        1 => Just(Value::Null),
        1 => Just(json!("")),
        1 => Just(json!({})),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![3 => leaf(), 1 => prop::collection::vec(leaf(), 0..4).prop_map(Value::from)]
}

fn document() -> impl Strategy<Value = Value> {
    let nested = prop_oneof![
        value().prop_map(|value| json!({ "c": value })),
        (value(), value()).prop_map(|(a, b)| json!([{ "c": a }, { "c": b }, "own"])),
    ];
    (0..IDS, prop::option::of(value()), prop::option::of(nested), prop::option::of(value()))
        .prop_map(|(id, a, nested, dotted)| {
            let mut document = json!({ "id": id });
            for (name, value) in [("a", a), ("b", nested), ("b.c", dotted)] {
                if let Some(value) = value {
                    document[name] = value;
                }
            }
            document
        })
}

#[derive(Debug, Clone)]
struct Batch {
    documents: Vec<Value>,
    deleted: Vec<u32>,
}

fn batch() -> impl Strategy<Value = Batch> {
    let documents = prop::collection::vec(document(), 1..14);
    let deleted = prop::collection::vec(0..IDS, 0..4);
    (documents, deleted).prop_map(|(documents, deleted)| Batch { documents, deleted })
}

fn settings() -> impl Strategy<Value = Value> {
    let order = prop::sample::select(&["alpha", "count"][..]);
    let most = prop::sample::select(&[0, 1, 2, 3, 5, 100][..]);
    let one_typo = prop::sample::select(&[3, 5][..]);
    (order, most, any::<bool>(), one_typo).prop_map(|(order, most, enabled, one_typo)| {
        let sizes = json!({ "oneTypo": one_typo, "twoTypos": 9 });
        json!({
            "filterableAttributes": open_rule(),
            "faceting": { "maxValuesPerFacet": most, "sortFacetValuesBy": { "*": order } },
            "typoTolerance": { "enabled": enabled, "minWordSizeForTypos": sizes },
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn facets_are_as_they_are_defined(
        settings in settings(),
        batches in prop::collection::vec(batch(), 1..5),
        candidates in prop_oneof![Just(u32::MAX), any::<u32>(), any::<u32>().prop_map(|a| a & 0x1111_1111)],
        queries in prop::collection::vec(prop::option::of(prop::sample::select(QUERIES)), 4),
    ) {
        let shelf = Shelf::new(&settings);
        let mut kept: std::collections::BTreeMap<u32, Value> = Default::default();
        for batch in &batches {
            shelf.write(&batch.documents);
            shelf.delete(batch.deleted.iter().copied());
            for document in &batch.documents {
                kept.insert(document["id"].as_u64().unwrap() as u32, document.clone());
            }
            kept.retain(|id, _| !batch.deleted.contains(id));
        }
        let snapshot = shelf.snapshot();
        let number = |id: u32| snapshot.doc_id(&id.to_string()).unwrap().unwrap();
        let documents: Documents =
            kept.iter().map(|(id, document)| (number(*id), document.clone())).collect();
        let candidates: RoaringBitmap =
            kept.keys().filter(|id| candidates >> **id & 1 == 1).map(|id| number(*id)).collect();

        let is_candidate = |doc_id| candidates.contains(doc_id);
        let found = distribution(&snapshot, &candidates, &["*".to_owned()], &NOT_CANCELLED).unwrap();
        let settings = snapshot.typed_settings();
        let mut stats = Vec::new();
        for (name, values) in &found.distribution {
            let (expected, extremes) = naive::distribution(&documents, is_candidate, name, settings);
            prop_assert_eq!(values, &expected, "{}", name);
            stats.extend(extremes.map(|extremes| (name.clone(), extremes)));
        }
        prop_assert_eq!(&found.stats, &stats);
        for (facet, text) in ["a", "b.c"].into_iter().cycle().zip(queries) {
            let query = FacetQuery { facet, text, locales: None };
            let found = search(&snapshot, &query, &candidates, &Cancel::default()).unwrap();
            let expected = naive::search(&documents, is_candidate, facet, text, settings);
            prop_assert_eq!(found, expected, "{} {:?}", facet, text);
        }
    }
}
