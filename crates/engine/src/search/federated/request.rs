//! What can be asked of several queries whose hits become one list, and what comes back.

use std::collections::BTreeMap;
use std::time::Duration;

use model::ServiceError;
use search::Correction;
use search::facets::{Facets, Shown};
use search::federation::{Candidate, Contenders};
use settings::Settings;

use super::hybrid::{HybridMode, HybridSides};
use super::recount::Recounts;
use crate::placement::ShardScope;
use crate::search::has_text;
use crate::search::personalize::PersonalizeRequest;
use crate::search::request::{RerankReport, RerankRequest, SearchRequest, Window};
use crate::search::rerank;
use crate::search::stages::Stages;

#[derive(Debug, Clone, Default)]
pub struct FederatedRequest {
    pub queries: Vec<FederatedQuery>,
    /// Of the merged list.
    pub window: Window,
    /// For each index the attributes whose values are counted, by name or pattern; none for an
    /// index that is only named.
    pub facets_by_index: BTreeMap<String, Option<Vec<String>>>,
    /// The facets of all indexes as one.
    pub merge_facets: Option<MergeFacets>,
    /// Of the documents of all indexes that have the same value only the best is shown.
    pub distinct: Option<String>,
    /// Another instance asks, and merges what it gets with what others found.
    pub is_proxied: bool,
    /// All queries are one, asked of several instances: `distinct` may be what the settings say.
    pub is_network_search: bool,
    /// How hybrid queries go on when their words have been searched for.
    pub hybrid: HybridMode,
    /// Only counts are wanted: the hits are known already.
    pub recounts: Option<Recounts>,
    /// Whom the merged list is to suit, if anybody.
    pub personalize: Option<PersonalizeRequest>,
    /// Which reranker orders the first hits of the merged list: each index has one of that name.
    pub rerank: Option<RerankRequest>,
}

#[derive(Debug, Clone, Default)]
pub struct FederatedQuery {
    pub index_uid: String,
    /// What it says of its window and of facets is not looked at.
    pub request: SearchRequest,
    /// What its scores count against those of the other queries.
    pub weight: f64,
    /// The instance that is asked, by its name in the network; none: this one.
    pub remote: Option<String>,
    /// What it is asked for.
    pub scope: ShardScope,
    /// The position that hits tell, and that decides between equal ones, where it is not the
    /// place of the query in the request.
    pub position: Option<usize>,
    /// The place of the query that the client sent, if this is what one instance is asked of it.
    pub part_of: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct MergeFacets {
    pub max_values: Option<usize>,
}

/// What another instance found, ready to be merged.
#[derive(Debug, Default)]
pub(crate) struct PartialAnswer {
    /// What it is called.
    pub remote: Option<String>,
    /// In their order.
    pub hits: Vec<Candidate<FoundHit>>,
    pub total: u64,
    /// By index.
    pub facets: BTreeMap<String, IndexFacets>,
    /// By the position of the query, of those that show vectors.
    pub query_vectors: BTreeMap<usize, Vec<f32>>,
    /// Whether a query was compared by a vector.
    pub is_semantic: bool,
    pub degraded: bool,
    /// By index what it may have to count, where that depends on what others have.
    pub contenders: Option<BTreeMap<String, Contenders>>,
    /// What the sides of its hybrid queries found, where all parts decide together.
    pub sides: Vec<HybridSides>,
    /// By the position of the query, of those that want a better spelling.
    pub corrections: BTreeMap<usize, Correction>,
    /// What became of its reranking.
    pub rerank: Option<RerankReport>,
}

/// What becomes of a hit if it is shown.
#[derive(Debug, Clone)]
pub(crate) enum FoundHit {
    /// Still to be written: the hit of a query here.
    Local { query: usize, hit: search::Hit, rerank_score: Option<f64> },
    /// Written elsewhere, with all its members but those of the reranker.
    Remote {
        json: String,
        is_semantic: bool,
        remote: String,
        index_uid: String,
        rerank_score: Option<f64>,
    },
}

#[derive(Debug)]
pub struct FederatedAnswer {
    /// A JSON array.
    pub hits: String,
    pub total: u64,
    pub facets: FederatedFacets,
    /// The vectors of queries that show them, by position; present if one asks for vectors.
    pub query_vectors: Option<BTreeMap<usize, Vec<f32>>>,
    /// By the position of the query, of those that want a better spelling.
    pub corrections: BTreeMap<usize, Correction>,
    /// Present when the hits were to be reranked.
    pub rerank: Option<RerankReport>,
    /// How many of the hits were ranked by similarity; present if a query is compared by a vector.
    pub semantic_hits: Option<usize>,
    /// What each query was asked of, in the order of the request.
    pub targets: Vec<QueryTarget>,
    /// The remotes that failed; present if any was asked.
    pub remote_errors: Option<BTreeMap<String, ServiceError>>,
    /// What has to be counted again: present if several instances were asked for what is
    /// distinct.
    pub recounts: Option<Recounts>,
    /// By index what may have to be counted, for another instance that knows what others have.
    pub contenders: Option<BTreeMap<String, Contenders>>,
    /// What the sides of hybrid queries found, for another instance that decides.
    pub sides: Vec<HybridSides>,
    pub degraded: bool,
    pub elapsed: Duration,
    pub stages: Stages,
}

#[derive(Debug, Clone, Default)]
pub struct QueryTarget {
    pub primary_key: Option<String>,
    pub remote: Option<String>,
}

#[derive(Debug, Default)]
pub enum FederatedFacets {
    /// None were asked for.
    #[default]
    None,
    ByIndex(BTreeMap<String, IndexFacets>),
    Merged(Facets),
}

/// The facets of one index, and how the values of each attribute are shown.
#[derive(Debug, Default)]
pub struct IndexFacets {
    pub facets: Facets,
    pub shown: BTreeMap<String, Shown>,
}

impl FederatedRequest {
    /// The position that the hits of a query tell.
    pub(crate) fn position(&self, place: usize) -> usize {
        self.queries.get(place).and_then(|query| query.position).unwrap_or(place)
    }

