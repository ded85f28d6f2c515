//! Random work on an index, after each step of which its columns are what the rules say about its
//! documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{Index, verify};
use model::Cancel;
use proptest::collection::vec;
use proptest::prelude::*;
use segment::{Directory, MemoryDirectory};
use serde_json::{Value, json};

use crate::support::values::Expected;
use crate::support::{at, merge_all, set_settings, small_options, upsert};

#[derive(Debug, Clone)]
enum Step {
    Upsert(Vec<(u8, Value)>),
    Delete(u8),
    Settings(u8),
    Merge,
    Compact,
    Reopen,
}

fn leaf() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec!["", " ", "Red", "red ", "Été", "true", "2", "ﬁsh"]);
    prop_oneof![
        4 => word.prop_map(Value::from),
        3 => (-3..3_i8).prop_map(Value::from),
        1 => (-3..3_i8).prop_map(|number| json!(f64::from(number) / 2.0)),
        1 => any::<bool>().prop_map(Value::from),
        2 => Just(Value::Null),
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
    prop::collection::btree_map("a|b|c|a\\.b|b\\.a|_geojson|_vectors", value, 0..5)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn settings_of(number: u8) -> Value {
    match number {
        0 => json!({ "filterableAttributes": ["a", "b.c"] }),
        1 => json!({ "sortableAttributes": ["b"], "distinctAttribute": "a.b",
            "stopWords": ["red"] }),
        2 => json!({ "filterableAttributes": [{ "attributePatterns": ["*.a", "c*", "a.b"] }] }),
        3 => json!({ "rankingRules": ["a:asc", "c.a:desc"], "filterableAttributes": ["b"] }),
        4 => json!({ "filterableAttributes": [{ "attributePatterns": ["*"] }] }),
        _ => Value::Null,
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => vec((0..12_u8, document()), 1..6).prop_map(Step::Upsert),
        2 => (0..12_u8).prop_map(Step::Delete),
        3 => (0..6_u8).prop_map(Step::Settings),
        1 => Just(Step::Merge),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(11),
        ..ProptestConfig::default()
    })]

    #[test]
    fn columns_are_those_of_the_rules(steps in vec(step(), 1..16)) {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let mut index = Index::create_with(directory.clone(), at(0), small_options()).unwrap();
        let mut expected = Expected { documents: BTreeMap::new(), settings: Value::Null };
        for step in steps {
            match step {
                Step::Upsert(documents) => {
                    let documents: Vec<(String, String)> = documents
                        .into_iter()
                        .map(|(id, json)| (id.to_string(), json.to_string()))
                        .collect();
                    upsert(&index, &documents);
                    expected.documents.extend(documents);
                }
                Step::Delete(id) => {
                    let mut writer = index.writer().unwrap();
                    writer.delete(&id.to_string()).unwrap();
                    writer.commit(b"", at(2)).unwrap();
                    expected.documents.remove(&id.to_string());
                }
                Step::Settings(number) => {
                    expected.settings = settings_of(number);
                    set_settings(&index, expected.settings.clone());
                }
                Step::Merge => drop(merge_all(&index).unwrap()),
                Step::Compact => drop(index.compact(&Cancel::default()).unwrap()),
                Step::Reopen => {
                    drop(index);
                    index = Index::open_with(directory.clone(), small_options()).unwrap();
                }
            }
            expected.check(&index);
        }
        prop_assert_eq!(verify(&*directory), []);
        let total: u64 = directory.list().unwrap().iter().map(|(_, length)| length).sum();
        prop_assert_eq!(total, index.snapshot().sizes().total);
    }
}
