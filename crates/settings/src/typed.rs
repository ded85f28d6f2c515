//! The settings as the rest of the program uses them, and how they are parsed from what is stored: an
//! object with only the values that were set, in the words of the API. It was checked before storing,
//! so parsing is lenient: unknown values count as not set. What is not set comes from the defaults of
//! the table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;
use text::{Language, StemLanguage, StopLanguage, WordLists, locale};

use crate::boosts::{Boost, attribute_weights_from, boosts_from};
use crate::checks::AUTO;
use crate::embedder::{self, Embedder, Prompt};
use crate::localized::{LocalizedIndex, LocalizedRule};
use crate::ranking_rule::RankingRule;
use crate::reranker::{self, Reranker};
use crate::table::Setting;
use crate::values::{
    Chat, ChatHybrid, ChatSearch, DEFAULT_SEMANTIC_RATIO, FacetOrder, Faceting, FilterFeatures,
    FilterableRule, ForeignKey, MatchingStrategy, Precision, PrefixSearch, Stemming, TypoTolerance,
};

/// All settings of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `None`: all attributes.
    pub displayed_attributes: Option<Vec<String>>,
    /// `None`: all attributes, with the same weight.
    pub searchable_attributes: Option<Vec<String>>,
    pub filterable_attributes: Vec<FilterableRule>,
    pub sortable_attributes: BTreeSet<String>,
    pub ranking_rules: Vec<RankingRule>,
    /// Stop words, separators, dictionary.
    pub words: WordLists,
    /// As given: word or phrase → synonyms.
    pub synonyms: BTreeMap<String, Vec<String>>,
    pub distinct_attribute: Option<String>,
    pub proximity_precision: Precision,
    pub typo_tolerance: TypoTolerance,
    pub faceting: Faceting,
    pub max_total_hits: usize,
    pub search_cutoff_ms: u64,
    pub localized_attributes: Vec<LocalizedRule>,
    pub localized_index: LocalizedIndex,
    pub facet_search: bool,
    pub prefix_search: PrefixSearch,
    /// Not in the reference. `None`: no stemming.
    pub stemming: Option<Stemming>,
    /// Not in the reference.
    pub boosts: Vec<Boost>,
    /// Not in the reference: weights under `bm25`, by name or pattern.
    pub attribute_weights: BTreeMap<String, f64>,
    /// By name.
    pub embedders: BTreeMap<String, Embedder>,
    /// Not in the reference; by name.
    pub rerankers: BTreeMap<String, Reranker>,
    pub foreign_keys: Vec<ForeignKey>,
    pub chat: Chat,
}

/// The meaning of `searchCutoffMs` without a value.
const DEFAULT_SEARCH_CUTOFF_MS: u64 = 1500;

/// All settings by name, each with its default.
static DEFAULTS: LazyLock<Value> = LazyLock::new(|| {
    Setting::ALL.iter().map(|setting| (setting.name.to_owned(), setting.default_value())).collect()
});

impl Default for Settings {
    fn default() -> Self {
        Self::from_stored(&Value::Null)
    }
}

/// Stored settings over the defaults.
struct StoredSettings<'s>(&'s Value);