    /// The distinct attribute as far as it has to be named: that of the settings, which need not
    /// be filterable, applies without.
    pub(crate) fn named_distinct(&self, settings: &Settings) -> Option<&str> {
        let of_settings = settings.distinct_attribute.as_deref();
        let named = self.distinct.as_deref();
        let is_implied = (self.is_network_search || self.is_proxied) && named == of_settings;
        named.filter(|_| !is_implied)
    }

    /// Whether all queries are parts of one that ranks by one list.
    pub(crate) fn is_one_query(&self) -> bool {
        let is_part =
            |query: &FederatedQuery| query.part_of.is_some() && !query.request.is_hybrid();
        let mut queries = self.queries.iter();
        let first = queries.next().filter(|query| is_part(query));
        first.is_some_and(|first| queries.all(|query| query.part_of == first.part_of))
    }

    /// The place of a query as the client knows it.
    pub fn client_position(&self, place: usize) -> usize {
        self.queries.get(place).and_then(|query| query.part_of).unwrap_or(place)
    }

    /// How many hits of the merged list have to be found: those up to the end of the window, and
    /// those that are reranked.
    pub(crate) fn depth(&self) -> usize {
        let (offset, limit) = self.window.clip(usize::MAX);
        let end = offset.saturating_add(limit);
        self.reranking().map_or(end, |rerank| end.max(rerank.limit))
    }

    /// The reranking that was asked for, if it makes any difference and hits are wanted at all.
    pub(crate) fn reranking(&self) -> Option<&RerankRequest> {
        let rerank = self.rerank.as_ref().filter(|_| !self.is_recount())?;
        self.useless_reranking(rerank).is_none().then_some(rerank)
    }

    /// Why the window would show the same hits without a reranker.
    pub(crate) fn useless_reranking(&self, rerank: &RerankRequest) -> Option<String> {
        let is_text = |query: &FederatedQuery| has_text(query.request.text.as_deref());
        let window = self.window.clip(usize::MAX);
        rerank::useless(rerank, self.queries.iter().any(is_text), window)
    }
}
