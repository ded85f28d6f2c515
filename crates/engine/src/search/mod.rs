//! Searches an index: from a request to the JSON of its hits. The queue decides when; the crate
//! `search` matches and ranks.

mod boosting;
mod budget;
mod federated;
mod helpers;
mod hits;
mod multi;
mod personalize;
mod prepared_search;
mod query_vectors;
mod queue;
mod request;
mod rerank;
mod semantic;
mod similar;
mod stages;
mod suggest;
mod turn;

use std::sync::Arc;
use std::time::Instant;

use filter::Filter;
use index::Snapshot;
use model::features::Feature;
use model::{Cancel, ServiceError};
use network::NetworkStore;
use search::{Hit, Pin};
use settings::{ForeignKey, Settings};

use crate::common::counters::Counters;
pub use crate::common::inside_query;
pub use crate::common::raw_members::RawMembers;
use crate::common::{search_failure, search_failure_in};
use crate::documents::foreign::{
    ForeignAccess, Snapshots, foreign_rights_json, with_foreign_documents,
};
use crate::indexes::Indexes;
use crate::models::embedding::EmbedderPool;
use crate::models::reranking::{Personalizer, RerankerPool};
use crate::storage::feature_store::FeatureStore;

pub(crate) use boosting::{check_filters_of_boosts, check_stored_boosts};
pub use budget::AnswerBudget;
pub use federated::{
    FederatedAnswer, FederatedFacets, FederatedPart, FederatedQuery, FederatedRequest,
    FederationMember, FoundHit, HybridMode, HybridSides, IndexFacets, MergeFacets, PartialAnswer,
    QueryTarget, Recount, Recounts,
};
pub(crate) use helpers::Helpers;
pub use personalize::PersonalizeRequest;
pub use queue::{QueueLoad, QueueOptions, SearchQueue, Ticket, Turn};
pub use request::{
    FacetSearchAnswer, FacetSearchRequest, HitView, LegacySearch, RerankReport, RerankRequest,
    SearchAnswer, SearchRequest, SemanticRequest, Window,
};
pub use search::facets::{FacetDisplay, Facets};
pub use search::format::FormatRequest;
pub use search::{Correction, Criteria, Fusion, SimilarCounts, Strategy, Suggestion};
pub use similar::{SimilarAnswer, SimilarPart, SimilarRequest, similar_not_found};
pub use stages::Stages;
pub use suggest::{SuggestAnswer, SuggestRequest};
pub use text::{Language, locale};

use hits::HitWriter;
use prepared_search::{PreparedSearch, SearchRun};
use query_vectors::QueryVectors;
use rerank::{RerankScores, RerankedHits, Reranking};

/// Number of documents a facet search ranks where ranking decides which duplicate counts: a usual
/// page.
const FACET_SEARCH_WINDOW: usize = 20;

/// Searches the indexes of this instance.
#[derive(Debug)]
pub struct Searcher {
    pub(crate) indexes: Arc<Indexes>,
    pub(crate) features: Arc<FeatureStore>,
    /// Names of remotes in hits and in queries.
    pub(crate) network: Arc<NetworkStore>,
    pub(crate) embedders: Arc<EmbedderPool>,
    pub(crate) rerankers: Arc<RerankerPool>,
    /// None without the operator's key for it.
    pub(crate) personalizer: Option<Personalizer>,
    pub(crate) queue: SearchQueue,
    /// Threads for requests of several searches.
    pub(crate) helpers: Helpers,
    pub(crate) counters: Arc<Counters>,
}

impl Searcher {
    pub(crate) fn indexes(&self) -> &Arc<Indexes> {
        &self.indexes
    }

    /// Returns the settings of an index; none where there is none, or it cannot be read.
    pub fn settings_of(&self, uid: &str) -> Option<Arc<Settings>> {
        let index = self.indexes.find(uid).ok()??;
        Some(Arc::clone(index.snapshot().typed_settings()))
    }

