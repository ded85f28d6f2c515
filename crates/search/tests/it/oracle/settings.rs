//! The settings that matter for relevance, read from the JSON of the settings route.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::text;

/// Whether to model the quirks of the reference engine that come from its storage layout.
///
/// `Improved` differs in this:
/// - A phrase stands at consecutive positions of one attribute, and its distance to a neighbour
///   is measured from where it stands. The reference looks at pairs of words.
/// - `exactMatch` and `matchesStart` look at one attribute at a time.
/// - `attributesToSearchOn` limits everything: a search is as if there were no other attribute.
/// - Values without words, nulls and nested arrays do not move positions.
/// - Hard separators at the start of a query do not count, several in a row count once.
/// - Synonyms are live at typo level 0 only, and not where only the exact word is left.
/// - Where typos are disabled, no typo and no concatenation counts in ranking either. The
///   reference remembers this only while it looks for documents, and can lose some later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Artefacts {
    Reference,
    Improved,
}

#[derive(Debug, Clone)]
pub struct ModelSettings {
    pub artefacts: Artefacts,
    /// None: all, with the same weight.
    pub searchable: Option<Vec<String>>,
    pub ranking_rules: Vec<String>,
    pub stop_words: BTreeSet<String>,
    /// Normalised words → normalised words of each synonym.
    pub synonyms: BTreeMap<Vec<String>, Vec<Vec<String>>>,
    pub typos: bool,
    pub one_typo: usize,
    pub two_typos: usize,
    pub words_without_typos: BTreeSet<String>,
    pub attributes_without_typos: Vec<String>,
    pub numbers_without_typos: bool,
    pub by_attribute: bool,
    pub prefixes: bool,
    pub distinct: Option<String>,
}

const DEFAULT_RULES: [&str; 7] =
    ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"];

impl ModelSettings {
    pub fn new(json: &Value, artefacts: Artefacts) -> Self {
        let typo = &json["typoTolerance"];
        let sizes = &typo["minWordSizeForTypos"];
        let size = |name: &str, default| sizes[name].as_u64().map_or(default, |size| size as usize);
        let stop_words: BTreeSet<String> = strings(&json["stopWords"]).into_iter().collect();
        let searchable = json["searchableAttributes"].as_array().map(|_| {
            let mut entries = strings(&json["searchableAttributes"]);
            let mut seen = BTreeSet::new();
            entries.retain(|entry| seen.insert(entry.clone()));
            entries
        });
        Self {
            artefacts,
            searchable: searchable.filter(|entries| !entries.iter().any(|entry| entry == "*")),
            ranking_rules: match &json["rankingRules"] {
                Value::Array(_) => strings(&json["rankingRules"]),
                _ => DEFAULT_RULES.map(str::to_owned).to_vec(),
            },
            synonyms: normalized_synonyms(&json["synonyms"], &stop_words),
            stop_words,
            typos: typo["enabled"].as_bool().unwrap_or(true),
            one_typo: size("oneTypo", 5),
            two_typos: size("twoTypos", 9),
            words_without_typos: strings(&typo["disableOnWords"])
                .iter()
                .map(|word| text::normalize(word))
                .collect(),
            attributes_without_typos: strings(&typo["disableOnAttributes"]),
            numbers_without_typos: typo["disableOnNumbers"].as_bool().unwrap_or(false),
            by_attribute: json["proximityPrecision"] == "byAttribute",
            prefixes: json["prefixSearch"] != "disabled",
            distinct: json["distinctAttribute"].as_str().map(str::to_owned),
        }
    }

    /// Index of the first entry of the searchable attributes that covers this one.
    pub fn weight(&self, attribute: &str) -> Option<u32> {
        let Some(entries) = &self.searchable else { return Some(0) };
        let index = entries.iter().position(|entry| covers(entry, attribute));
        index.map(|index| index as u32)
    }

    pub fn has_typos(&self, attribute: &str) -> bool {
        !self.attributes_without_typos.iter().any(|entry| covers(entry, attribute))
    }

    /// How many typos a word of the query may have.
    pub fn typo_budget(&self, word: &str) -> u8 {
        let length = word.chars().count();
        if !self.typos || length < self.one_typo || self.words_without_typos.contains(word) {
            0
        } else if length < self.two_typos {
            1
        } else {
            2
        }
    }
}

/// Whether a name stands for this attribute or for an object around it.
pub fn covers(name: &str, attribute: &str) -> bool {
    attribute.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn normalized_synonyms(
    json: &Value,
    stop_words: &BTreeSet<String>,
) -> BTreeMap<Vec<String>, Vec<Vec<String>>> {
    let mut synonyms: BTreeMap<_, Vec<Vec<String>>> = BTreeMap::new();
    for (key, values) in json.as_object().into_iter().flatten() {
        let key = text::words(key, stop_words);
        let values = strings(values);
        let values = values.iter().map(|value| text::words(value, stop_words));
        let values = values.filter(|words| !words.is_empty());
        if !key.is_empty() {
            synonyms.entry(key).or_default().extend(values);
        }
    }
    synonyms
}

fn strings(json: &Value) -> Vec<String> {
    let items = json.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
