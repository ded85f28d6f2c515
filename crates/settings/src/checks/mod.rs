//! Validation of each setting with a shape of its own.

mod chat;
mod filterable;
mod ranking_rules;

use serde_json::{Map, Value, json};
use text::{StemLanguage, StopLanguage, locale};

pub(crate) use chat::chat;
pub(crate) use filterable::filterable_attributes;
pub(crate) use ranking_rules::{check_attribute_rules, ranking_rules};

use crate::error::{JsonPath, SettingError};
use crate::shape::{
    CheckResult, Member, byte, dictionary, flag, integer, list, object, positive, set, text, texts,
    word,
};

/// Entries of `dictionary`, `separatorTokens` or `nonSeparatorTokens`. All of them form one
/// automaton, which every process that opens the index has to build.
const MOST_CUT_WORDS: usize = 100_000;

/// Checks a list of words or separators for the tokenizer.
pub(crate) fn cut_words(value: Value, at: JsonPath<'_>) -> CheckResult {
    match value.as_array().map(Vec::len) {
        Some(count) if count > MOST_CUT_WORDS => {
            let reason = format!("it has {count} entries, and {MOST_CUT_WORDS} are the most");
            Err(SettingError::value(reason, at))
        }
        _ => set(value, at),
    }
}

/// Checks stop words: a list, or an object with languages, words or both.
pub(crate) fn stop_words(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] =
        &[Member::resettable("languages", stop_languages), Member::resettable("words", set)];
    // Any other object is refused in the words of the reference.
    if !value.as_object().is_some_and(|sent| MEMBERS.iter().any(|m| sent.contains_key(m.name))) {
        return set(value, at);
    }
    let mut checked = object(value, at, MEMBERS)?;
    if let Value::Object(members) = &mut checked {
        members.retain(|_, value| !value.is_null());
    }
    Ok(checked)
}

fn stop_languages(value: Value, at: JsonPath<'_>) -> CheckResult {
    list(value, at, |value, at| {
        let accepted: Vec<&str> = StopLanguage::codes().collect();
        word(value, at, &accepted)
    })
}

pub(crate) fn synonyms(value: Value, at: JsonPath<'_>) -> CheckResult {
    dictionary(value, at, texts)
}

pub(crate) fn proximity_precision(value: Value, at: JsonPath<'_>) -> CheckResult {
    word(value, at, &["byWord", "byAttribute"])
}

pub(crate) fn prefix_search(value: Value, at: JsonPath<'_>) -> CheckResult {
    word(value, at, &["indexingTime", "disabled"])
}

pub(crate) fn typo_tolerance(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::resettable("enabled", flag),
        Member::resettable("minWordSizeForTypos", typo_sizes),
        Member::resettable("disableOnWords", set),
        Member::resettable("disableOnAttributes", set),
        Member::resettable("disableOnNumbers", flag),
    ];
    object(value, at, MEMBERS)
}

fn typo_sizes(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] =
        &[Member::resettable("oneTypo", byte), Member::resettable("twoTypos", byte)];
    let sizes = object(value, at, MEMBERS)?;
    let size = |name: &str| sizes.get(name).and_then(Value::as_u64);
    if let (Some(one), Some(two)) = (size("oneTypo"), size("twoTypos")) {
        check_typo_sizes(one, two).map_err(|reason| SettingError::value(reason, at))?;
    }
    Ok(sizes)
}

/// Compares both sizes: when both are sent, and again with the stored values.
pub(crate) fn check_typo_sizes(one_typo: u64, two_typos: u64) -> Result<(), String> {
    if one_typo <= two_typos {
        return Ok(());
    }
    // The unpaired backquote is part of the recorded message.
    Err(format!(
        "`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be \
         between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found \
         `oneTypo: {one_typo}` and twoTypos: {two_typos}`."
    ))
}

pub(crate) fn faceting(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::resettable("maxValuesPerFacet", integer),
        Member::resettable("sortFacetValuesBy", facet_orders),
    ];
    object(value, at, MEMBERS)
}

fn facet_orders(value: Value, at: JsonPath<'_>) -> CheckResult {
    dictionary(value, at, |value, at| word(value, at, &["alpha", "count"]))
}

pub(crate) fn pagination(value: Value, at: JsonPath<'_>) -> CheckResult {
    object(value, at, &[Member::resettable("maxTotalHits", positive)])
}

pub(crate) fn localized_attributes(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] =
        &[Member::mandatory("attributePatterns", texts), Member::mandatory("locales", locales)];
    list(value, at, |value, at| object(value, at, MEMBERS))
}

fn locales(value: Value, at: JsonPath<'_>) -> CheckResult {
    list(value, at, |value, at| {
        let accepted: Vec<&str> = locale::codes().collect();
        word(value, at, &accepted)
    })
}

/// Stands for the detected languages of the documents.
pub(crate) const AUTO: &str = "auto";

pub(crate) fn stemming(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] = &[
        Member::or_default("attributes", texts, || json!(["*"])),
        Member::or_default("languages", stem_languages, || json!([AUTO])),
        Member::or_default("exceptions", exceptions, || json!({})),
    ];
    object(value, at, MEMBERS)
}

fn stem_languages(value: Value, at: JsonPath<'_>) -> CheckResult {
    list(value, at, |value, at| {
        let accepted: Vec<&str> = std::iter::once(AUTO).chain(StemLanguage::codes()).collect();
        word(value, at, &accepted)
    })
}

/// Limit of stem exceptions; searches hold all of them in memory.
const MOST_EXCEPTIONS: usize = 10_000;

fn exceptions(value: Value, at: JsonPath<'_>) -> CheckResult {
    match value.as_object().map(Map::len) {
        Some(count) if count > MOST_EXCEPTIONS => {
            let reason = format!("it has {count} entries, and {MOST_EXCEPTIONS} are the most");
            Err(SettingError::value(reason, at))
        }
        _ => dictionary(value, at, text),
    }
}

pub(crate) fn foreign_keys(value: Value, at: JsonPath<'_>) -> CheckResult {
    const MEMBERS: &[Member] =
        &[Member::mandatory("foreignIndexUid", text), Member::mandatory("fieldName", text)];
    list(value, at, |value, at| object(value, at, MEMBERS))
}
