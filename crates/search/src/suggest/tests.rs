use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use model::Cancel;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{SuggestQuery, Suggestion, merge_suggestions, suggest};
use crate::error::SearchError;
use crate::testing::{TestIndex, one_attribute};

static NOT_CANCELLED: LazyLock<Cancel> = LazyLock::new(Cancel::default);

fn ask<'q>(
    index: &TestIndex,
    text: &'q str,
    change: impl FnOnce(&mut SuggestQuery<'q>),
) -> Result<Vec<Suggestion>, SearchError> {
    let mut query = SuggestQuery {
        text,
        attribute: None,
        filter: None,
        limit: 10,
        deadline: Instant::now() + Duration::from_secs(60),
        cancel: &NOT_CANCELLED,
    };
    change(&mut query);
    suggest(&index.snapshot(), &query)
}

fn filter_of(text: &str) -> filter::Filter {
    filter::Filter::from_json(&json!(text)).expect("a filter").expect("a condition")
}

fn shown(suggestions: &[Suggestion]) -> Vec<(&str, u64)> {
    suggestions.iter().map(|it| (it.text.as_str(), it.count)).collect()
}

fn check(index: &TestIndex, text: &str, expected: &[(&str, u64)]) {
    let found = ask(index, text, |_| ()).expect("suggestions");
    assert_eq!(shown(&found), expected, "{text}");
}

fn films() -> TestIndex {
    let texts = [
        "Harry Potter and the stone",
        "Harry Potter and the goblet",
        "Harry Potter. A life",
        "harry's war",
        "The Pottery wheel",
        "Été-indien",
        "Dirty Harry",
        "Harbour",
    ];
    TestIndex::of_texts(one_attribute(), &texts)
}

#[test]
fn the_last_word_is_completed_and_others_follow() {
    let index = films();
    check(&index, "harry pot", &[("Harry Potter", 3), ("Harry Potter and", 2)]);
    // Of "harry's war", the last word would add nothing.
    check(&index, "harry ", &[("Harry Potter", 3), ("Harry Potter and", 2), ("harry's", 1)]);
    check(
        &index,
        "potte",
        &[("Potter", 3), ("Potter and", 2), ("Pottery", 1), ("Pottery wheel", 1)],
    );
    check(&index, "ete", &[("Été", 1), ("Été-indien", 1)]);
    check(&index, "", &[]);
    check(&index, "  - ", &[]);
    check(&index, "zzz", &[]);
    check(&index, "a b c d e f g h i j k", &[]);
}

#[test]
fn typos_are_forgiven_where_nothing_goes_on_as_typed() {
    let index = films();
    check(&index, "harrx pot", &[("Harry Potter", 3), ("Harry Potter and", 2)]);
    // A word that is there is not taken for another one.
    check(&index, "dirty h", &[("Dirty Harry", 1)]);
}

#[test]
fn stop_words_are_shown_and_are_no_words_that_follow() {
    let settings = json!({"searchableAttributes": ["t"], "stopWords": ["of", "the"]});
    let texts = ["The Lord of the Rings", "the lord of the flies", "lord Jim", "Offline"];
    let index = TestIndex::of_texts(settings, &texts);
    check(
        &index,
        "lor",
        &[("lord", 3), ("lord Jim", 1), ("lord of the flies", 1), ("Lord of the Rings", 1)],
    );
    check(&index, "lord of the r", &[("Lord of the Rings", 1)]);
    check(&index, "of", &[("Offline", 1)]);
}

#[test]
fn deleted_documents_and_those_of_a_filter_do_not_count() {
    let documents: Vec<Value> = (1..=6)
        .map(|id| json!({"id": id, "t": if id < 5 { "blue sea" } else { "blue moon" }, "n": id}))
        .collect();
    let settings = json!({"searchableAttributes": ["t"], "filterableAttributes": ["n"]});
    let index = TestIndex::new(settings, &documents);
    check(&index, "bl", &[("blue", 6), ("blue sea", 4), ("blue moon", 2)]);
    index.delete(&[1, 6]);
    check(&index, "bl", &[("blue", 4), ("blue sea", 3), ("blue moon", 1)]);
    let filter = filter_of("n > 4");
    let found = ask(&index, "bl", |query| query.filter = Some(&filter)).unwrap();
    assert_eq!(shown(&found), [("blue", 1), ("blue moon", 1)]);
}

