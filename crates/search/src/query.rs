//! The parameters of a search.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use filter::{Filter, SortItem};
use model::Cancel;
use text::Language;

use crate::boosts::Boosting;
use crate::pins::Pin;
use crate::strategy::Strategy;
use crate::vector_query::VectorQuery;

#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// The words; blank or `None`: a placeholder search, which every document matches.
    pub text: Option<&'q str>,
    /// Ranks documents instead of the words. Every document matches, unless it contains a word or a
    /// phrase that the text excludes.
    pub vector: Option<VectorQuery<'q>>,
    pub strategy: Strategy,
    /// `attributesToSearchOn`.
    pub attributes: Option<&'q [String]>,
    /// Languages of the text; `None`: those of the attributes; empty: any.
    pub locales: Option<&'q [Language]>,
    /// The filter that documents must satisfy.
    pub filter: Option<&'q Filter>,
    /// Applied at the rule `sort`.
    pub sort: &'q [SortItem],
    /// Boosts that raise documents, independent of the words.
    pub boosts: Option<&'q Boosting>,
    /// Weights of attributes under `bm25`, which override the settings.
    pub attribute_weights: Option<&'q BTreeMap<String, f64>>,
    /// One side of a hybrid search, which is merged with the other.
    pub is_hybrid: bool,
    /// The distinct attribute; `None`: the one of the settings.
    pub distinct: Option<&'q str>,
    /// Documents pinned to a position, which need not match the text; sorted by position and
    /// precedence, without duplicates.
    pub pins: &'q [Pin],
    /// The window of hits, already limited by `maxTotalHits`.
    pub offset: usize,
    pub limit: usize,
    /// Page mode: the total is exact, also under a threshold and with `distinct`.
    pub exhaustive: bool,
    pub threshold: Option<f64>,
    /// True if scores and their details are needed; without them ranking may stop earlier.
    pub with_scores: bool,
    /// True if the words by which documents were found are needed.
    pub with_words: bool,
    pub deadline: Instant,
    /// Cancelled when the client has gone away.
    pub cancel: &'q Cancel,
}

impl Query<'_> {
    /// Returns the window of hits as a range of the whole list.
    pub(crate) fn window(&self) -> Range<usize> {
        self.offset..self.offset.saturating_add(self.limit)
    }
}
