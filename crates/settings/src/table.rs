//! The table of settings: names, how each is changed, validated and stored, and its default.
//! Routes, validation, tasks and reading follow from it. The order is that of the API.

use model::features::Feature;
use model::{Code, ServiceError};
use serde_json::{Value, json};
use template::{DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_MAX_BYTES};

use crate::boosts;
use crate::checks;
use crate::embedder;
use crate::normalise;
use crate::reranker;
use crate::shape::{self, CheckFn};

/// One row of the table.
#[derive(Debug)]
pub struct Setting {
    /// Name in the object of all settings.
    pub name: &'static str,
    /// Last segment of its own route.
    pub route: &'static str,
    pub change: ChangeKind,
    /// Error code for an invalid value.
    pub code: Code,
    /// Feature that must be on to set it and to see it among all settings.
    pub feature: Option<Feature>,
    pub(crate) check: CheckFn,
    pub(crate) store: StorePolicy,
    pub(crate) default: fn() -> Value,
    pub(crate) show: fn(Value) -> Value,
    /// True if the reference lacks it: then it is shown among all settings only if it is set, and
    /// messages of the reference do not list it.
    pub is_own: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// A new value replaces the old one.
    Replace,
    /// The members of a new value are merged into the old one; null resets a member.
    Merge,
}

/// How a validated value that is not null is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StorePolicy {
    AsGiven,
    /// Normalised first; `None` means not set.
    Tidied(fn(Value) -> Option<Value>),
    /// Normalised members are merged into the stored ones, down to this many levels; then `agree`
    /// checks the result.
    Merged {
        levels: usize,
        tidy: fn(&mut Value),
        agree: fn(&Value) -> Result<(), String>,
    },
    /// Combined with the stored value by rules of its own.
    Combined(fn(Option<Value>, Value) -> Result<Value, ServiceError>),
}

const fn replaced(
    name: &'static str,
    route: &'static str,
    code: Code,
    check: CheckFn,
    default: fn() -> Value,
) -> Setting {
    Setting {
        name,
        route,
        change: ChangeKind::Replace,
        code,
        feature: None,
        check,
        store: StorePolicy::AsGiven,
        default,
        show: |value| value,
        is_own: false,
    }
}

const fn merged(
    name: &'static str,
    route: &'static str,
    code: Code,
    check: CheckFn,
    default: fn() -> Value,
) -> Setting {
    Setting {
        change: ChangeKind::Merge,
        store: StorePolicy::Merged { levels: 1, tidy: |_| (), agree: |_| Ok(()) },
        ..replaced(name, route, code, check, default)
    }
}

impl Setting {
    const fn tidied(self, tidy: fn(Value) -> Option<Value>) -> Self {
        Self { store: StorePolicy::Tidied(tidy), ..self }
    }

    const fn merged_down(
        self,
        levels: usize,
        tidy: fn(&mut Value),
        agree: fn(&Value) -> Result<(), String>,
    ) -> Self {
        Self { store: StorePolicy::Merged { levels, tidy, agree }, ..self }
    }

    const fn combined(
        self,
        combine: fn(Option<Value>, Value) -> Result<Value, ServiceError>,
    ) -> Self {
        Self { store: StorePolicy::Combined(combine), ..self }
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
            .tidied(normalise::attributes),
        replaced("searchableAttributes", "searchable-attributes", Code::InvalidSettingsSearchableAttributes, shape::texts, || json!(["*"]))
            .tidied(normalise::attributes),
        replaced("filterableAttributes", "filterable-attributes", Code::InvalidSettingsFilterableAttributes, checks::filterable_attributes, || json!([])),
        replaced("sortableAttributes", "sortable-attributes", Code::InvalidSettingsSortableAttributes, shape::set, || json!([])),
        replaced("foreignKeys", "foreign-keys", Code::InvalidSettingsForeignKeys, checks::foreign_keys, || json!([]))
            .needing(Feature::foreign_keys),
        replaced("rankingRules", "ranking-rules", Code::InvalidSettingsRankingRules, checks::ranking_rules,
            || json!(["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"])),
        replaced("stopWords", "stop-words", Code::InvalidSettingsStopWords, checks::stop_words, || json!([]))
            .tidied(normalise::stop_words),
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
            .merged_down(2, normalise::typo_tolerance, normalise::agreeing_typo_sizes),
        merged("faceting", "faceting", Code::InvalidSettingsFaceting, checks::faceting,
            || json!({"maxValuesPerFacet": 100, "sortFacetValuesBy": {"*": "alpha"}})),
        merged("pagination", "pagination", Code::InvalidSettingsPagination, checks::pagination, || json!({"maxTotalHits": 1000})),
        merged("embedders", "embedders", Code::InvalidSettingsEmbedders, embedder::check_types, || json!({}))
            .combined(embedder::combine).shown(embedder::show),
        merged("rerankers", "rerankers", Code::InvalidSettingsRerankers, reranker::check_types, || json!({}))
            .combined(reranker::combine).shown(reranker::show).own(),
        replaced("searchCutoffMs", "search-cutoff-ms", Code::InvalidSettingsSearchCutoffMs, shape::integer, || Value::Null),
        replaced("localizedAttributes", "localized-attributes", Code::InvalidSettingsLocalizedAttributes, checks::localized_attributes, || Value::Null)
            .tidied(normalise::localized_attributes),
        replaced("facetSearch", "facet-search", Code::InvalidSettingsFacetSearch, shape::flag, || json!(true)),
        replaced("prefixSearch", "prefix-search", Code::InvalidSettingsPrefixSearch, checks::prefix_search, || json!("indexingTime")),
        replaced("stemming", "stemming", Code::InvalidSettingsStemming, checks::stemming, || Value::Null)
            .tidied(normalise::stemming).own(),
        replaced("boosts", "boosts", Code::InvalidSettingsBoosts, boosts::boosts, || Value::Null).own(),
        replaced("attributeWeights", "attribute-weights", Code::InvalidSettingsAttributeWeights, boosts::attribute_weights, || Value::Null).own(),
        merged("chat", "chat", Code::InvalidSettingsIndexChat, checks::chat, || json!({
                "description": "",
                "documentTemplate": DEFAULT_DOCUMENT_TEMPLATE,
                "documentTemplateMaxBytes": DEFAULT_MAX_BYTES,
                "searchParameters": {},
            }))
            .combined(normalise::chat).needing(Feature::chat_completions),
    ];
}