#[test]
fn only_attributes_that_are_searchable_and_displayed_are_read() {
    let documents = [json!({
        "id": 1, "title": "open book", "secret": "open sesame", "name": {"en": "open door"}, "other": "open air",
    })];
    let settings = json!({
        "searchableAttributes": ["secret", "title", "name"], "displayedAttributes": ["id", "title", "name.en", "other"],
    });
    let index = TestIndex::new(settings, &documents);
    let texts = |attribute: Option<&'static str>| {
        let found = ask(&index, "open ", |query| query.attribute = attribute);
        found.map(|found| found.into_iter().map(|it| it.text).collect::<Vec<_>>())
    };
    assert_eq!(texts(None).unwrap(), ["open book"]);
    assert_eq!(texts(Some("name")).unwrap(), ["open door"]);
    assert_eq!(texts(Some("name.en")).unwrap(), ["open door"]);
    let all: BTreeSet<String> = texts(Some("*")).unwrap().into_iter().collect();
    assert_eq!(all, BTreeSet::from(["open book".to_owned(), "open door".to_owned()]));
    for refused in ["secret", "other", "none", "ti*"] {
        let error = texts(Some(refused)).unwrap_err().to_string();
        let expected = format!("Attribute `{refused}` gives no suggestions");
        assert!(error.starts_with(&expected) && !error.contains("`secret`,"), "{error}");
        assert!(error.contains("title") && error.contains("<..hidden-attributes>"), "{error}");
    }
}

#[test]
fn a_sample_is_taken_of_many_documents() {
    // One in three goes on with `sea`, one in nine with `moon`; the rest differ.
    let documents: Vec<Value> = (0..9000)
        .map(|id| {
            let next = match id % 9 {
                0 | 3 | 6 => "sea".to_owned(),
                1 => "moon".to_owned(),
                _ => format!("w{id}"),
            };
            json!({"id": id, "t": format!("blue {next}"), "other": "blue"})
        })
        .collect();
    let index = TestIndex::new(one_attribute(), &documents);
    index.merge();
    let found = ask(&index, "b", |query| query.limit = 3).unwrap();
    assert_eq!(shown(&found), [("blue", 9000), ("blue sea", 3000), ("blue moon", 1000)]);
}

#[test]
fn lists_of_instances_become_one() {
    let one = |text: &str, words: &str, count| Suggestion {
        text: text.to_owned(),
        words: words.to_owned(),
        count,
    };
    let lists = [
        vec![one("Cafe", "cafe", 2), one("Cat", "cat", 1)],
        vec![one("café", "cafe", 3), one("Car park", "car park", 5), one("Car", "car", 5)],
    ];
    let merged = merge_suggestions(lists, 3);
    assert_eq!(shown(&merged), [("café", 5), ("Car", 5), ("Car park", 5)]);
}

/// Returns every phrase of the documents that completes a query, with its document count.
fn naive(texts: &[String], typed: &[&str]) -> BTreeMap<String, u64> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for text in texts {
        let words: Vec<&str> = text.split(' ').collect();
        let mut phrases = BTreeSet::new();
        for (start, row) in words.windows(typed.len()).enumerate() {
            let (last, before) = typed.split_last().expect("words");
            if row[..before.len()] == *before && row[before.len()].starts_with(last) {
                let ends = start + row.len()..=(start + row.len() + 2).min(words.len());
                phrases.extend(ends.map(|end| words[start..end].join(" ")));
            }
        }
        for phrase in phrases {
            *found.entry(phrase).or_default() += 1;
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Counts are exact, and nothing more frequent is missing.
    #[test]
    fn counts_are_those_of_the_documents(
        texts in prop::collection::vec(prop::collection::vec("[ab]{1,2}", 1..6), 1..30),
        typed in prop::collection::vec("[ab]{1,2}", 1..3),
        limit in 1..8_usize,
    ) {
        let texts: Vec<String> = texts.iter().map(|words| words.join(" ")).collect();
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        let expected = naive(&texts, &typed);
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let index = TestIndex::of_texts(one_attribute(), &refs);
        let query = typed.join(" ");
        let found = ask(&index, &query, |query| query.limit = limit).unwrap();
        for suggestion in &found {
            prop_assert_eq!(expected.get(&suggestion.text), Some(&suggestion.count));
        }
        prop_assert!(found.windows(2).all(|pair| pair[0].count >= pair[1].count));
        prop_assert!(found.len() <= limit);
        let least = found.last().map_or(0, |last| last.count);
        let words = |phrase: &str| phrase.split(' ').count() - typed.len();
        for (phrase, &count) in &expected {
            let is_there = found.iter().any(|suggestion| suggestion.text == *phrase);
            // The second word that follows may add nothing to the first.
            let is_repeated = words(phrase) == 2
                && expected.get(phrase.rsplit_once(' ').unwrap().0) == Some(&count);
            prop_assert!(is_there || is_repeated || found.len() == limit && count <= least, "{}", phrase);
        }
    }
}
