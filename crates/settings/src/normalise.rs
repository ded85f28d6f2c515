//! Normalises validated values before they are stored: stored values are as they are read back and
//! used.

use std::collections::{BTreeMap, HashSet};

use charabia::Normalize;
use charabia::normalizer::NormalizerOption;
use model::{Code, ServiceError};
use serde_json::{Map, Value};
use template::DocumentTemplate;
use text::{Tokenizer, WordLists, locale};

use crate::checks::{self, check_typo_sizes};
use crate::error::JsonPath;
use crate::shape::{sorted, strings};

/// Removes repeated names; with a star among them, all attributes.
pub(crate) fn attributes(names: Value) -> Option<Value> {
    let names: Vec<String> = strings(names).collect();
    if names.iter().any(|name| name == "*") {
        return None;
    }
    let mut seen = HashSet::new();
    let distinct = names.iter().filter(|name| seen.insert(name.as_str()));
    Some(distinct.map(|name| Value::from(name.as_str())).collect())
}

/// Normalises stop words like the words of a text, but keeps their case.
pub(crate) fn stop_words(mut stop_words: Value) -> Option<Value> {
    let options = NormalizerOption::default();
    let tidied = |words: Value| {
        sorted(strings(words).map(|word| word.as_str().normalize(&options).into_owned()))
    };
    match &mut stop_words {
        Value::Object(members) => {
            if let Some(words) = members.get_mut("words") {
                *words = tidied(words.take());
            }
        }
        words => *words = tidied(words.take()),
    }
    Some(stop_words)
}

pub(crate) fn localized_attributes(mut rules: Value) -> Option<Value> {
    for rule in rules.as_array_mut().into_iter().flatten() {
        for code in rule.get_mut("locales").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(language) = code.as_str().and_then(locale::parse) {
                *code = Value::from(locale::three_letter(language));
            }
        }
    }
    Some(rules)
}

/// Normalises words to their form in the index.
pub(crate) fn typo_tolerance(change: &mut Value) {
    if let Some(words @ Value::Array(_)) = change.get_mut("disableOnWords") {
        let normalised = normaliser();
        *words = sorted(strings(words.take()).map(|word| normalised(&word)));
    }
}

/// Normalises stem exceptions: words and stems.
pub(crate) fn stemming(mut stemming: Value) -> Option<Value> {
    if let Some(Value::Object(exceptions)) = stemming.get_mut("exceptions") {
        let normalised = normaliser();
        let pairs = std::mem::take(exceptions).into_iter().map(|(word, stem)| {
            let stem = stem.as_str().map(&normalised).unwrap_or_default();
            (normalised(&word), Value::from(stem))
        });
        *exceptions = pairs.collect::<BTreeMap<_, _>>().into_iter().collect();
    }
    Some(stemming)
}

fn normaliser() -> impl Fn(&str) -> String {
    let tokenizer = Tokenizer::new(WordLists::default());
    move |word| tokenizer.tokens(word, &[]).into_iter().map(|token| token.lemma).collect()
}

pub(crate) fn agreeing_typo_sizes(complete: &Value) -> Result<(), String> {
    let size = |name: &str| complete.get("minWordSizeForTypos")?.get(name)?.as_u64();
    match (size("oneTypo"), size("twoTypos")) {
        (Some(one_typo), Some(two_typos)) => check_typo_sizes(one_typo, two_typos),
        _ => Ok(()),
    }
}

/// Merges `chat`. The template is checked here and not in the request, like in the reference.
pub(crate) fn chat(before: Option<Value>, change: Value) -> Result<Value, ServiceError> {
    let mut chat = before.unwrap_or_else(|| Value::Object(Map::new()));
    merge_members(&mut chat, change, 2);
    if let Some(template) = chat.get("documentTemplate").and_then(Value::as_str) {
        DocumentTemplate::parse(template).map_err(|error| {
            let message = format!("`.chat.documentTemplate`: Invalid template: {error}");
            ServiceError::new(Code::InvalidChatSettingDocumentTemplate, message)
        })?;
    }
    if chat.get("documentTemplateMaxBytes").and_then(Value::as_u64) == Some(0) {
        let message = "`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero";
        return Err(ServiceError::new(Code::InvalidSettingsEmbedders, message));
    }
    // Checked again for the order of the members.
    checks::CHAT
        .check(chat, JsonPath::Origin)
        .map_err(|error| ServiceError::new(Code::InvalidSettingsIndexChat, error.0))
}

/// Merges the members of `over` into `base`, down to `levels`; null removes a member.
pub(crate) fn merge_members(base: &mut Value, over: Value, levels: usize) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) if levels > 0 => {
            for (name, value) in over {
                if value.is_null() {
                    base.shift_remove(&name);
                    continue;
                }
                let member = base.entry(name).or_insert_with(|| Value::Object(Map::new()));
                merge_members(member, value, levels - 1);
            }
        }
        (base, over) => *base = over,
    }
}
