//! The settings as the rest of the program uses them: complete, with defaults filled in.

use std::collections::{BTreeMap, BTreeSet};

use text::{Language, StemLanguage, WordLists};

use crate::boosts::Boost;
use crate::embedder::{Embedder, Prompt};
use crate::exceptions::StemExceptions;
use crate::localized::{LocalizedIndex, LocalizedRule};
use crate::pattern;
use crate::ranking_rule::RankingRule;
use crate::reranker::Reranker;

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

/// Rule for filterable attributes. The first rule for an attribute decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterableRule {
    /// This attribute and its children, with all features; a star has no special meaning.
    Attribute(String),
    Patterns {
        attribute_patterns: Vec<String>,
        features: FilterFeatures,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterFeatures {
    pub facet_search: bool,
    /// `=`, `!=`, `IN`.
    pub equality: bool,
    /// `<`, `>`, `<=`, `>=`, `TO`.
    pub comparison: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faceting {
    pub max_values_per_facet: usize,
    /// Order for attributes without one of their own.
    pub order: FacetOrder,
    pub orders: BTreeMap<String, FacetOrder>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FacetOrder {
    Alpha,
    Count,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    ByWord,
    ByAttribute,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixSearch {
    IndexingTime,
    Disabled,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypoTolerance {
    pub enabled: bool,
    /// Words of at least this many characters may have one typo.
    pub one_typo: u8,
    pub two_typos: u8,
    /// Normalised.
    pub disable_on_words: BTreeSet<String>,
    pub disable_on_attributes: BTreeSet<String>,
    pub disable_on_numbers: bool,
}

/// Stemming: words also match others with the same stem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stemming {
    /// Patterns of attributes.
    pub attributes: Vec<String>,
    /// In ascending order.
    pub languages: Vec<StemLanguage>,
    /// True if stemming also uses the languages that are detected in the documents.
    pub is_auto: bool,
    /// Words with stems of their own.
    pub exceptions: StemExceptions,
}

/// An attribute that holds ids of documents of another index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    pub foreign_index_uid: String,
    pub field_name: String,
}

/// How an index presents itself to conversations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chat {
    pub description: String,
    pub prompt: Prompt,
    pub search: ChatSearch,
}

/// Search parameters of conversations; `None` means the usual default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatSearch {
    pub hybrid: Option<ChatHybrid>,
    pub limit: Option<usize>,
    pub sort: Option<Vec<String>>,
    pub distinct: Option<String>,
    pub matching_strategy: Option<MatchingStrategy>,
    pub attributes_to_search_on: Option<Vec<String>>,
    pub ranking_score_threshold: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChatHybrid {
    pub embedder: String,
    pub semantic_ratio: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchingStrategy {
    Last,
    All,
    Frequency,
}

impl Default for Settings {
    fn default() -> Self {
        use RankingRule::{AttributeRank, Exactness, Proximity, Sort, Typo, WordPosition, Words};
        Self {
            displayed_attributes: None,
            searchable_attributes: None,
            filterable_attributes: Vec::new(),
            sortable_attributes: BTreeSet::new(),
            ranking_rules: vec![
                Words,
                Typo,
                Proximity,
                AttributeRank,
                Sort,
                WordPosition,
                Exactness,
            ],
            words: WordLists::default(),
            synonyms: BTreeMap::new(),
            distinct_attribute: None,
            proximity_precision: Precision::ByWord,
            typo_tolerance: TypoTolerance::default(),
            faceting: Faceting::default(),
            max_total_hits: 1000,
            search_cutoff_ms: 1500,
            localized_attributes: Vec::new(),
            localized_index: LocalizedIndex::default(),
            facet_search: true,
            prefix_search: PrefixSearch::IndexingTime,
            stemming: None,
            boosts: Vec::new(),
            attribute_weights: BTreeMap::new(),
            embedders: BTreeMap::new(),
            rerankers: BTreeMap::new(),
            foreign_keys: Vec::new(),
            chat: Chat::default(),
        }
    }
}

impl Default for TypoTolerance {
    fn default() -> Self {
        Self {
            enabled: true,
            one_typo: 5,
            two_typos: 9,
            disable_on_words: BTreeSet::new(),
            disable_on_attributes: BTreeSet::new(),
            disable_on_numbers: false,
        }
    }
}

impl Default for FilterFeatures {
    fn default() -> Self {
        Self { facet_search: false, equality: true, comparison: false }
    }
}

impl Default for Faceting {
    fn default() -> Self {
        Self { max_values_per_facet: 100, order: FacetOrder::Alpha, orders: BTreeMap::new() }
    }
}

impl Stemming {
    pub fn covers(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|pattern| pattern::matches(pattern, attribute))
    }
}

impl Settings {
    /// Returns the languages of an attribute, by the first rule for it; empty means any.
    pub fn languages_of(&self, attribute: &str) -> &[Language] {
        let rule = self.localized_index.first(&self.localized_attributes, attribute);
        rule.map_or(&[], |rule| &rule.locales)
    }
}
