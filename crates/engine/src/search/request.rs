//! What can be asked of a search, and what comes back: domain words, no wire format but for the
//! hits, which are JSON already in the store.

use std::collections::BTreeMap;
use std::time::Duration;

use search::Correction;
use search::facets::{Facets, Shown};
use search::format::FormatRequest;
use serde_json::Value;
use text::Language;

use super::budget::AnswerBudget;
use super::personalize::PersonalizeRequest;
use super::stages::Stages;
use crate::documents::foreign::ForeignAccess;

#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// Blank or none: every document.
    pub text: Option<String>,
    pub window: Window,
    pub strategy: search::Strategy,
    pub attributes_to_search_on: Option<Vec<String>>,
    /// None: those of the attributes; empty: any.
    pub locales: Option<Vec<Language>>,
    /// Hits that score less are neither shown nor counted.
    pub threshold: Option<f64>,
    /// In one of its JSON forms.
    pub filter: Option<Value>,
    pub sort: Vec<String>,
    /// In their checked form, in place of those of the settings.
    pub boosts: Option<Value>,
    /// What attributes weigh under `bm25`, laid over what the settings say.
    pub attribute_weights: Option<BTreeMap<String, f64>>,
    /// Of the documents that have the same value of this attribute only the best is shown.
    pub distinct: Option<String>,
    /// The attributes whose values are counted, by name or pattern.
    pub facets: Vec<String>,
    /// Present where words are not all that counts.
    pub semantic: Option<SemanticRequest>,
    /// Which reranker orders the first hits.
    pub rerank: Option<RerankRequest>,
    /// What is known of the user whom the order of the hits is to suit.
    pub user_context: Option<String>,
    pub view: HitView,
    /// Which foreign documents the caller may see.
    pub foreign: ForeignAccess,
    /// Present if the search is to be answered as older versions did.
    pub legacy: Option<LegacySearch>,
    /// Bounds the hits.
    pub budget: AnswerBudget,
    /// Whether a better spelling of the text is wanted.
    pub did_you_mean: bool,
}

/// The older way: totals end with the hits that the index gives out, mistakes are told without the
/// name of the index and of the filter as it was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LegacySearch {
    /// Facets are shown although none is named.
    pub shows_no_facets: bool,
}

/// How a search looks for what is meant. There is something to embed: the text of the search, a
/// vector, or media.
#[derive(Debug, Clone, PartialEq)]
pub struct SemanticRequest {
    pub embedder: String,
    /// What the vector weighs against the words, more than 0 and at most 1.
    pub ratio: f32,
    /// How what the words found and what the vector found become one list.
    pub fusion: search::Fusion,
    /// In place of what the embedder would make of the text.
    pub vector: Option<Vec<f32>>,
    pub media: Option<Value>,
}

/// Which reranker orders how many of the first hits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RerankRequest {
    pub reranker: String,
    pub limit: usize,
}

/// What became of a reranking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RerankReport {
    pub reranker: String,
    /// How many hits were scored.
    pub reranked: usize,
    /// Why hits stand in the first order, where any of them do that should not.
    pub reason: Option<String>,
    /// Whether that is because a reranker did not answer.
    pub has_failed: bool,
}

impl RerankReport {
    /// Of a reranker that has scored nothing.
    pub(crate) fn of(reranker: &str) -> Self {
        Self { reranker: reranker.to_owned(), ..Self::default() }
    }
}

/// A search for values of an attribute among the documents that another search finds.
#[derive(Debug, Clone, Default)]
pub struct FacetSearchRequest {
    pub facet: String,
    /// The beginning of the values; none lists all of them.
    pub text: Option<String>,
    /// Under a distinct attribute: count exactly, however many documents there are.
    pub exhaustive: bool,
    /// Every value, however many are to be shown: a part of what several instances find.
    pub unlimited: bool,
    /// Which documents count; what it says of their window and view is not looked at.
    pub among: SearchRequest,
}

/// Which of the ranked documents are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    Offset {
        offset: usize,
        limit: usize,
    },
    /// Pages count from 1. Their total is exact, so every document is looked at.
    Page {
        page: usize,
        hits_per_page: usize,
    },
}

/// What is shown of each hit.
#[derive(Debug, Clone, Default)]
pub struct HitView {
    /// All that are displayed when absent.
    pub attributes_to_retrieve: Option<Vec<String>>,
    pub retrieve_vectors: bool,
    /// Where matches stand and how the text around them is shown; none leaves the text alone.
    pub format: Option<FormatRequest>,
    pub ranking_score: bool,
    pub ranking_score_details: bool,
}

#[derive(Debug)]
pub struct SearchAnswer {
    /// A JSON array.
    pub hits: String,
    /// How many documents match, however many are shown.
    pub total: u64,
    /// How many of the hits were found by a vector; none for a search by words only.
    pub semantic_hits: Option<usize>,
    /// What documents were compared with.
    pub query_vector: Option<Vec<f32>>,
    /// Present when any were asked for.
    pub facets: Option<Facets>,
    /// Present when a better spelling was asked for.
    pub correction: Option<Correction>,
    /// Present when the hits were to be reranked.
    pub rerank: Option<RerankReport>,
    pub primary_key: Option<String>,
    /// Time ran out before everything was ranked.
    pub degraded: bool,
    pub elapsed: Duration,
    pub stages: Stages,
}

#[derive(Debug)]
pub struct FacetSearchAnswer {
    /// Values and how many documents have them, in the order of the facet.
    pub hits: Vec<(String, u64)>,
    /// How they are ordered and how many are shown.
    pub shown: Shown,
    pub elapsed: Duration,
}

impl SearchRequest {
    /// Whether words and a vector both count, and what they find is compared by its scores. Only
    /// then the parts of several instances can be merged as one instance merges its sides.
    pub(crate) fn compares_sides(&self) -> bool {
        let fusion = self.semantic.as_ref().map(|semantic| semantic.fusion);
        self.is_hybrid() && fusion == Some(search::Fusion::Score)
    }

    /// Whether words and a vector both count.
    pub(crate) fn is_hybrid(&self) -> bool {
        super::has_text(self.text.as_deref())
            && self.semantic.as_ref().is_some_and(|semantic| semantic.ratio < 1.0)
    }

    /// Whom the hits are to suit, if anybody.
    pub(crate) fn personalize(&self) -> Option<PersonalizeRequest> {
        let user_context = self.user_context.clone()?;
        Some(PersonalizeRequest { query: self.text.clone().unwrap_or_default(), user_context })
    }

    /// The total as it is told.
    pub(crate) fn reported_total(&self, total: u64, max_total_hits: usize) -> u64 {
        match self.legacy {
            Some(_) => total.min(max_total_hits as u64),
            None => total,
        }
    }

    /// What is shown where no facet is named.
    pub(crate) fn no_facets(&self) -> Option<Facets> {
        self.legacy.filter(|legacy| legacy.shows_no_facets).map(|_| Facets::default())
    }
}

impl Default for Window {
    fn default() -> Self {
        Window::Offset { offset: 0, limit: model::limits::DEFAULT_PAGE_LIMIT }
    }
}

impl Window {
    /// Offset and limit within the hits that an index gives out at most.
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
