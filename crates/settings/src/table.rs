//! Every setting, once: its names, how it is changed, what it may be, how it is kept, and what
//! it is as long as nobody set it. Routes, validation, tasks and reading all follow from here.
//! The order is that of the interface.

use model::features::Feature;
use model::{Code, ServiceError};
use serde_json::{Value, json};
use template::{DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_MAX_BYTES};

use crate::boosts;
use crate::checks;
use crate::embedder;
use crate::keep;
use crate::reranker;
use crate::shape::{self, Check};

/// One row of the table.
#[derive(Debug)]
pub struct Setting {
    /// In the object of all settings.
    pub name: &'static str,
    /// The last part of its own route.
    pub route: &'static str,
    pub change: ChangeKind,
    /// Of a value it may not have.
    pub code: Code,
    /// What must be on for it to be set and to be seen among all.
    pub feature: Option<Feature>,
    pub(crate) check: Check,
    pub(crate) keep: Keep,
    pub(crate) default: fn() -> Value,
    pub(crate) show: fn(Value) -> Value,
    /// The reference does not have it, so it is shown among all only if it is set, and no message
    /// of the reference names it.
    pub is_own: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// A new value takes the place of the old one.
    Replace,
    /// The members of a new value are laid over those of the old one; null resets a member.
    Merge,
}

/// What is stored of a checked value that is not null.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keep {
    AsGiven,
    /// None: as if it were not set.
    Tidied(fn(Value) -> Option<Value>),
    /// Tidied members are laid over what is stored, down to this many levels; then all of them
    /// must agree with each other.
    Merged {
        levels: usize,
        tidy: fn(&mut Value),
        agree: fn(&Value) -> Result<(), String>,
    },
    /// Made of what is stored and the value, by rules of its own.
    Combined(fn(Option<Value>, Value) -> Result<Value, ServiceError>),
}

const fn replaced(
    name: &'static str,
    route: &'static str,
    code: Code,
    check: Check,
    default: fn() -> Value,
) -> Setting {
    Setting {
        name,
        route,
        change: ChangeKind::Replace,
        code,
        feature: None,
        check,
        keep: Keep::AsGiven,
        default,
        show: |value| value,
        is_own: false,
    }
}

const fn merged(
    name: &'static str,
    route: &'static str,
    code: Code,
    check: Check,
    default: fn() -> Value,
) -> Setting {
    Setting {
        change: ChangeKind::Merge,
        keep: Keep::Merged { levels: 1, tidy: |_| (), agree: |_| Ok(()) },
        ..replaced(name, route, code, check, default)
    }
}

impl Setting {
    const fn tidied(self, tidy: fn(Value) -> Option<Value>) -> Self {
        Self { keep: Keep::Tidied(tidy), ..self }
    }

    const fn merged_down(
        self,
        levels: usize,
        tidy: fn(&mut Value),
        agree: fn(&Value) -> Result<(), String>,
    ) -> Self {
        Self { keep: Keep::Merged { levels, tidy, agree }, ..self }
    }

    const fn combined(
        self,
        combine: fn(Option<Value>, Value) -> Result<Value, ServiceError>,
    ) -> Self {
        Self { keep: Keep::Combined(combine), ..self }
    }

    const fn shown(self, show: fn(Value) -> Value) -> Self {
        Self { show, ..self }
    }

    const fn needing(self, feature: Feature) -> Self {
        Self { feature: Some(feature), ..self }
    }

