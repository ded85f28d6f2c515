//! The parameters of a search.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use filter::{Filter, SortItem};
use model::Cancel;

use crate::boosts::Boosting;
use crate::criteria::Criteria;
use crate::pins::Pin;
use crate::vector_query::VectorQuery;

#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// The words; blank or `None`: a placeholder search, which every document matches.
    pub text: Option<&'q str>,
    /// Ranks documents instead of the words. Every document matches, unless it contains a word or a
    /// phrase that the text excludes.
    pub vector: Option<VectorQuery<'q>>,
    pub criteria: Cow<'q, Criteria>,
    /// The filter that documents must satisfy.
    pub filter: Option<&'q Filter>,
    /// Applied at the rule `sort`.
    pub sort: &'q [SortItem],
    /// Boosts that raise documents, independent of the words.
    pub boosts: Option<&'q Boosting>,
    /// One side of a hybrid search, which is merged with the other.
    pub is_hybrid: bool,
    /// Documents pinned to a position, which need not match the text; sorted by position and
    /// precedence, without duplicates.
    pub pins: &'q [Pin],
    /// The window of hits, already limited by `maxTotalHits`.
    pub offset: usize,
    pub limit: usize,
    /// Page mode: the total is exact, also under a threshold and with `distinct`.
    pub exhaustive: bool,
    /// True if scores and their details are needed; without them ranking may stop earlier.
    pub with_scores: bool,
    /// True if the words by which documents were found are needed.
    pub with_words: bool,
    pub deadline: Instant,
    /// Cancelled when the client has gone away.
    pub cancel: &'q Cancel,
}

impl Query<'_> {
    /// Returns the attributes to search; `None`: all that the settings name.
    pub(crate) fn attributes(&self) -> Option<&[String]> {
        self.criteria.attributes_to_search_on.as_deref()
    }

    /// Returns the window of hits as a range of the whole list.
    pub(crate) fn window(&self) -> Range<usize> {
        self.offset..self.offset.saturating_add(self.limit)
    }
}