impl StoredSettings<'_> {
    /// Parses the value at a JSON pointer: the stored one, or the default if that is unknown.
    fn get<T: Default>(&self, pointer: &str, parse: impl Fn(&Value) -> Option<T>) -> T {
        let parsed = |settings: &Value| settings.pointer(pointer).and_then(&parse);
        parsed(self.0).or_else(|| parsed(&DEFAULTS)).unwrap_or_default()
    }

    fn word<T: Default>(&self, pointer: &str, named: fn(&str) -> Option<T>) -> T {
        self.get(pointer, |value| named(value.as_str()?))
    }

    fn flag(&self, pointer: &str) -> bool {
        self.get(pointer, Value::as_bool)
    }

    fn list<T>(&self, pointer: &str, item: impl Fn(&Value) -> Option<T>) -> Vec<T> {
        self.get(pointer, |value| Some(value.as_array()?.iter().filter_map(&item).collect()))
    }

    fn words(&self) -> WordLists {
        WordLists {
            stop_words: self.get("/stopWords", |listed| set(listed.get("words").unwrap_or(listed))),
            stop_languages: self.get("/stopWords/languages", stop_languages),
            separators: self.get("/separatorTokens", set),
            non_separators: self.get("/nonSeparatorTokens", set),
            dictionary: self.get("/dictionary", set),
        }
    }

    fn typo_tolerance(&self) -> TypoTolerance {
        let length = |value: &Value| u8::try_from(value.as_u64()?).ok();
        TypoTolerance {
            enabled: self.flag("/typoTolerance/enabled"),
            one_typo: self.get("/typoTolerance/minWordSizeForTypos/oneTypo", length),
            two_typos: self.get("/typoTolerance/minWordSizeForTypos/twoTypos", length),
            disable_on_words: self.get("/typoTolerance/disableOnWords", set),
            disable_on_attributes: self.get("/typoTolerance/disableOnAttributes", set),
            disable_on_numbers: self.flag("/typoTolerance/disableOnNumbers"),
        }
    }

    fn faceting(&self) -> Faceting {
        Faceting {
            max_values_per_facet: self.get("/faceting/maxValuesPerFacet", size),
            order: self.word("/faceting/sortFacetValuesBy/*", FacetOrder::named),
            orders: self.get("/faceting/sortFacetValuesBy", facet_orders),
        }
    }
}

impl Settings {
    /// Parses stored settings; anything but an object, such as null, means defaults.
    pub fn from_stored(stored: &Value) -> Self {
        let settings = StoredSettings(stored);
        Self {
            displayed_attributes: settings.get("/displayedAttributes", attributes),
            searchable_attributes: settings.get("/searchableAttributes", attributes),
            filterable_attributes: settings.list("/filterableAttributes", filterable_rule),
            sortable_attributes: settings.get("/sortableAttributes", set),
            ranking_rules: settings
                .list("/rankingRules", |rule| RankingRule::parse(rule.as_str()?)),
            words: settings.words(),
            synonyms: settings.get("/synonyms", |value| Some(synonyms(value))),
            distinct_attribute: settings.get("/distinctAttribute", |value| Some(text(value))),
            proximity_precision: settings.word("/proximityPrecision", Precision::named),
            typo_tolerance: settings.typo_tolerance(),
            faceting: settings.faceting(),
            max_total_hits: settings.get("/pagination/maxTotalHits", size),
            search_cutoff_ms: settings.get("/searchCutoffMs", |value| {
                Some(value.as_u64().unwrap_or(DEFAULT_SEARCH_CUTOFF_MS))
            }),
            localized_attributes: settings.list("/localizedAttributes", localized_rule),
            localized_index: LocalizedIndex::default(),
            facet_search: settings.flag("/facetSearch"),
            prefix_search: settings.word("/prefixSearch", PrefixSearch::named),
            stemming: settings.get("/stemming", |value| Some(stemming(value))),
            boosts: settings.get("/boosts", |value| Some(boosts_from(value))),
            attribute_weights: settings
                .get("/attributeWeights", |value| Some(attribute_weights_from(value))),
            embedders: embedder::embedders(stored.get("embedders")),
            rerankers: reranker::rerankers(stored.get("rerankers")),
            foreign_keys: settings.list("/foreignKeys", foreign_key),
            chat: settings.get("/chat", |value| Some(chat(value))),
        }
    }

    /// Returns the languages of an attribute, by the first rule for it; empty means any.
    pub fn languages_of(&self, attribute: &str) -> &[Language] {
        let rule = self.localized_index.first(&self.localized_attributes, attribute);
        rule.map_or(&[], |rule| &rule.locales)
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}

fn strings(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().filter_map(text).collect())
}

/// Parses a list of attributes; `None` means all.
fn attributes(value: &Value) -> Option<Option<Vec<String>>> {
    let names = strings(value)?;
    Some((!names.iter().any(|name| name == "*")).then_some(names))
}

fn set(value: &Value) -> Option<BTreeSet<String>> {
    Some(strings(value)?.into_iter().collect())
}

fn flag(value: Option<&Value>, default: bool) -> bool {
    value.and_then(Value::as_bool).unwrap_or(default)
}

