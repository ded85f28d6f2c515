//! A search as it is asked for.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use filter::{Filter, SortItem};
use text::Language;

use crate::boosts::Boosting;
use crate::pins::Pin;
use crate::strategy::Strategy;
use crate::vector_query::VectorQuery;

#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// Blank or none: a placeholder search, which every document matches.
    pub text: Option<&'q str>,
    /// Ranks documents in place of the words. Every document matches it, unless it holds a word or
    /// a phrase that the text excludes.
    pub vector: Option<VectorQuery<'q>>,
    pub strategy: Strategy,
    /// `attributesToSearchOn`.
    pub attributes: Option<&'q [String]>,
    /// None: those of the attributes; empty: any.
    pub locales: Option<&'q [Language]>,
    /// Only documents that satisfy it count.
    pub filter: Option<&'q Filter>,
    /// Applied where the ranking rules have `sort`.
    pub sort: &'q [SortItem],
    /// What raises documents beside the words.
    pub boosts: Option<&'q Boosting>,
    /// What attributes weigh under `bm25`, laid over what the settings say.
    pub attribute_weights: Option<&'q BTreeMap<String, f64>>,
    /// One side of a hybrid search, which is merged with the other.
    pub is_hybrid: bool,
    /// At most one document of each value of this attribute; none: as the settings say.
    pub distinct: Option<&'q str>,
    /// Documents that stand where they are pinned to and need not match the text, ordered by
    /// position and precedence, each once.
    pub pins: &'q [Pin],
    /// Hits wanted, already limited by `maxTotalHits`.
    pub offset: usize,
    pub limit: usize,
    /// Page mode: the total is exact, also under a threshold and with `distinct`.
    pub exhaustive: bool,
    pub threshold: Option<f64>,
    /// Whether scores and their details are wanted; without them ranking may stop earlier.
    pub with_scores: bool,
    /// Whether the words by which documents were found are wanted.
    pub with_words: bool,
    pub deadline: Instant,
    /// Set when nobody waits for the answer any more.
    pub cancelled: &'q AtomicBool,
}

impl Query<'_> {
    /// The hits wanted, as places in the list of all.
    pub(crate) fn window(&self) -> Range<usize> {
        self.offset..self.offset.saturating_add(self.limit)
    }
}