    const fn own(self) -> Self {
        Self { is_own: true, ..self }
    }

    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|setting| setting.name == name)
    }

    #[rustfmt::skip]
    pub const ALL: &'static [Setting] = &[
        replaced("displayedAttributes", "displayed-attributes", Code::InvalidSettingsDisplayedAttributes, shape::texts, || json!(["*"]))
            .tidied(keep::attributes),
        replaced("searchableAttributes", "searchable-attributes", Code::InvalidSettingsSearchableAttributes, shape::texts, || json!(["*"]))
            .tidied(keep::attributes),
        replaced("filterableAttributes", "filterable-attributes", Code::InvalidSettingsFilterableAttributes, checks::filterable_attributes, || json!([])),
        replaced("sortableAttributes", "sortable-attributes", Code::InvalidSettingsSortableAttributes, shape::set, || json!([])),
        replaced("foreignKeys", "foreign-keys", Code::InvalidSettingsForeignKeys, checks::foreign_keys, || json!([]))
            .needing(Feature::foreign_keys),
        replaced("rankingRules", "ranking-rules", Code::InvalidSettingsRankingRules, checks::ranking_rules,
            || json!(["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"])),
        replaced("stopWords", "stop-words", Code::InvalidSettingsStopWords, checks::stop_words, || json!([]))
            .tidied(keep::stop_words),
        replaced("nonSeparatorTokens", "non-separator-tokens", Code::InvalidSettingsNonSeparatorTokens, checks::cut_words, || json!([])),
        replaced("separatorTokens", "separator-tokens", Code::InvalidSettingsSeparatorTokens, checks::cut_words, || json!([])),
        replaced("dictionary", "dictionary", Code::InvalidSettingsDictionary, checks::cut_words, || json!([])),
        replaced("synonyms", "synonyms", Code::InvalidSettingsSynonyms, checks::synonyms, || json!({})),
        replaced("distinctAttribute", "distinct-attribute", Code::InvalidSettingsDistinctAttribute, shape::text, || Value::Null),
        replaced("proximityPrecision", "proximity-precision", Code::InvalidSettingsProximityPrecision, checks::proximity_precision, || json!("byWord")),
        merged("typoTolerance", "typo-tolerance", Code::InvalidSettingsTypoTolerance, checks::typo_tolerance, || json!({
                "enabled": true,
                "minWordSizeForTypos": {"oneTypo": 5, "twoTypos": 9},
                "disableOnWords": [],
                "disableOnAttributes": [],
                "disableOnNumbers": false,
            }))
            .merged_down(2, keep::typo_tolerance, keep::agreeing_typo_sizes),
        merged("faceting", "faceting", Code::InvalidSettingsFaceting, checks::faceting,
            || json!({"maxValuesPerFacet": 100, "sortFacetValuesBy": {"*": "alpha"}})),
        merged("pagination", "pagination", Code::InvalidSettingsPagination, checks::pagination, || json!({"maxTotalHits": 1000})),
        merged("embedders", "embedders", Code::InvalidSettingsEmbedders, embedder::check_types, || json!({}))
            .combined(embedder::combine).shown(embedder::show),
        merged("rerankers", "rerankers", Code::InvalidSettingsRerankers, reranker::check_types, || json!({}))
            .combined(reranker::combine).shown(reranker::show).own(),
        replaced("searchCutoffMs", "search-cutoff-ms", Code::InvalidSettingsSearchCutoffMs, shape::integer, || Value::Null),
        replaced("localizedAttributes", "localized-attributes", Code::InvalidSettingsLocalizedAttributes, checks::localized_attributes, || Value::Null)
            .tidied(keep::localized_attributes),
        replaced("facetSearch", "facet-search", Code::InvalidSettingsFacetSearch, shape::flag, || json!(true)),
        replaced("prefixSearch", "prefix-search", Code::InvalidSettingsPrefixSearch, checks::prefix_search, || json!("indexingTime")),
        replaced("stemming", "stemming", Code::InvalidSettingsStemming, checks::stemming, || Value::Null)
            .tidied(keep::stemming).own(),
        replaced("boosts", "boosts", Code::InvalidSettingsBoosts, boosts::boosts, || Value::Null).own(),
        replaced("attributeWeights", "attribute-weights", Code::InvalidSettingsAttributeWeights, boosts::attribute_weights, || Value::Null).own(),
        merged("chat", "chat", Code::InvalidSettingsIndexChat, checks::chat, || json!({
                "description": "",
                "documentTemplate": DEFAULT_DOCUMENT_TEMPLATE,
                "documentTemplateMaxBytes": DEFAULT_MAX_BYTES,
                "searchParameters": {},
            }))
            .combined(keep::chat).needing(Feature::chat_completions),
    ];
}