fn size(value: &Value) -> Option<usize> {
    let number = value.as_u64()?;
    Some(usize::try_from(number).unwrap_or(usize::MAX))
}

fn synonyms(value: &Value) -> BTreeMap<String, Vec<String>> {
    let members = value.as_object().into_iter().flatten();
    members.filter_map(|(word, others)| Some((word.clone(), strings(others)?))).collect()
}

fn filterable_rule(value: &Value) -> Option<FilterableRule> {
    if let Some(name) = text(value) {
        return Some(FilterableRule::Attribute(name));
    }
    let default = FilterFeatures::default();
    let attribute_patterns = value.get("attributePatterns").and_then(strings)?;
    let member = |pointer: &str| value.pointer(pointer);
    Some(FilterableRule::Patterns {
        attribute_patterns,
        features: FilterFeatures {
            facet_search: flag(member("/features/facetSearch"), default.facet_search),
            equality: flag(member("/features/filter/equality"), default.equality),
            comparison: flag(member("/features/filter/comparison"), default.comparison),
        },
    })
}

/// Parses the orders of attributes; that of `*` is read by itself.
fn facet_orders(value: &Value) -> Option<BTreeMap<String, FacetOrder>> {
    let own = value.as_object()?.iter().filter(|(name, _)| *name != "*");
    let order = |value: &Value| value.as_str().and_then(FacetOrder::named).unwrap_or_default();
    Some(own.map(|(name, value)| (name.clone(), order(value))).collect())
}

fn localized_rule(value: &Value) -> Option<LocalizedRule> {
    let codes = value.get("locales").and_then(strings)?;
    Some(LocalizedRule {
        attribute_patterns: value.get("attributePatterns").and_then(strings)?,
        locales: codes.iter().filter_map(|code| locale::parse(code)).collect(),
    })
}

fn stop_languages(codes: &Value) -> Option<BTreeSet<StopLanguage>> {
    Some(strings(codes)?.iter().filter_map(|code| StopLanguage::parse(code)).collect())
}

fn stemming(value: &Value) -> Option<Stemming> {
    if value.is_null() {
        return None;
    }
    let codes = value.get("languages").and_then(strings).unwrap_or_default();
    let languages: BTreeSet<StemLanguage> =
        codes.iter().filter_map(|code| StemLanguage::parse(code)).collect();
    let exceptions = value.get("exceptions").and_then(Value::as_object).into_iter().flatten();
    Some(Stemming {
        attributes: value.get("attributes").and_then(strings).unwrap_or_default(),
        languages: languages.into_iter().collect(),
        is_auto: codes.iter().any(|code| code == AUTO),
        exceptions: exceptions
            .filter_map(|(word, stem)| Some((word.clone(), text(stem)?)))
            .collect(),
    })
}

fn foreign_key(value: &Value) -> Option<ForeignKey> {
    Some(ForeignKey {
        foreign_index_uid: value.get("foreignIndexUid").and_then(text)?,
        field_name: value.get("fieldName").and_then(text)?,
    })
}

fn chat(value: &Value) -> Chat {
    Chat {
        description: value.get("description").and_then(text).unwrap_or_default(),
        prompt: Prompt::from_stored(value),
        search: value.get("searchParameters").map(chat_search).unwrap_or_default(),
    }
}

fn chat_search(value: &Value) -> ChatSearch {
    let hybrid = |value: &Value| {
        Some(ChatHybrid {
            embedder: value.get("embedder").and_then(text)?,
            semantic_ratio: value
                .get("semanticRatio")
                .and_then(Value::as_f64)
                .map_or(DEFAULT_SEMANTIC_RATIO, |ratio| ratio as f32),
        })
    };
    ChatSearch {
        hybrid: value.get("hybrid").and_then(hybrid),
        limit: value.get("limit").and_then(size),
        sort: value.get("sort").and_then(strings),
        distinct: value.get("distinct").and_then(text),
        matching_strategy: value
            .get("matchingStrategy")
            .and_then(Value::as_str)
            .and_then(MatchingStrategy::named),
        attributes_to_search_on: value.get("attributesToSearchOn").and_then(strings),
        ranking_score_threshold: value.get("rankingScoreThreshold").and_then(Value::as_f64),
    }
}
