//! The searchable words of an index: what its token streams say is what the rules say about its
//! documents, whatever has happened to segments and settings.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use index::{Index, Options, verify};
use model::Cancel;
use proptest::collection::vec;
use proptest::prelude::*;
use roaring::RoaringBitmap;
use segment::{Directory, MemoryDirectory};
use serde_json::{Value, json};
use settings::Settings;
use text::Tokenizer;

use crate::support::words::{self, Words};
use crate::support::{
    add_ids, at, file_names, in_memory, merge_all, set_settings, small_options, upsert,
};

/// Documents by number, and the settings they are indexed under.
#[derive(Default)]
struct Expected {
    documents: std::collections::BTreeMap<String, String>,
    settings: Value,
}

impl Expected {
    fn check(&self, index: &Index) {
        let snapshot = index.snapshot();
        let settings = Settings::from_stored(&self.settings);
        let tokenizer = Tokenizer::new(settings.words.clone());
        let found = words::found(&snapshot);
        assert_eq!(found.len(), self.documents.len());
        for (id, json) in &self.documents {
            let doc_id = snapshot.doc_id(id).unwrap().unwrap();
            let expected = words::words_of(json, &settings, &tokenizer);
            assert_eq!(found[&doc_id], expected, "{json} under {}", self.settings);
        }
        check_lists(index);
    }
}

/// Lists and streams of every segment agree; what a prefix finds is what its words find.
fn check_lists(index: &Index) {
    for segment in index.snapshot().segments() {
        let text = segment.text();
        let mut all = RoaringBitmap::new();
        for ordinal in 0..text.word_count() {
            let word = text.word(ordinal).unwrap();
            assert_eq!(text.ordinal(&word), Some(ordinal));
            all |= text.documents_of(ordinal).unwrap();
        }
        assert_eq!(text.documents_of_range(0..text.word_count()).unwrap(), all);
        assert!(segment.live().is_subset(text.doc_ids()));
    }
}

fn one(json: Value) -> Index {
    let (_, index) = in_memory();
    upsert(&index, &[("1".to_owned(), json.to_string())]);
    index
}

fn words_of_only(index: &Index) -> Words {
    words::found(&index.snapshot()).into_values().next().unwrap()
}

fn shown(words: &Words) -> Vec<String> {
    let show = |(name, words): (&String, &Vec<(u32, String)>)| {
        let words: Vec<String> =
            words.iter().map(|(position, word)| format!("{word}@{position}")).collect();
        format!("{name}: {}", words.join(" "))
    };
    words.iter().map(show).collect()
}

#[test]
fn leaves_become_words_at_positions() {
    let index = one(json!({
        "id": "Aa-1", "title": "One, two. Three!", "n": [2.75, true, null, -7],
        "nested": { "list": [{ "name": "First one" }, { "name": "second", "other": 1 }] },
        "nested.list.name": "literal", "_geo": { "lat": 1, "lng": 2 }, "_vectors": { "a": [1, 2] },
    }));
    assert_eq!(
        shown(&words_of_only(&index)),
        [
            "id: aa@0 1@1",
            "n: 2@0 75@1 true@9 7@17",
            "nested.list.name: first@0 one@1 second@9 literal@17",
            "nested.list.other: 1@0",
            "title: one@0 two@8 three@16",
        ]
    );
}

#[test]
fn settings_decide_what_is_indexed() {
    let index = one(json!({ "id": 1, "a": "the The cat", "b": { "c": "x.y" }, "d": "no" }));
    set_settings(
        &index,
        json!({ "searchableAttributes": ["b.c", "a"], "stopWords": ["the"],
            "nonSeparatorTokens": ["."] }),
    );
    assert_eq!(shown(&words_of_only(&index)), ["a: the@1 cat@2", "b.c: x.y@0"]);
    set_settings(
        &index,
        json!({ "searchableAttributes": ["d"],
            "localizedAttributes": [{ "attributePatterns": ["d"], "locales": ["deu"] }] }),
    );
    assert_eq!(shown(&words_of_only(&index)), ["d: no@0"]);
    upsert(&index, &[("1".to_owned(), json!({ "id": 1, "d": "Kaffeemaschine" }).to_string())]);
    assert_eq!(shown(&words_of_only(&index)), ["d: kaffee@0 maschine@1"]);
    set_settings(&index, Value::Null);
    assert_eq!(shown(&words_of_only(&index)), ["d: kaffeemaschine@0", "id: 1@0"]);
}

