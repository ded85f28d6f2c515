//! What is stored of a checked value, where that differs from what was sent: once stored, values
//! are as they are read back and as they are used.

use std::collections::HashSet;

use charabia::Normalize;
use charabia::normalizer::NormalizerOption;
use serde_json::Value;
use text::{Tokenizer, WordLists, locale};

use crate::checks::check_typo_sizes;
use crate::shape::{sorted, strings};
use crate::values::TypoTolerance;

/// Each name once; with a star, all of them.
pub(crate) fn attributes(names: Value) -> Option<Value> {
    let names: Vec<String> = strings(names).collect();
    if names.iter().any(|name| name == "*") {
        return None;
    }
    let mut seen = HashSet::new();
    let distinct = names.iter().filter(|name| seen.insert(name.as_str()));
    Some(distinct.map(|name| Value::from(name.as_str())).collect())
}

/// Decomposed as the words of a text are before they are compared, but with their case.
pub(crate) fn stop_words(words: Value) -> Option<Value> {
    let options = NormalizerOption::default();
    Some(sorted(strings(words).map(|word| word.as_str().normalize(&options).into_owned())))
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

/// Words as they stand in the index.
pub(crate) fn typo_tolerance(change: &mut Value) {
    if let Some(words @ Value::Array(_)) = change.get_mut("disableOnWords") {
        let tokenizer = Tokenizer::new(WordLists::default());
        let normalised = |word: String| -> String {
            tokenizer.tokens(&word, &[]).into_iter().map(|token| token.lemma).collect()
        };
        *words = sorted(strings(words.take()).map(normalised));
    }
}

pub(crate) fn agreeing_typo_sizes(stored: &Value) -> Result<(), String> {
    let default = TypoTolerance::default();
    let size = |name: &str, default: u8| {
        let sizes = stored.get("minWordSizeForTypos");
        sizes.and_then(|sizes| sizes.get(name)).and_then(Value::as_u64).unwrap_or(default.into())
    };
    check_typo_sizes(size("oneTypo", default.one_typo), size("twoTypos", default.two_typos))
}
