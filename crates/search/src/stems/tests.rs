//! Words of the same stem in searches.

use serde_json::{Value, json};

use super::{StemTable, languages, prepare_stems};
use crate::strategy::Strategy;
use crate::testing::TestIndex;

fn settings(stemming: Value) -> Value {
    json!({ "searchableAttributes": ["t", "u"], "stemming": stemming })
}

fn english() -> Value {
    json!({ "attributes": ["*"], "languages": ["en"], "exceptions": {} })
}

const TEXTS: [&str; 5] =
    ["flowing water", "the flow of water", "flower water", "it flows", "a fish"];

fn ids(index: &TestIndex, text: &str) -> Vec<u64> {
    index.find(text, Strategy::All).ids()
}

#[test]
fn words_of_one_stem_find_each_other_without_typos() {
    let index = TestIndex::of_texts(settings(english()), &TEXTS);
    assert_eq!(ids(&index, "flows "), [1, 4, 2]);
    // `flower` is one typo away.
    assert_eq!(ids(&index, "flowed water "), [1, 2, 3]);
    let answer = index.find("flows ", Strategy::All);
    assert_eq!(answer.details("/typo/typoCount"), [0, 0, 0]);
    assert_eq!(answer.details("/exactness/matchingWords"), [0, 1, 0]);
    // A typo is a typo of the word, not of its stem.
    let answer = index.find("flowz ", Strategy::All);
    assert_eq!(answer.details("/typo/typoCount"), [1, 1]);

    let without = TestIndex::of_texts(settings(Value::Null), &TEXTS);
    assert_eq!(ids(&without, "flowed water "), [3]);
}

#[test]
fn one_stem_is_one_term_of_bm25() {
    let mut settings = settings(english());
    settings["rankingRules"] = json!(["bm25"]);
    let texts = ["flow flowing", "flow flow", "flows flowed", "flow", "rain", "rain", "rain"];
    let index = TestIndex::of_texts(settings, &texts);
    let scores = |text: &str| index.find(text, Strategy::Any).ranked();
    let found = scores("flow ");
    assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(found[0].1 == found[1].1 && found[1].1 == found[2].1 && found[2].1 > found[3].1);
    assert_eq!(scores("flowing flows "), scores("flow flow "));
}

#[test]
fn stems_count_in_some_attributes() {
    let only_t = json!({ "attributes": ["t"], "languages": ["en"], "exceptions": {} });
    let documents = [
        json!({ "id": 1, "t": "flows", "u": "" }),
        json!({ "id": 2, "t": "", "u": "flows" }),
        json!({ "id": 3, "t": "", "u": "flowing" }),
    ];
    let index = TestIndex::new(settings(only_t), &documents);
    assert_eq!(ids(&index, "flowing "), [1, 3]);
    let answer = index.run(|query| query.text = Some("flowing flowing ")).unwrap();
    assert_eq!(answer.ids(), [1, 3]);
}

#[test]
fn an_exception_finds_the_words_of_the_word_it_names() {
    let exceptions = json!({ "mice": "mouse", "rats": "mouse", "news": "news" });
    let stemming = json!({ "attributes": ["*"], "languages": ["en"], "exceptions": exceptions });
    let texts = ["mice", "mouse", "mouses", "rats", "new", "news"];
    let index = TestIndex::of_texts(settings(stemming), &texts);
    for text in ["mice ", "mouse ", "mouses ", "rats "] {
        let mut ids = ids(&index, text);
        ids.sort_unstable();
        assert_eq!(ids, [1, 2, 3, 4], "{text}");
    }
    assert_eq!((ids(&index, "new "), ids(&index, "news ")), (vec![5], vec![6]));
}

#[test]
fn exceptions_have_stems_of_their_own() {
    let exceptions = json!({ "flowing": "stream", "streams": "streams" });
    let stemming = json!({ "attributes": ["*"], "languages": ["en"], "exceptions": exceptions });
    let texts = ["flowing", "flows", "stream", "streams", "streaming"];
    let index = TestIndex::of_texts(settings(stemming), &texts);
    let found = |text: &str| {
        let mut ids = ids(&index, text);
        ids.sort_unstable();
        ids
    };
    assert_eq!(found("flowing "), [1, 3, 5]);
    assert_eq!(found("flow "), [2]);
    assert_eq!(found("stream "), [1, 3, 4, 5], "`streams` is one typo away");
    let answer = index.find("stream ", Strategy::All);
    assert_eq!(answer.details("/typo/typoCount"), [0, 0, 0, 1]);
}

#[test]
fn the_language_of_the_documents_is_found_out() {
    let auto = json!({ "attributes": ["*"], "languages": ["auto"], "exceptions": {} });
    let english = "The committee was asked to report on the flowing of water in these towns.";
    let german =
        "Die Kommission sollte über die Zeitungen und das Wasser in den Städten berichten.";
    let texts = [english, german];
    let index = TestIndex::of_texts(settings(auto.clone()), &texts);
    assert_eq!(ids(&index, "flows "), [1]);
    let typos =
        |index: &TestIndex| index.find("kommissionen ", Strategy::All).details("/typo/typoCount");
    assert_eq!(typos(&index), [0]);

    // What is said of the attributes goes before what the documents look like.
    let mut said = settings(auto);
    said["localizedAttributes"] = json!([{ "attributePatterns": ["*"], "locales": ["deu"] }]);
    let index = TestIndex::of_texts(said, &texts);
    assert_eq!(typos(&index), [0]);
    assert!(ids(&index, "flowed ").is_empty());
}

#[test]
fn words_of_the_stem_are_marked() {
    let index = TestIndex::of_texts(settings(english()), &TEXTS);
    let answer = index.run(|query| (query.text, query.with_words) = (Some("flows "), true));
    let words = answer.unwrap().found.words;
    let mut texts: Vec<&str> = words.terms[0].words.iter().map(|word| word.text.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    assert!(texts.starts_with(&["flow"]) && texts.contains(&"flowing"), "{texts:?}");
}

#[test]
fn prepared_tables_are_those_that_searches_use() {
    let index = TestIndex::of_texts(settings(english()), &TEXTS);
    let snapshot = index.snapshot();
    prepare_stems(&snapshot);
    let settings = snapshot.typed_settings();
    let languages = languages(settings, settings.stemming.as_ref().unwrap());
    assert!(!snapshot.segments().is_empty());
    for segment in snapshot.segments() {
        let is_wanted = |table: &StemTable| table.is_for(&languages);
        segment.attached(is_wanted, || unreachable!("the table was prepared"));
    }
    assert_eq!(ids(&index, "flows "), [1, 4, 2]);
}