#[test]
fn only_a_change_of_what_is_searched_builds_texts_again() {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let index = Index::create_with(directory.clone(), at(0), small_options()).unwrap();
    add_ids(&index, &["a", "b"]);
    add_ids(&index, &["c"]);
    let texts = || -> BTreeSet<String> {
        file_names(&*directory).into_iter().filter(|name| name.contains("text")).collect()
    };
    let before = texts();
    set_settings(&index, json!({ "synonyms": { "a": ["b"] }, "rankingRules": ["words"] }));
    assert_eq!(texts(), before);
    set_settings(&index, json!({ "stopWords": ["x"] }));
    let rebuilt = texts();
    assert_eq!(rebuilt.len(), 2);
    assert!(rebuilt.is_disjoint(&before));
    // A snapshot keeps the text that it began with.
    let held = index.snapshot();
    set_settings(&index, json!({ "stopWords": ["x"], "searchableAttributes": ["x"] }));
    assert!(rebuilt.is_subset(&texts()));
    assert_eq!(words::found(&held)[&0]["id"], [(0, "a".to_owned())]);
    assert!(words::found(&index.snapshot())[&0].is_empty());
    drop(held);
    assert!(texts().is_disjoint(&rebuilt));
    assert_eq!(verify(&*directory), []);
}

#[test]
fn settings_and_documents_of_one_batch_go_together() {
    let index =
        Index::create_with(Arc::new(MemoryDirectory::new()), at(0), small_options()).unwrap();
    add_ids(&index, &["old"]);
    let mut writer = index.writer().unwrap();
    // More than the buffer holds: some are indexed before the settings are known.
    for number in 0..60 {
        let json = format!("{{\"id\":\"{number}\",\"a\":\"word\"}}");
        writer.upsert(&number.to_string(), &json, ["id", "a"]).unwrap();
        if number == 40 {
            writer.set_settings(json!({ "searchableAttributes": ["a"] }));
        }
    }
    writer.delete("3").unwrap();
    writer.commit(b"", at(1)).unwrap();
    let found = words::found(&index.snapshot());
    assert_eq!(found.len(), 60);
    assert!(found[&0].is_empty(), "{:?}", found[&0]);
    assert!(found.values().skip(1).all(|words| shown(words) == ["a: word@0"]));
}

#[test]
fn a_merge_that_began_under_other_rules_is_dropped() {
    let memory = MemoryDirectory::new();
    let directory = Arc::new(memory.clone());
    let index = Arc::new(Index::create_with(directory, at(0), small_options()).unwrap());
    for id in ["a", "b", "c"] {
        add_ids(&index, &[id]);
    }
    let plan = index.next_merge().unwrap();
    // The rules change while the merge runs.
    let (changing, changed) = (Arc::clone(&index), AtomicBool::new(false));
    let meanwhile = Cancel::new().or_when(move || {
        if !changed.swap(true, Ordering::Relaxed) {
            set_settings(&changing, json!({ "stopWords": ["b"] }));
        }
        false
    });
    let report = index.run_merge(plan, &meanwhile).unwrap();
    assert!(!report.published);
    assert_eq!(index.snapshot().segments().len(), 3);
    assert!(words::found(&index.snapshot())[&1].is_empty());
    assert!(merge_all(&index).unwrap()[0].published, "it is tried again");
    assert_eq!(index.snapshot().segments().len(), 1);
    assert!(words::found(&index.snapshot())[&1].is_empty());
    assert_eq!(verify(&memory), []);

    // Other settings are not in its way.
    for id in ["d", "e", "f"] {
        add_ids(&index, &[id]);
    }
    let plan = index.next_merge().unwrap();
    set_settings(&index, json!({ "stopWords": ["b"], "rankingRules": ["words"] }));
    assert!(index.run_merge(plan, &Cancel::default()).unwrap().published);
}

fn many_documents() -> Vec<(String, String)> {
    let document = |number: u64| {
        let noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let json = json!({
            "id": number, "title": format!("Document {number} of {}", noise % 1000),
            "text": "Some more words, and a sentence. ".repeat(6), "list": ["é", noise, "ü. ö"],
        });
        (number.to_string(), json.to_string())
    };
    (0..6_000).map(document).collect()
}

/// A batch of more than a megabyte is indexed by several threads; the files are the same.
#[test]
fn threads_do_not_show() {
    let documents = many_documents();
    let files = |threads: usize| {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let options = Options { threads, ..Options::default() };
        let index = Index::create_with(directory.clone(), at(0), options).unwrap();
        upsert(&index, &documents);
        set_settings(&index, json!({ "stopWords": ["of"] }));
        assert_eq!(index.snapshot().segments().len(), 1);
        let names = file_names(&*directory);
        names.iter().map(|name| directory.open(name).unwrap().to_vec()).collect::<Vec<_>>()
    };
    assert!(files(1) == files(4));
}

