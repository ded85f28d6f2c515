//! Request and answer of a federated search.

use std::collections::BTreeMap;
use std::time::Duration;

use model::ServiceError;
use network::ShardScope;
use search::Correction;
use search::facets::{FacetDisplay, Facets};
use search::federation::{Candidate, Contenders};
use settings::Settings;

use super::hybrid::{HybridMode, HybridSides};
use super::recount::Recounts;
use crate::search::has_text;
use crate::search::personalize::PersonalizeRequest;
use crate::search::request::{RerankReport, RerankRequest, SearchRequest, Window};
use crate::search::rerank;
use crate::search::stages::Stages;

#[derive(Debug, Clone, Default)]
pub struct FederatedRequest {
    pub queries: Vec<FederatedQuery>,
    /// Window of the merged list.
    pub window: Window,
    /// Facets to count by index, by name or pattern; none for an index that is only named.
    pub facets_by_index: BTreeMap<String, Option<Vec<String>>>,
    /// Merges the facets of all indexes.
    pub merge_facets: Option<MergeFacets>,
    /// Attribute of which each value is shown once, over all indexes.
    pub distinct: Option<String>,
    /// True if another instance sent the request, to merge the answer with others.
    pub is_proxied: bool,
    /// True if all queries are one, sent to several instances: `distinct` may then come from the
    /// settings.
    pub is_network_search: bool,
    /// How hybrid queries continue after the keyword search.
    pub hybrid: HybridMode,
    /// Present if only counts are requested, for known hits.
    pub recounts: Option<Recounts>,
    /// Personalization of the merged list.
    pub personalize: Option<PersonalizeRequest>,
    /// Reranker of the first hits of the merged list: each index has one of that name.
    pub rerank: Option<RerankRequest>,
}

#[derive(Debug, Clone, Default)]
pub struct FederatedQuery {
    pub index_uid: String,
    /// The query. Its window and facets are ignored.
    pub request: SearchRequest,
    /// Weight of its scores against those of other queries.
    pub weight: f64,
    /// Name of the remote to ask; none for this instance.
    pub remote: Option<String>,
    /// Documents it is restricted to.
    pub scope: ShardScope,
    /// Position shown in hits, which also breaks ties; by default the place of the query in the
    /// request.
    pub position: Option<usize>,
    /// Place of the client's query that this one is a part of.
    pub part_of: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct MergeFacets {
    pub max_values: Option<usize>,
}

/// Results of another instance, ready to be merged.
#[derive(Debug, Default)]
pub struct PartialAnswer {
    /// Name of the instance.
    pub remote: Option<String>,
    /// Ordered hits.
    pub hits: Vec<Candidate<FoundHit>>,
    pub total: u64,
    /// Facets by index.
    pub facets: BTreeMap<String, IndexFacets>,
    /// Vectors by position of the query, for queries that show them.
    pub query_vectors: BTreeMap<usize, Vec<f32>>,
    /// True if a query used a vector.
    pub is_semantic: bool,
    pub degraded: bool,
    /// Contenders by index, where its counts depend on other instances.
    pub contenders: Option<BTreeMap<String, Contenders>>,
    /// Results of both sides of hybrid queries, where all parts decide together.
    pub sides: Vec<HybridSides>,
    /// Corrections by position of the query.
    pub corrections: BTreeMap<usize, Correction>,
    /// Report of its reranking.
    pub rerank: Option<RerankReport>,
}

/// Source of a hit's JSON.
#[derive(Debug, Clone)]
pub enum FoundHit {
    /// Hit of a local query, still to be written.
    Local { query: usize, hit: search::Hit, rerank_score: Option<f64> },
    /// Hit written by another instance, without the reranker's members.
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
    /// Vectors of queries by position; present if a query asks for vectors.
    pub query_vectors: Option<BTreeMap<usize, Vec<f32>>>,
    /// Corrections by position of the query.
    pub corrections: BTreeMap<usize, Correction>,
    /// Present if reranking was requested.
    pub rerank: Option<RerankReport>,
    /// Hits ranked by similarity; present if a query uses a vector.
    pub semantic_hits: Option<usize>,
    /// Target of each query, in the order of the request.
    pub targets: Vec<QueryTarget>,
    /// Errors of remotes; present if any was asked.
    pub remote_errors: Option<BTreeMap<String, ServiceError>>,
    /// Recounts to make: present if distinct hits were requested of several instances.
    pub recounts: Option<Recounts>,
    /// Contenders by index, for the instance that merges.
    pub contenders: Option<BTreeMap<String, Contenders>>,
    /// Results of both sides, for the instance that decides.
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
    /// No facets were requested.
    #[default]
    None,
    ByIndex(BTreeMap<String, IndexFacets>),
    Merged(Facets),
}

/// Facets of one index, and how the values of each attribute are shown.
#[derive(Debug, Default)]
pub struct IndexFacets {
    pub facets: Facets,
    pub shown: BTreeMap<String, FacetDisplay>,
}

impl FederatedRequest {
    /// Returns the position shown in the hits of a query.
    pub fn position(&self, place: usize) -> usize {
        self.queries.get(place).and_then(|query| query.position).unwrap_or(place)
    }

    /// Returns the distinct attribute if it has to be filterable; that of the settings need not be.
    pub(crate) fn named_distinct(&self, settings: &Settings) -> Option<&str> {
        let of_settings = settings.distinct_attribute.as_deref();
        let named = self.distinct.as_deref();
        let is_implied = (self.is_network_search || self.is_proxied) && named == of_settings;
        named.filter(|_| !is_implied)
    }

    /// Returns whether all queries are parts of one query.
    pub(crate) fn is_one_query(&self) -> bool {
        let is_part =
            |query: &FederatedQuery| query.part_of.is_some() && !query.request.is_hybrid();
        let mut queries = self.queries.iter();
        let first = queries.next().filter(|query| is_part(query));
        first.is_some_and(|first| queries.all(|query| query.part_of == first.part_of))
    }

    /// Returns the place of a query in the client's request.
    pub fn client_position(&self, place: usize) -> usize {
        self.queries.get(place).and_then(|query| query.part_of).unwrap_or(place)
    }

    /// Returns how many hits of the merged list are needed: those up to the end of the window, and
    /// those that are reranked.
    pub fn depth(&self) -> usize {
        let (offset, limit) = self.window.clip(usize::MAX);
        let end = offset.saturating_add(limit);
        self.reranking().map_or(end, |rerank| end.max(rerank.limit))
    }

    /// Returns the requested reranking, unless it makes no difference.
    pub fn reranking(&self) -> Option<&RerankRequest> {
        let rerank = self.rerank.as_ref().filter(|_| !self.is_recount())?;
        self.useless_reranking(rerank).is_none().then_some(rerank)
    }

    /// Returns why the window would show the same hits without a reranker.
    pub(crate) fn useless_reranking(&self, rerank: &RerankRequest) -> Option<String> {
        let is_text = |query: &FederatedQuery| has_text(query.request.text.as_deref());
        let window = self.window.clip(usize::MAX);
        rerank::useless(rerank, self.queries.iter().any(is_text), window)
    }
}
