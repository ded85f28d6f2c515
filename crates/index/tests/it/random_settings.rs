//! Random changes of settings among writes, merges and restarts: what is built piece by piece is
//! what an index holds that has had the last settings from the beginning.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{Index, RebuildObserver, RebuildProgress, verify};
use model::Cancel;
use proptest::collection::vec;
use proptest::prelude::*;
use segment::{Directory, MemoryDirectory};
use serde_json::{Map, Value, json};

use crate::support::values::{self, LatLng, Values};
use crate::support::words::{self, Words};
use crate::support::{at, merge_all, set_settings, small_options, upsert};

#[derive(Debug, Clone)]
enum Step {
    Upsert(Vec<(u8, Value)>),
    Delete(u8),
    /// Settings by name; null resets one.
    Settings(Vec<(&'static str, Value)>),
    /// Settings by name, cancelled at this check.
    Stopped(Vec<(&'static str, Value)>, usize),
    /// Settings and a document in one batch.
    Both(Vec<(&'static str, Value)>, u8, Value),
    Merge,
    Compact,
    Reopen,
}

fn leaf() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "the",
        "a",
        "cat",
        "on a",
        "sat.",
        "Été",
        "e=mc2",
        "C++",
        "Kaffeemaschine",
        "中文字",
        "東京都",
        "well-known",
        "x",
    ]);
    prop_oneof![
        6 => vec(word, 0..5).prop_map(|words| Value::from(words.join(" "))),
        2 => (0..20_u8).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let value = leaf().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    let place = prop::option::of((-80..80_i8, -90..90_i8));
    let members = prop::collection::btree_map("a|b|c|d|a\\.b|_vectors", value, 0..5);
    (members, place).prop_map(|(members, place)| {
        let mut document: Map<String, Value> = members.into_iter().collect();
        if let Some((lat, lng)) = place {
            document.insert("_geo".to_owned(), json!({ "lat": lat, "lng": lng }));
        }
        Value::Object(document)
    })
}

fn one_change() -> impl Strategy<Value = (&'static str, Value)> {
    let localized = |rules: &[(&[&str], &str)]| -> Value {
        let rule = |(patterns, locale): &(&[&str], &str)| json!({ "attributePatterns": patterns, "locales": [locale] });
        rules.iter().map(rule).collect()
    };
    let choices = [
        (
            "searchableAttributes",
            vec![
                json!(["a"]),
                json!(["a", "c"]),
                json!(["c", "a"]),
                json!(["a.b", "c"]),
                json!(["a", "a.b", "b.c"]),
                json!(["b", "d"]),
                json!(["*"]),
                json!(["b.a", "b.c", "d"]),
                json!(["nobody"]),
                json!([]),
            ],
        ),
        (
            "localizedAttributes",
            vec![
                localized(&[(&["a"], "deu")]),
                localized(&[(&["a*"], "deu"), (&["c", "b.c"], "jpn")]),
                localized(&[(&["c", "b.c"], "jpn"), (&["a*"], "deu")]),
                localized(&[(&["*"], "jpn")]),
                localized(&[(&["*.b", "d"], "deu"), (&["*"], "eng")]),
                localized(&[(&["nobody*"], "deu")]),
            ],
        ),
        ("stopWords", vec![json!(["the"]), json!(["the", "a"])]),
        ("separatorTokens", vec![json!(["="])]),
        ("nonSeparatorTokens", vec![json!(["+"])]),
        ("dictionary", vec![json!(["on a"])]),
        (
            "filterableAttributes",
            vec![
                json!(["a"]),
                json!(["a", "b.c", "_geo"]),
                json!([{ "attributePatterns": ["*"] }]),
                json!([{ "attributePatterns": ["*.b", "c*"] }]),
            ],
        ),
        ("sortableAttributes", vec![json!(["c", "_geo"]), json!(["b", "a"])]),
        ("distinctAttribute", vec![json!("a"), json!("b.c")]),
        ("rankingRules", vec![json!(["words", "c:asc"]), json!(["typo"])]),
        ("synonyms", vec![json!({ "cat": ["dog"] })]),
    ];
    let choice = prop::sample::select(choices.to_vec()).prop_flat_map(|(name, mut values)| {
        values.push(Value::Null);
        (Just(name), prop::sample::select(values))
    });
    // What is searched changes often.
    let (_, searchable) = choices[0].clone();
    let (_, localized) = choices[1].clone();
    prop_oneof![
        2 => choice,
        1 => (Just("searchableAttributes"), prop::sample::select(searchable)),
        1 => (Just("localizedAttributes"), prop::sample::select(localized)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let change = || vec(one_change(), 1..3);
    prop_oneof![
        5 => vec((0..12_u8, document()), 1..6).prop_map(Step::Upsert),
        2 => (0..12_u8).prop_map(Step::Delete),
        6 => change().prop_map(Step::Settings),
        1 => (change(), 1..8_usize).prop_map(|(change, at)| Step::Stopped(change, at)),
        1 => (change(), 0..12_u8, document()).prop_map(|(change, id, json)| Step::Both(change, id, json)),
        1 => Just(Step::Merge),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

struct NoObserver;

impl RebuildObserver for NoObserver {
    fn note(&self, _: &RebuildProgress<'_>) {}
}

#[derive(Default)]
struct World {
    documents: BTreeMap<String, String>,
    settings: Map<String, Value>,
}

impl World {
    fn change(&mut self, changes: Vec<(&str, Value)>) -> Value {
        for (name, value) in changes {
            match value {
                Value::Null => drop(self.settings.remove(name)),
                value => drop(self.settings.insert(name.to_owned(), value)),
            }
        }
        Value::Object(self.settings.clone())
    }

    fn run(&mut self, step: Step, index: &Index) {
        match step {
            Step::Upsert(documents) => {
                let documents: Vec<(String, String)> = documents
                    .into_iter()
                    .map(|(id, json)| (id.to_string(), json.to_string()))
                    .collect();
                upsert(index, &documents);
                self.documents.extend(documents);
            }
            Step::Delete(id) => {
                let mut writer = index.writer().unwrap();
                writer.delete(&id.to_string()).unwrap();
                writer.commit(b"", at(2)).unwrap();
                self.documents.remove(&id.to_string());
            }
            Step::Settings(changes) => set_settings(index, self.change(changes)),
            Step::Stopped(changes, question) => {
                let before = self.settings.clone();
                let mut writer = index.writer().unwrap();
                writer.set_settings(self.change(changes));
                match writer.rebuild(&NoObserver, &Cancel::at_check(question).0) {
                    Ok(()) => drop(writer.commit(b"", at(2)).unwrap()),
                    Err(error) => {
                        assert!(error.is_stopped_on_request(), "{error}");
                        self.settings = before;
                    }
                }
            }
            Step::Both(changes, id, json) => {
                let mut writer = index.writer().unwrap();
                let (id, json) = (id.to_string(), json.to_string());
                let fields: Map<String, Value> = serde_json::from_str(&json).unwrap();
                writer.upsert(&id, &json, fields.keys().map(String::as_str)).unwrap();
                writer.set_settings(self.change(changes));
                writer.commit(b"", at(2)).unwrap();
                self.documents.insert(id, json);
            }
            Step::Merge => drop(merge_all(index).unwrap()),
            Step::Compact => drop(index.compact(&Cancel::default()).unwrap()),
            Step::Reopen => {}
        }
    }

    /// An index that has never had other settings.
    fn fresh(&self) -> Index {
        let index = Index::create(Arc::new(MemoryDirectory::new()), at(0)).unwrap();
        set_settings(&index, Value::Object(self.settings.clone()));
        let documents: Vec<_> = self.documents.clone().into_iter().collect();
        upsert(&index, &documents);
        index
    }

    /// Returns everything that an index has of each document.
    fn held(&self, index: &Index) -> BTreeMap<String, (Words, Values, Option<LatLng>)> {
        let snapshot = index.snapshot();
        let mut words = words::found(&snapshot);
        let (mut values, mut places) = values::found(&snapshot);
        let mut held = BTreeMap::new();
        for id in self.documents.keys() {
            let doc_id = snapshot.doc_id(id).unwrap().unwrap();
            let values = values.remove(&doc_id).unwrap_or_default();
            held.insert(
                id.clone(),
                (words.remove(&doc_id).unwrap(), values, places.remove(&doc_id)),
            );
        }
        assert!(words.is_empty() && values.is_empty() && places.is_empty());
        held
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(5),
        ..ProptestConfig::default()
    })]

    #[test]
    fn settings_changes_equal_settings_from_the_start(steps in vec(step(), 1..16)) {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let mut index = Index::create_with(directory.clone(), at(0), small_options()).unwrap();
        let mut world = World::default();
        for step in steps {
            if matches!(step, Step::Reopen) {
                drop(index);
                index = Index::open_with(directory.clone(), small_options()).unwrap();
            }
            world.run(step, &index);
            prop_assert_eq!(world.held(&index), world.held(&world.fresh()));
        }
        prop_assert_eq!(verify(&*directory), []);
    }
}