#[test]
fn a_large_segment_is_built_again_in_parts() {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let index = Index::create_with(directory.clone(), at(0), Options::default()).unwrap();
    let documents = many_documents();
    upsert(&index, &documents);
    drop(index);
    let options = Options { buffer_bytes: 300_000, ..Options::default() };
    let index = Index::open_with(directory.clone(), options).unwrap();
    let mut expected =
        Expected { documents: documents.into_iter().collect(), settings: Value::Null };
    for settings in [
        json!({ "stopWords": ["of", "and"] }),
        json!({ "stopWords": ["of", "and"], "searchableAttributes": ["title", "id"] }),
        // What is added comes in parts too.
        json!({ "stopWords": ["of", "and"], "searchableAttributes": ["list", "text", "title"] }),
    ] {
        set_settings(&index, settings.clone());
        expected.settings = settings;
        expected.check(&index);
        assert_eq!(verify(&*directory), []);
        assert!(file_names(&*directory).iter().all(|name| !name.contains("part")));
    }
}

#[test]
fn derived_values_are_cached_until_settings_change() {
    let (_, index) = in_memory();
    set_settings(&index, json!({ "stopWords": ["the"] }));
    let made = AtomicU64::new(0);
    let derive = || {
        let same = |before: &Settings, now: &Settings| before.words == now.words;
        index.snapshot().derived(same, |settings| {
            made.fetch_add(1, Ordering::Relaxed);
            settings.words.stop_words.len()
        })
    };
    assert_eq!(*derive(), 1);
    add_ids(&index, &["a"]);
    assert_eq!(*derive(), 1);
    assert_eq!(made.load(Ordering::Relaxed), 1, "documents do not change settings");
    assert_eq!(*index.snapshot().derived(|_, _| true, |_| "another type"), "another type");
    assert_eq!(*derive(), 1);
    let snapshot = index.snapshot();
    assert!(Arc::ptr_eq(snapshot.tokenizer(), index.snapshot().tokenizer()));
    assert!(snapshot.typed_settings().words.stop_words.contains("the"));
    // Nor do settings that it does not depend on, however often they change in between.
    for number in 1..4 {
        set_settings(&index, json!({ "stopWords": ["the"], "searchCutoffMs": number }));
        assert!(Arc::ptr_eq(snapshot.tokenizer(), index.snapshot().tokenizer()));
        if number != 2 {
            assert_eq!(*derive(), 1);
        }
    }
    assert_eq!(made.load(Ordering::Relaxed), 1);
    set_settings(&index, json!({ "stopWords": ["a", "b"] }));
    assert_eq!(*derive(), 2);
    assert_eq!(made.load(Ordering::Relaxed), 2);
    assert!(snapshot.typed_settings().words.stop_words.contains("the"));
}

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
    let word = prop::sample::select(vec![
        "the",
        "The",
        "cat",
        "sat.",
        "on",
        "a",
        "mat,",
        "Été",
        "e=mc2",
        "don't",
        "3.14",
        ";",
        "中文字",
        "C++",
        "well-known",
    ]);
    prop_oneof![
        6 => vec(word, 0..8).prop_map(|words| Value::from(words.join(" "))),
        1 => any::<i16>().prop_map(Value::from),
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
    prop::collection::btree_map("a|b|c|a\\.b|_geo|_vectors", value, 0..5)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn settings_of(number: u8) -> Value {
    match number {
        0 => json!({ "searchableAttributes": ["a", "b.c"] }),
        1 => json!({ "searchableAttributes": ["b.c", "a", "a.b"], "synonyms": { "x": ["y"] } }),
        2 => json!({ "stopWords": ["the", "a"] }),
        3 => {
            json!({ "separatorTokens": ["="], "nonSeparatorTokens": ["+"], "dictionary": ["on a"] })
        }
        4 => {
            json!({ "localizedAttributes": [{ "attributePatterns": ["a*"], "locales": ["eng"] }] })
        }
        _ => Value::Null,
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => vec((0..12_u8, document()), 1..6).prop_map(Step::Upsert),
        2 => (0..12_u8).prop_map(Step::Delete),
        2 => (0..6_u8).prop_map(Step::Settings),
        1 => Just(Step::Merge),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn words_are_those_of_the_rules(steps in vec(step(), 1..14)) {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let mut index = Index::create_with(directory.clone(), at(0), small_options()).unwrap();
        let mut expected = Expected::default();
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
                    let there = writer.delete(&id.to_string()).unwrap();
                    writer.commit(b"", at(2)).unwrap();
                    prop_assert_eq!(expected.documents.remove(&id.to_string()).is_some(), there);
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
    }
}
