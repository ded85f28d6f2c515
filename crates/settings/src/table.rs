//! The table of settings: names, how each is changed, validated and stored, its default, and a line
//! of help. Routes, validation, tasks, reading, the OpenAPI document and the dashboard follow from
//! it. The order is that of the API.

use model::features::Feature;
use model::{Code, ServiceError};
use serde_json::{Value, json};
use template::{DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_MAX_BYTES};

use crate::boosts;
use crate::checks;
use crate::embedder;
use crate::normalise;
use crate::ranking_rule::RankingRule;
use crate::reranker;
use crate::shape::{Shape, TEXTS};
use crate::values::{FacetOrder, Precision, PrefixSearch};

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
    pub shape: Shape,
    /// A line of help, for the OpenAPI document and the dashboard.
    pub help: &'static str,
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
    /// checks the result, completed by defaults.
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
    shape: Shape,
    default: fn() -> Value,
    help: &'static str,
) -> Setting {
    Setting {
        name,
        route,
        change: ChangeKind::Replace,
        code,
        feature: None,
        shape,
        help,
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
    shape: Shape,
    default: fn() -> Value,
    help: &'static str,
) -> Setting {
    Setting {
        change: ChangeKind::Merge,
        store: StorePolicy::Merged { levels: 1, tidy: |_| (), agree: |_| Ok(()) },
        ..replaced(name, route, code, shape, default, help)
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

    /// Returns whether null is a value of the setting: its default.
    pub fn takes_null(&self) -> bool {
        self.default_value().is_null()
    }

    pub fn default_value(&self) -> Value {
        (self.default)()
    }

    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|setting| setting.name == name)
    }

    #[rustfmt::skip]
    pub const ALL: &'static [Setting] = &[
        replaced("displayedAttributes", "displayed-attributes", Code::InvalidSettingsDisplayedAttributes, TEXTS, || json!(["*"]),
            "Attributes that are returned. `*` stands for all.")
            .tidied(normalise::attributes),
        replaced("searchableAttributes", "searchable-attributes", Code::InvalidSettingsSearchableAttributes, TEXTS, || json!(["*"]),
            "Attributes that are searched, most important first.")
            .tidied(normalise::attributes),
        replaced("filterableAttributes", "filterable-attributes", Code::InvalidSettingsFilterableAttributes, checks::FILTERABLE_ATTRIBUTES, || json!([]),
            "Attributes that can be used in filters, as facets and as distinct attributes."),
        replaced("sortableAttributes", "sortable-attributes", Code::InvalidSettingsSortableAttributes, Shape::Set, || json!([]),
            "Attributes that can be used in `sort`."),
        replaced("foreignKeys", "foreign-keys", Code::InvalidSettingsForeignKeys, checks::FOREIGN_KEYS, || json!([]),
            "References to documents of other indexes. Needs the feature `foreignKeys`.")
            .needing(Feature::foreign_keys),
        replaced("rankingRules", "ranking-rules", Code::InvalidSettingsRankingRules, checks::RANKING_RULES, RankingRule::usual,
            "Ranking rules, most important first."),
        replaced("stopWords", "stop-words", Code::InvalidSettingsStopWords, checks::STOP_WORDS, || json!([]),
            "Words to ignore: a list or languages.")
            .tidied(normalise::stop_words),
        replaced("nonSeparatorTokens", "non-separator-tokens", Code::InvalidSettingsNonSeparatorTokens, checks::CUT_WORDS, || json!([]),
            "Characters and strings that do not separate words."),
        replaced("separatorTokens", "separator-tokens", Code::InvalidSettingsSeparatorTokens, checks::CUT_WORDS, || json!([]),
            "Additional characters and strings that separate words."),
        replaced("dictionary", "dictionary", Code::InvalidSettingsDictionary, checks::CUT_WORDS, || json!([]),
            "Strings that are one word although they contain separators."),
        replaced("synonyms", "synonyms", Code::InvalidSettingsSynonyms, Shape::Dictionary(&TEXTS), || json!({}),
            "Alternatives of words and phrases, in one direction only."),
        replaced("distinctAttribute", "distinct-attribute", Code::InvalidSettingsDistinctAttribute, Shape::Text, || Value::Null,
            "Only the best hit is returned for each value of this attribute."),
        replaced("proximityPrecision", "proximity-precision", Code::InvalidSettingsProximityPrecision, Shape::Word(Precision::NAMES), || json!(Precision::default().name()),
            "Whether proximity is measured in words, or only within the same attribute."),
        merged("typoTolerance", "typo-tolerance", Code::InvalidSettingsTypoTolerance, checks::TYPO_TOLERANCE, || json!({
                "enabled": true,
                "minWordSizeForTypos": {"oneTypo": 5, "twoTypos": 9},
                "disableOnWords": [],
                "disableOnAttributes": [],
                "disableOnNumbers": false,
            }),
            "Minimum word lengths for typos, and exceptions.")
            .merged_down(2, normalise::typo_tolerance, normalise::agreeing_typo_sizes),
        merged("faceting", "faceting", Code::InvalidSettingsFaceting, checks::FACETING,
            || json!({"maxValuesPerFacet": 100, "sortFacetValuesBy": {"*": FacetOrder::default().name()}}),
            "Number and order of the returned facet values."),
        merged("pagination", "pagination", Code::InvalidSettingsPagination, checks::PAGINATION, || json!({"maxTotalHits": 1000}),
            "Maximum number of hits a search can return."),
        merged("embedders", "embedders", Code::InvalidSettingsEmbedders, embedder::EMBEDDERS, || json!({}),
            "Embedders by name, for vectors of documents and queries. Null removes one.")
            .combined(embedder::combine).shown(embedder::show),
        merged("rerankers", "rerankers", Code::InvalidSettingsRerankers, reranker::RERANKERS, || json!({}),
            "Rerankers by name, which reorder the top hits. Null removes one.")
            .combined(reranker::combine).shown(reranker::show).own(),
        replaced("searchCutoffMs", "search-cutoff-ms", Code::InvalidSettingsSearchCutoffMs, Shape::Integer, || Value::Null,
            "Maximum time to rank hits; null is 1,500 ms."),
        replaced("localizedAttributes", "localized-attributes", Code::InvalidSettingsLocalizedAttributes, checks::LOCALIZED_ATTRIBUTES, || Value::Null,
            "Languages of attributes.")
            .tidied(normalise::localized_attributes),
        replaced("facetSearch", "facet-search", Code::InvalidSettingsFacetSearch, Shape::Flag, || json!(true),
            "Whether facet search is enabled."),
        replaced("prefixSearch", "prefix-search", Code::InvalidSettingsPrefixSearch, Shape::Word(PrefixSearch::NAMES), || json!(PrefixSearch::default().name()),
            "Whether the last word of a query also matches as a prefix."),
        replaced("stemming", "stemming", Code::InvalidSettingsStemming, checks::STEMMING, || Value::Null,
            "Matches words with the same stem; null disables it.")
            .tidied(normalise::stemming).own(),
        replaced("boosts", "boosts", Code::InvalidSettingsBoosts, boosts::BOOSTS, || Value::Null,
            "Boosts besides the query text.").own(),
        replaced("attributeWeights", "attribute-weights", Code::InvalidSettingsAttributeWeights, boosts::ATTRIBUTE_WEIGHTS, || Value::Null,
            "Weights of attributes in the ranking rule `bm25`.").own(),
        merged("chat", "chat", Code::InvalidSettingsIndexChat, checks::CHAT, || json!({
                "description": "",
                "documentTemplate": DEFAULT_DOCUMENT_TEMPLATE,
                "documentTemplateMaxBytes": DEFAULT_MAX_BYTES,
                "searchParameters": {},
            }),
            "How chats search the index. Needs the feature `chatCompletions`.")
            .combined(normalise::chat).needing(Feature::chat_completions),
    ];
}