    /// Returns the rights to foreign indexes as other instances are told them.
    pub fn foreign_rights_json<'q>(
        &self,
        asked: impl Iterator<Item = (&'q str, &'q ForeignAccess)>,
    ) -> Option<String> {
        foreign_rights_json(&self.indexes, asked)
    }

    /// Returns the queue of all searches.
    pub fn queue(&self) -> &SearchQueue {
        &self.queue
    }

    /// Runs a search on this thread. It is cancelled when the client is gone.
    pub fn search(
        &self,
        uid: &str,
        request: &SearchRequest,
        cancel: &Cancel,
    ) -> Result<SearchAnswer, ServiceError> {
        let (answer, ()) = self.search_with_hits(uid, request, cancel, |_, _| Ok(()))?;
        Ok(answer)
    }

    /// Like `search`, for one of several searches that embed equal queries once.
    fn search_in_batch(
        &self,
        uid: &str,
        request: &SearchRequest,
        shared: &Arc<QueryVectors>,
        cancel: &Cancel,
    ) -> Result<SearchAnswer, ServiceError> {
        let (answer, ()) = self.run_search(uid, request, Some(shared), cancel, |_, _| Ok(()))?;
        Ok(answer)
    }

    /// Like `search`, and also runs `make` on the hits, with the state of the index in which they
    /// were found.
    pub(crate) fn search_with_hits<T>(
        &self,
        uid: &str,
        request: &SearchRequest,
        cancel: &Cancel,
        make: impl FnOnce(&Snapshot, &[Hit]) -> Result<T, ServiceError>,
    ) -> Result<(SearchAnswer, T), ServiceError> {
        self.run_search(uid, request, None, cancel, make)
    }

    fn run_search<T>(
        &self,
        uid: &str,
        request: &SearchRequest,
        shared: Option<&Arc<QueryVectors>>,
        cancel: &Cancel,
        make: impl FnOnce(&Snapshot, &[Hit]) -> Result<T, ServiceError>,
    ) -> Result<(SearchAnswer, T), ServiceError> {
        let mut snapshots = Snapshots::for_caller(&self.indexes, &request.foreign);
        let answer = self.run_search_in(&mut snapshots, uid, request, shared, cancel, make);
        snapshots.answered(answer)
    }

    fn run_search_in<T>(
        &self,
        snapshots: &mut Snapshots<'_>,
        uid: &str,
        request: &SearchRequest,
        shared: Option<&Arc<QueryVectors>>,
        cancel: &Cancel,
        make: impl FnOnce(&Snapshot, &[Hit]) -> Result<T, ServiceError>,
    ) -> Result<(SearchAnswer, T), ServiceError> {
        let begun = Instant::now();
        let mut stages = Stages::default();
        let prepared = self.prepare(uid, request, None, snapshots, shared, cancel)?;
        let snapshot = &*prepared.snapshot;
        let text = request.text.as_deref();
        let pins = self.pins(uid, text, prepared.filters.sent.as_ref(), snapshot)?;
        let most = snapshot.typed_settings().max_total_hits;
        let window = request.window.clip(most);
        let reranking = Reranking::new(request, snapshot, &self.rerankers, &self.queue)?;
        let (offset, limit) = match &reranking {
            Some(reranking) => reranking.window(window, most),
            None => window,
        };
        let query = search::Query {
            pins: &pins,
            offset,
            limit,
            exhaustive: matches!(request.window, Window::Page { .. }),
            with_scores: request.view.ranking_score || request.view.ranking_score_details,
            with_words: request.view.format.is_some(),
            ..prepared.query(request, begun, cancel)
        };
        let SearchRun { mut found, vector: query_vector, .. } =
            prepared.run(&query, None, &mut stages, uid)?;
        let mut rerank_scores = RerankScores::default();
        let mut rerank = None;
        if let Some(reranking) = &reranking {
            let hits = std::mem::take(&mut found.hits);
            let apply = || reranking.apply(snapshot, hits, window, query.deadline, cancel);
            let RerankedHits { hits, scores, report } = stages.time("search > rerank", apply)?;
            found.semantic_hits = hits.iter().filter(|hit| hit.is_semantic()).count();
            (found.hits, rerank_scores, rerank) = (hits, scores, Some(report));
        }
        let facets = match request.facets.as_slice() {
            [] => request.no_facets(),
            patterns => {
                let among = &found.candidates;
                let count = || search::facets::distribution(snapshot, among, patterns, cancel);
                let counted = stages.time("search > facet distribution", count);
                Some(counted.map_err(|error| search_failure_in(error, uid))?)
            }
        };
        let correction = prepared.correction(request, &query, &mut stages, uid)?;
        let writer = HitWriter::new(snapshot, request, &found.words, prepared.origin())
            .with_rerank_scores(&rerank_scores);
        let foreign_keys = self.joined_keys(snapshot);
        let hits = stages.time("search > format", || {
            let hits = writer.write(&found.hits)?;
            let length = hits.len();
            let hits = with_foreign_documents(hits, foreign_keys, snapshots, cancel)?;
            request.budget.spend(hits.len().saturating_sub(length))?;
            Ok::<_, ServiceError>(hits)
        })?;
        let made = make(snapshot, &found.hits)?;
        let hits = match request.personalize() {
            Some(personalize) => stages.time("search > personalize", || {
                self.personalized(hits, &personalize, query.deadline, cancel)
            })?,
            None => hits,
        };
        self.counters.count_search(found.degraded);
        let elapsed = begun.elapsed();
        stages.add("search", elapsed);
        let answer = SearchAnswer {
            hits,
            total: request
                .reported_total(found.candidates.len(), snapshot.typed_settings().max_total_hits),
            semantic_hits: prepared.semantic.as_ref().map(|_| found.semantic_hits),
            query_vector,
            facets,
            correction,
            rerank,
            primary_key: snapshot.primary_key().map(str::to_owned),
            degraded: found.degraded,
            elapsed,
            stages,
        };
        Ok((answer, made))
    }

    /// Returns the pins of search rules: none while the feature is off.
    fn pins(
        &self,
        uid: &str,
        text: Option<&str>,
        filter: Option<&Filter>,
        snapshot: &Snapshot,
    ) -> Result<Vec<Pin>, ServiceError> {
        match self.features.current().dynamic_search_rules {
            true => self.indexes.rules.pins(uid, text, filter, snapshot),
            false => Ok(Vec::new()),
        }
    }

    /// Returns the foreign keys joined in hits: none while the feature is off.
    fn joined_keys<'s>(&self, snapshot: &'s Snapshot) -> &'s [ForeignKey] {
        let keys = &snapshot.typed_settings().foreign_keys;
        match keys.is_empty() || !self.features.current().is_on(Feature::foreign_keys) {
            true => &[],
            false => keys,
        }
    }

    /// Searches for facet values on this thread.
    pub fn facet_search(
        &self,
        uid: &str,
        request: &FacetSearchRequest,
        cancel: &Cancel,
    ) -> Result<FacetSearchAnswer, ServiceError> {
        let mut snapshots = Snapshots::for_caller(&self.indexes, &request.among.foreign);
        let answer = self.facet_search_in(&mut snapshots, uid, request, cancel);
        snapshots.answered(answer)
    }

    fn facet_search_in(
        &self,
        snapshots: &mut Snapshots<'_>,
        uid: &str,
        request: &FacetSearchRequest,
        cancel: &Cancel,
    ) -> Result<FacetSearchAnswer, ServiceError> {
        let begun = Instant::now();
        let prepared = self.prepare(uid, &request.among, None, snapshots, None, cancel)?;
        let snapshot = &*prepared.snapshot;
        let facet_query = search::facets::FacetQuery {
            facet: &request.facet,
            text: request.text.as_deref(),
            locales: request.among.criteria.locales.as_deref(),
        };
        let query = search::Query {
            limit: FACET_SEARCH_WINDOW,
            ..prepared.query(&request.among, begun, cancel)
        };
        // Checked before any error of the search itself.
        search::facets::check_searchable(snapshot, &request.facet).map_err(search_failure)?;
        // A vector is near every document to some degree.
        let query = match &prepared.semantic {
            Some(semantic) => {
                if !semantic.is_hybrid() {
                    semantic.needed_vector(query.deadline)?;
                }
                search::Query { text: None, ..query }
            }
            None => query,
        };
        let search = || {
            let candidates = search::candidates(snapshot, &query, request.exhaustive)?;
            match request.unlimited {
                true => search::facets::search_all(snapshot, &facet_query, &candidates, cancel),
                false => search::facets::search(snapshot, &facet_query, &candidates, cancel),
            }
        };
        Ok(FacetSearchAnswer {
            hits: search().map_err(search_failure)?,
            shown: FacetDisplay::of(snapshot, &request.facet),
            elapsed: begun.elapsed(),
        })
    }
}

/// Cuts a query text to the part that is searched, before it is tokenized, which takes hundreds of
/// times its size.
pub fn searched_text(text: Option<String>, most_bytes: usize) -> Option<String> {
    let mut text = text?;
    text.truncate(text.floor_char_boundary(most_bytes));
    Some(text)
}

/// Returns whether there is a text to search for.
pub fn has_text(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.trim().is_empty())
}
