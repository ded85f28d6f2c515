//! Requests and answers of searches, in domain types: no wire format except hits, which are stored
//! as JSON already.

use std::ops::Not;
use std::time::Duration;

use search::facets::{FacetDisplay, Facets};
use search::format::FormatRequest;
use search::{Correction, Criteria};
use serde::Serialize;
use serde_json::Value;

use super::budget::AnswerBudget;
use super::personalize::PersonalizeRequest;
use super::stages::Stages;
use crate::documents::foreign::ForeignAccess;

#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// Query text; blank or none matches every document.
    pub text: Option<String>,
    pub window: Window,
    pub criteria: Criteria,
    /// Filter in one of its JSON forms.
    pub filter: Option<Value>,
    pub sort: Vec<String>,
    /// Checked boosts, replacing those of the settings.
    pub boosts: Option<Value>,
    /// Attributes whose values are counted, by name or pattern.
    pub facets: Vec<String>,
    /// Present if a vector counts.
    pub semantic: Option<SemanticRequest>,
    /// Reranker of the first hits.
    pub rerank: Option<RerankRequest>,
    /// User context for personalization.
    pub user_context: Option<String>,
    pub view: HitView,
    /// Foreign documents that the caller may see.
    pub foreign: ForeignAccess,
    /// Present if the search is answered as older versions did.
    pub legacy: Option<LegacySearch>,
    /// Limits the size of the hits.
    pub budget: AnswerBudget,
}

/// Behaviour of older versions: totals stop at the index's maximum of hits, and errors name neither
/// the index nor the filter as sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LegacySearch {
    /// True if empty facets are shown if none is requested.
    pub shows_no_facets: bool,
}

/// Semantic part of a search. There is something to embed: the text of the search, a vector, or
/// media.
#[derive(Debug, Clone, PartialEq)]
pub struct SemanticRequest {
    pub embedder: String,
    /// Weight of the vector against keywords, more than 0 and at most 1.
    pub ratio: f32,
    /// Fusion of keyword and vector results.
    pub fusion: search::Fusion,
    /// Vector to use in place of embedding the text.
    pub vector: Option<Vec<f32>>,
    pub media: Option<Value>,
}

/// A reranker, and how many of the first hits it orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RerankRequest {
    pub reranker: String,
    pub limit: usize,
}

/// Outcome of a reranking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RerankReport {
    pub reranker: String,
    /// Number of hits that were scored.
    pub reranked: usize,
    /// Reason why hits keep the first order that should not.
    pub reason: Option<String>,
    /// True if the reason is that a reranker failed.
    pub has_failed: bool,
}

impl RerankReport {
    /// Returns the report of a reranker that has scored nothing.
    pub(crate) fn of(reranker: &str) -> Self {
        Self { reranker: reranker.to_owned(), ..Self::default() }
    }
}

/// Search for values of an attribute among the documents of another search.
#[derive(Debug, Clone, Default)]
pub struct FacetSearchRequest {
    pub facet: String,
    /// Prefix of the values; none lists all.
    pub text: Option<String>,
    /// True if to count exactly under a distinct attribute, at any number of documents.
    pub exhaustive: bool,
    /// Returns every value regardless of the limit, for merging several instances.
    pub unlimited: bool,
    /// Search that selects the documents; its window and view are ignored.
    pub among: SearchRequest,
}

/// Selects the ranked documents to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    Offset {
        offset: usize,
        limit: usize,
    },
    /// Pages count from 1. Their total is exact, so every document is examined.
    Page {
        page: usize,
        hits_per_page: usize,
    },
}

/// Members shown of each hit.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HitView {
    /// All displayed ones if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes_to_retrieve: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Not::not")]
    pub retrieve_vectors: bool,
    /// Formatting and match positions; none leaves the text alone.
    #[serde(flatten)]
    pub format: Option<FormatRequest>,
    #[serde(rename = "showRankingScore", skip_serializing_if = "Not::not")]
    pub ranking_score: bool,
    #[serde(rename = "showRankingScoreDetails", skip_serializing_if = "Not::not")]
    pub ranking_score_details: bool,
}

