//! Parses stored settings. The stored form is an object with only the values that were set, in the
//! words of the API. It was checked before storing, so parsing is lenient: unknown values count as
//! not set.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use text::{StemLanguage, StopLanguage, WordLists, locale};

use crate::boosts::{attribute_weights_from, boosts_from};
use crate::checks::AUTO;
use crate::embedder::{self, Prompt};
use crate::localized::LocalizedRule;
use crate::ranking_rule::RankingRule;
use crate::reranker;
use crate::values::{
    Chat, ChatHybrid, ChatSearch, FacetOrder, Faceting, FilterFeatures, FilterableRule, ForeignKey,
    MatchingStrategy, Precision, PrefixSearch, Settings, Stemming, TypoTolerance,
};

impl Settings {
    /// Parses stored settings; anything but an object, such as null, means defaults.
    pub fn from_stored(stored: &Value) -> Self {
        let default = Self::default();
        let member = |name: &str| stored.get(name);
        Self {
            displayed_attributes: member("displayedAttributes").and_then(strings),
            searchable_attributes: member("searchableAttributes").and_then(strings),
            filterable_attributes: member("filterableAttributes")
                .and_then(Value::as_array)
                .map(|rules| rules.iter().filter_map(filterable_rule).collect())
                .unwrap_or_default(),
            sortable_attributes: set(member("sortableAttributes")),
            ranking_rules: member("rankingRules")
                .and_then(strings)
                .map(|rules| rules.iter().filter_map(|rule| RankingRule::parse(rule)).collect())
                .unwrap_or(default.ranking_rules),
            words: WordLists {
                stop_words: set(
                    member("stopWords").map(|words| words.get("words").unwrap_or(words))
                ),
                stop_languages: stop_languages(member("stopWords")),
                separators: set(member("separatorTokens")),
                non_separators: set(member("nonSeparatorTokens")),
                dictionary: set(member("dictionary")),
            },
            synonyms: member("synonyms").map(synonyms).unwrap_or_default(),
            distinct_attribute: member("distinctAttribute").and_then(text),
            proximity_precision: match member("proximityPrecision").and_then(Value::as_str) {
                Some("byAttribute") => Precision::ByAttribute,
                _ => default.proximity_precision,
            },
            typo_tolerance: typo_tolerance(member("typoTolerance")),
            faceting: faceting(member("faceting")),
            max_total_hits: member("pagination")
                .and_then(|pagination| size(pagination.get("maxTotalHits")))
                .unwrap_or(default.max_total_hits),
            search_cutoff_ms: member("searchCutoffMs")
                .and_then(Value::as_u64)
                .unwrap_or(default.search_cutoff_ms),
            localized_attributes: member("localizedAttributes")
                .and_then(Value::as_array)
                .map(|rules| rules.iter().filter_map(localized_rule).collect())
                .unwrap_or_default(),
            localized_index: Default::default(),
            facet_search: flag(member("facetSearch"), default.facet_search),
            prefix_search: match member("prefixSearch").and_then(Value::as_str) {
                Some("disabled") => PrefixSearch::Disabled,
                _ => default.prefix_search,
            },
            stemming: member("stemming").map(stemming),
            boosts: member("boosts").map(boosts_from).unwrap_or_default(),
            attribute_weights: member("attributeWeights")
                .map(attribute_weights_from)
                .unwrap_or_default(),
            embedders: embedder::embedders(member("embedders")),
            rerankers: reranker::rerankers(member("rerankers")),
            foreign_keys: member("foreignKeys")
                .and_then(Value::as_array)
                .map(|keys| keys.iter().filter_map(foreign_key).collect())
                .unwrap_or_default(),
            chat: member("chat").map(chat).unwrap_or_default(),
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}

fn strings(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().filter_map(text).collect())
}

fn set(value: Option<&Value>) -> BTreeSet<String> {
    value.and_then(strings).unwrap_or_default().into_iter().collect()
}

fn flag(value: Option<&Value>, default: bool) -> bool {
    value.and_then(Value::as_bool).unwrap_or(default)
}

fn size(value: Option<&Value>) -> Option<usize> {
    let number = value?.as_u64()?;
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

fn typo_tolerance(value: Option<&Value>) -> TypoTolerance {
    let default = TypoTolerance::default();
    let Some(value) = value else {
        return default;
    };
    let length = |name: &str| {
        let number = value.get("minWordSizeForTypos")?.get(name)?.as_u64()?;
        u8::try_from(number).ok()
    };
    TypoTolerance {
        enabled: flag(value.get("enabled"), default.enabled),
        one_typo: length("oneTypo").unwrap_or(default.one_typo),
        two_typos: length("twoTypos").unwrap_or(default.two_typos),
        disable_on_words: set(value.get("disableOnWords")),
        disable_on_attributes: set(value.get("disableOnAttributes")),
        disable_on_numbers: flag(value.get("disableOnNumbers"), default.disable_on_numbers),
    }
}

fn faceting(value: Option<&Value>) -> Faceting {
    let mut faceting = Faceting::default();
    let Some(value) = value else {
        return faceting;
    };
    if let Some(number) = size(value.get("maxValuesPerFacet")) {
        faceting.max_values_per_facet = number;
    }
    for (name, order) in
        value.get("sortFacetValuesBy").and_then(Value::as_object).into_iter().flatten()
    {
        let order = match order.as_str() {
            Some("count") => FacetOrder::Count,
            _ => FacetOrder::Alpha,
        };
        match name.as_str() {
            "*" => faceting.order = order,
            _ => drop(faceting.orders.insert(name.clone(), order)),
        }
    }
    faceting
}

fn localized_rule(value: &Value) -> Option<LocalizedRule> {
    let codes = value.get("locales").and_then(strings)?;
    Some(LocalizedRule {
        attribute_patterns: value.get("attributePatterns").and_then(strings)?,
        locales: codes.iter().filter_map(|code| locale::parse(code)).collect(),
    })
}

fn stop_languages(stop_words: Option<&Value>) -> BTreeSet<StopLanguage> {
    let codes = stop_words.and_then(|stop_words| stop_words.get("languages")).and_then(strings);
    codes.unwrap_or_default().iter().filter_map(|code| StopLanguage::parse(code)).collect()
}

fn stemming(value: &Value) -> Stemming {
    let codes = value.get("languages").and_then(strings).unwrap_or_default();
    let languages: BTreeSet<StemLanguage> =
        codes.iter().filter_map(|code| StemLanguage::parse(code)).collect();
    let exceptions = value.get("exceptions").and_then(Value::as_object).into_iter().flatten();
    Stemming {
        attributes: value.get("attributes").and_then(strings).unwrap_or_default(),
        languages: languages.into_iter().collect(),
        is_auto: codes.iter().any(|code| code == AUTO),
        exceptions: exceptions
            .filter_map(|(word, stem)| Some((word.clone(), text(stem)?)))
            .collect(),
    }
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
            semantic_ratio: value.get("semanticRatio").and_then(Value::as_f64).unwrap_or(0.5)
                as f32,
        })
    };
    ChatSearch {
        hybrid: value.get("hybrid").and_then(hybrid),
        limit: size(value.get("limit")),
        sort: value.get("sort").and_then(strings),
        distinct: value.get("distinct").and_then(text),
        matching_strategy: match value.get("matchingStrategy").and_then(Value::as_str) {
            Some("last") => Some(MatchingStrategy::Last),
            Some("all") => Some(MatchingStrategy::All),
            Some("frequency") => Some(MatchingStrategy::Frequency),
            _ => None,
        },
        attributes_to_search_on: value.get("attributesToSearchOn").and_then(strings),
        ranking_score_threshold: value.get("rankingScoreThreshold").and_then(Value::as_f64),
    }
}
