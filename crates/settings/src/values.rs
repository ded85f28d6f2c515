//! The values of single settings as the rest of the program uses them.

use std::collections::{BTreeMap, BTreeSet};

use text::StemLanguage;

use crate::embedder::Prompt;
use crate::exceptions::StemExceptions;
use crate::pattern;

/// Declares enums of words of the API. The first word of each is its default.
macro_rules! words {
    ($(pub enum $name:ident { $first:ident = $default:literal, $($word:ident = $text:literal),* })*) => {$(
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum $name { #[default] $first, $($word),* }

        impl $name {
            pub const NAMES: &'static [&'static str] = &[$default, $($text),*];

            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $default => Some(Self::$first),
                    $($text => Some(Self::$word),)*
                    _ => None,
                }
            }

            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }
    )*};
}

words! {
    pub enum Precision { ByWord = "byWord", ByAttribute = "byAttribute" }
    pub enum PrefixSearch { IndexingTime = "indexingTime", Disabled = "disabled" }
    pub enum FacetOrder { Alpha = "alpha", Count = "count" }
    pub enum MatchingStrategy { Last = "last", All = "all", Frequency = "frequency" }
}

/// The semantic ratio of conversations that do not set one.
pub(crate) const DEFAULT_SEMANTIC_RATIO: f32 = 0.5;

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

impl Default for FilterFeatures {
    fn default() -> Self {
        Self { facet_search: false, equality: true, comparison: false }
    }
}

impl Stemming {
    pub fn covers(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|pattern| pattern::matches(pattern, attribute))
    }
}