#[derive(Debug)]
pub struct SearchAnswer {
    /// A JSON array.
    pub hits: String,
    /// Number of matching documents.
    pub total: u64,
    /// Hits found by a vector; none for a keyword search.
    pub semantic_hits: Option<usize>,
    /// Vector that documents were compared with.
    pub query_vector: Option<Vec<f32>>,
    /// Present if facets were requested.
    pub facets: Option<Facets>,
    /// Present if a corrected spelling was requested.
    pub correction: Option<Correction>,
    /// Present if reranking was requested.
    pub rerank: Option<RerankReport>,
    pub primary_key: Option<String>,
    /// True if the time limit ended the search before it had ranked all documents.
    pub degraded: bool,
    pub elapsed: Duration,
    pub stages: Stages,
}

#[derive(Debug)]
pub struct FacetSearchAnswer {
    /// Values and their numbers of documents, in the order of the facet.
    pub hits: Vec<(String, u64)>,
    /// Order and number of values shown.
    pub shown: FacetDisplay,
    pub elapsed: Duration,
}

impl SearchRequest {
    /// Returns whether keywords and a vector both count and are fused by score. Only then the parts
    /// of several instances can be merged as one instance merges its sides.
    pub fn compares_sides(&self) -> bool {
        let fusion = self.semantic.as_ref().map(|semantic| semantic.fusion);
        self.is_hybrid() && fusion == Some(search::Fusion::Score)
    }

    /// Returns whether keywords and a vector both count.
    pub(crate) fn is_hybrid(&self) -> bool {
        super::has_text(self.text.as_deref())
            && self.semantic.as_ref().is_some_and(|semantic| semantic.ratio < 1.0)
    }

    /// Returns the personalization, if requested.
    pub fn personalize(&self) -> Option<PersonalizeRequest> {
        let user_context = self.user_context.clone()?;
        Some(PersonalizeRequest { query: self.text.clone().unwrap_or_default(), user_context })
    }

    /// Returns the total to report.
    pub fn reported_total(&self, total: u64, max_total_hits: usize) -> u64 {
        match self.legacy {
            Some(_) => total.min(max_total_hits as u64),
            None => total,
        }
    }

    /// Returns the facets shown if none is requested.
    pub fn no_facets(&self) -> Option<Facets> {
        self.legacy.filter(|legacy| legacy.shows_no_facets).map(|_| Facets::default())
    }
}

impl Default for Window {
    fn default() -> Self {
        Window::Offset { offset: 0, limit: model::limits::DEFAULT_PAGE_LIMIT }
    }
}

impl Window {
    /// Returns offset and limit within the index's maximum of hits.
    pub(super) fn clip(self, max_total_hits: usize) -> (usize, usize) {
        let (offset, limit) = match self {
            Window::Offset { offset, limit } => (offset, limit),
            Window::Page { page, hits_per_page } => match page.checked_sub(1) {
                Some(before) => (before.saturating_mul(hits_per_page), hits_per_page),
                None => (0, 0),
            },
        };
        let offset = offset.min(max_total_hits);
        (offset, limit.min(max_total_hits - offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hit_past_the_maximum_is_given_out() {
        let offset = |offset, limit| Window::Offset { offset, limit };
        let page = |page, hits_per_page| Window::Page { page, hits_per_page };
        for (window, expected) in [
            (offset(0, 20), (0, 20)),
            (offset(800, 400), (800, 200)),
            (offset(1000, 1), (1000, 0)),
            (offset(usize::MAX, usize::MAX), (1000, 0)),
            (page(1, 20), (0, 20)),
            (page(3, 7), (14, 7)),
            (page(4, 300), (900, 100)),
            (page(0, 5), (0, 0)),
            (page(3, 0), (0, 0)),
            (page(usize::MAX, usize::MAX), (1000, 0)),
        ] {
            assert_eq!(window.clip(1000), expected, "{window:?}");
        }
        assert_eq!(offset(0, 20).clip(0), (0, 0));
    }
}
