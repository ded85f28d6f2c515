//! Searching an index: from a request to the JSON of its hits. Who is asked when is the business
//! of the queue; what matches and ranks, that of `search`.

mod failure;
mod federated;
mod helpers;
mod hits;
mod multi;
mod queue;
mod request;
mod semantic;
mod similar;
mod stages;
mod turn;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use filter::{Filter, SortItem};
use index::Snapshot;
use model::{Code, ServiceError};
use search::{Found, Hit, Hybrid, HybridQuery, SearchError, Sides, VectorQuery};
use serde_json::Value;

use crate::Engine;
use crate::filters::{parse_filter, parse_sort, resolved};
use crate::foreign::{Snapshots, with_foreign_documents};
use crate::network::Share;

pub use failure::inside_query;
pub(crate) use failure::{documents_failure, search_failure};
pub use federated::{
    AskedIndex, FederatedAnswer, FederatedFacets, FederatedPart, FederatedQuery, FederatedRequest,
    HybridCourse, IndexFacets, MergeFacets, Recount, Recounts, WordsSide,
};
pub(crate) use federated::{FederationMember, FoundHit, PartialAnswer};
pub(crate) use helpers::Helpers;
pub use queue::{QueueLoad, QueueOptions, SearchQueue, Ticket, Turn};
pub use request::{
    FacetSearchAnswer, FacetSearchRequest, HitView, LegacySearch, SearchAnswer, SearchRequest,
    SemanticRequest, Window,
};
pub use search::SimilarCounts;
pub use search::Strategy;
pub use search::facets::{Facets, Shown};
pub use search::format::FormatRequest;
pub use similar::{SimilarAnswer, SimilarPart, SimilarRequest, similar_not_found};
pub use stages::Stages;
pub use text::{Language, locale};

use failure::search_failure_in;
use hits::HitWriter;
use semantic::Semantic;

/// How many documents a search for facet values ranks where that decides which of several equal
/// ones counts: a usual page.
const FACET_SEARCH_WINDOW: usize = 20;

impl Engine {
    /// The line in which every search has to wait, whatever it searches.
    pub fn search_queue(&self) -> &SearchQueue {
        &self.search_queue
    }

    /// Runs a search on this thread. `cancelled` is set when nobody waits for the answer.
    pub fn search(
        &self,
        uid: &str,
        request: &SearchRequest,
        cancelled: &AtomicBool,
    ) -> Result<SearchAnswer, ServiceError> {
        let (answer, ()) = self.search_and(uid, request, cancelled, |_, _| Ok(()))?;
        Ok(answer)
    }

    /// The same for those who make something else of the hits too, from the state of the index
    /// in which they were found.
    pub(crate) fn search_and<T>(
        &self,
        uid: &str,
        request: &SearchRequest,
        cancelled: &AtomicBool,
        make: impl FnOnce(&Snapshot, &[Hit]) -> Result<T, ServiceError>,
    ) -> Result<(SearchAnswer, T), ServiceError> {
        let begun = Instant::now();
        let mut stages = Stages::default();
        let mut snapshots = Snapshots::new(&self.instance);
        let prepared = self.prepare(uid, request, &Share::All, &mut snapshots, cancelled)?;
        let snapshot = &*prepared.snapshot;
        let pins =
            self.pins(uid, request.text.as_deref(), prepared.filters.sent.as_ref(), snapshot)?;
        let (offset, limit) = request.window.clip(snapshot.typed_settings().max_total_hits);
        let query = search::Query {
            pins: &pins,
            offset,
            limit,
            exhaustive: matches!(request.window, Window::Page { .. }),
            with_scores: request.view.ranking_score || request.view.ranking_score_details,
            with_words: request.view.format.is_some(),
            ..prepared.query(request, begun, cancelled)
        };
        let Ran { found, vector: query_vector, .. } =
            prepared.run(&query, None, &mut stages, uid)?;
        let facets = match request.facets.as_slice() {
            [] => request.no_facets(),
            patterns => {
                let among = &found.candidates;
                let count = || search::facets::distribution(snapshot, among, patterns, cancelled);
                let counted = stages.time("search > facet distribution", count);
                Some(counted.map_err(|error| search_failure_in(error, uid))?)
            }
        };
        let writer = HitWriter::new(snapshot, request, &found.words, prepared.origin());
        let foreign_keys = &snapshot.typed_settings().foreign_keys;
        let hits = stages.time("search > format", || {
            let hits = writer.write(&found.hits)?;
            with_foreign_documents(hits, foreign_keys, &mut snapshots, cancelled)
        })?;
        let made = make(snapshot, &found.hits)?;
        self.counters.count_search(found.degraded);
        let elapsed = begun.elapsed();
        stages.add("search", elapsed);
        let answer = SearchAnswer {
            hits,
            total: request
                .told_total(found.candidates.len(), snapshot.typed_settings().max_total_hits),
            semantic_hits: prepared.semantic.as_ref().map(|_| found.semantic_hits),
            query_vector,
            facets,
            primary_key: snapshot.primary_key().map(str::to_owned),
            degraded: found.degraded,
            elapsed,
            stages,
        };
        Ok((answer, made))
    }

    /// Looks for values of a facet on this thread.
    pub fn facet_search(
        &self,
        uid: &str,
        request: &FacetSearchRequest,
        cancelled: &AtomicBool,
    ) -> Result<FacetSearchAnswer, ServiceError> {
        let begun = Instant::now();
        let mut snapshots = Snapshots::new(&self.instance);
        let prepared = self.prepare(uid, &request.among, &Share::All, &mut snapshots, cancelled)?;
        let snapshot = &*prepared.snapshot;
        let facet_query =
            search::facets::FacetQuery { facet: &request.facet, text: request.text.as_deref() };
        let query = search::Query {
            limit: FACET_SEARCH_WINDOW,
            ..prepared.query(&request.among, begun, cancelled)
        };
        // Told before anything is wrong with what is searched.
        search::facets::check_searchable(snapshot, &request.facet).map_err(search_failure)?;
        // A vector is near to every document, more or less.
        let query = match &prepared.semantic {
            Some(semantic) => {
                if !semantic.is_hybrid() {
                    semantic.needed_vector()?;
                }
                search::Query { text: None, ..query }
            }
            None => query,
        };
        let search = || {
            let candidates = search::candidates(snapshot, &query, request.exhaustive)?;
            match request.unlimited {
                true => search::facets::search_all(snapshot, &facet_query, &candidates),
                false => search::facets::search(snapshot, &facet_query, &candidates),
            }
        };
        Ok(FacetSearchAnswer {
            hits: search().map_err(search_failure)?,
            shown: Shown::of(snapshot, &request.facet),
            elapsed: begun.elapsed(),
        })
    }

    /// Reads what can be wrong with a request, in the order in which mistakes are told: the
    /// filter before the look for the index, everything else after it.
    fn prepare<'r>(
        &self,
        uid: &str,
        request: &'r SearchRequest,
        share: &Share,
        snapshots: &mut Snapshots<'_>,
        cancelled: &AtomicBool,
    ) -> Result<Prepared<'r>, ServiceError> {
        let code = Code::InvalidSearchFilter;
        let filters =
            self.filters(request.filter.as_ref(), share, code, uid, snapshots, cancelled)?;
        let snapshot = snapshots.of(uid)?;
        let semantic = Semantic::new(request, &snapshot, &self.embedders, &self.search_queue)?;
        let sort = parse_sort(&request.sort, Code::InvalidSearchSort)?;
        let is_legacy = request.legacy.is_some();
        Ok(Prepared { snapshot, filters, sort, semantic, is_legacy })
    }

    /// Reads a filter before it looks for the index.
    fn filters(
        &self,
        sent: Option<&Value>,
        share: &Share,
        code: Code,
        uid: &str,
        snapshots: &mut Snapshots<'_>,
        cancelled: &AtomicBool,
    ) -> Result<Filters, ServiceError> {
        let features = self.features();
        let sent = parse_filter(sent, &features, code)?;
        let part = share.condition().map(Value::from);
        let part = parse_filter(part.as_ref(), &features, code)?;
        let mut resolve = |filter| resolved(filter, uid, snapshots, cancelled);
        let sent = sent.map(&mut resolve).transpose()?;
        let narrowed = match (part.map(resolve).transpose()?, &sent) {
            (Some(part), Some(sent)) => Some(sent.clone().and(part)),
            (part, sent) => part.or_else(|| sent.clone()),
        };
        Ok(Filters { sent, narrowed })
    }
}

/// A request that was read, and the state of the index that will answer it.
struct Prepared<'r> {
    snapshot: Arc<Snapshot>,
    filters: Filters,
    sort: Vec<SortItem>,
    /// Where words are not all that counts.
    semantic: Option<Semantic<'r>>,
    is_legacy: bool,
}

/// What a search found.
struct Ran {
    found: Found,
    /// The vector of the query, if one was used.
    vector: Option<Vec<f32>>,
    /// Of a part of a hybrid search: what its words found, and whether a vector was wanted too.
    words: Option<(Vec<Hit>, bool)>,
}

struct Filters {
    /// That of the client.
    sent: Option<Filter>,
    /// The same, and what selects the part of the documents that is asked for.
    narrowed: Option<Filter>,
}

impl Prepared<'_> {
    /// Finds and ranks. `sides` are given where a hybrid search is one of several parts.
    fn run(
        &self,
        query: &search::Query<'_>,
        sides: Option<Sides>,
        stages: &mut Stages,
        uid: &str,
    ) -> Result<Ran, ServiceError> {
        let snapshot = &*self.snapshot;
        let failed = |error| match self.is_legacy {
            true => search_failure(error),
            false => search_failure_in(self.canonically(error), uid),
        };
        let Some(semantic) = &self.semantic else {
            let found = stages.time("search > keyword ranking", || search::run(snapshot, query));
            return Ok(Ran { found: found.map_err(failed)?, vector: None, words: None });
        };
        let (store, distribution) = (semantic.vectors.store(), semantic.embedder.distribution());
        if semantic.is_hybrid() {
            let hybrid = HybridQuery { store, distribution, ratio: semantic.ratio() };
            let embed = || match semantic.vector() {
                Ok(vector) => Some(vector.into_owned()),
                Err(error) => {
                    tracing::warn!(%error, "a hybrid search was answered by its words alone");
                    None
                }
            };
            let run = || match sides {
                Some(sides) => search::run_hybrid_part(snapshot, query, hybrid, sides, embed)
                    .map(|part| (part.hybrid, Some((part.words, part.wants_vector)))),
                None => search::run_hybrid(snapshot, query, hybrid, embed).map(|it| (it, None)),
            };
            let (Hybrid { found, vector }, words) =
                stages.time("search > hybrid ranking", run).map_err(failed)?;
            return Ok(Ran { found, vector, words });
        }
        let asked = Instant::now();
        let vector = stages.time("search > embed query", || semantic.needed_vector())?;
        let of_vector = VectorQuery { store, vector: &vector, distribution };
        // Waiting for the vector is not searching.
        let deadline = query.deadline + asked.elapsed();
        let query = search::Query { vector: Some(of_vector), deadline, ..query.clone() };
        let run = || search::run(snapshot, &query);
        let found = stages.time("search > vector ranking", run).map_err(failed)?;
        Ok(Ran { found, vector: Some(vector.into_owned()), words: None })
    }

    /// The query of a request, without a window.
    fn query<'q>(
        &'q self,
        request: &'q SearchRequest,
        begun: Instant,
        cancelled: &'q AtomicBool,
    ) -> search::Query<'q> {
        let cutoff = self.snapshot.typed_settings().search_cutoff_ms;
        search::Query {
            text: request.text.as_deref(),
            vector: None,
            strategy: request.strategy,
            attributes: request.attributes_to_search_on.as_deref(),
            locales: request.locales.as_deref(),
            filter: self.filters.narrowed.as_ref(),
            sort: &self.sort,
            distinct: request.distinct.as_deref(),
            pins: &[],
            offset: 0,
            limit: 0,
            exhaustive: false,
            threshold: request.threshold,
            with_scores: false,
            with_words: false,
            deadline: begun + Duration::from_millis(cutoff),
            cancelled,
        }
    }

    /// What is wrong with a filter is told of its canonical form, which is made only then.
    fn canonically(&self, error: SearchError) -> SearchError {
        match (&error, &self.filters.sent) {
            (SearchError::Filter(_), Some(filter)) => {
                let wanted = AtomicBool::new(false);
                let again =
                    search::filtering::matching(&self.snapshot, &filter.canonical(), &wanted);
                again.err().unwrap_or(error)
            }
            _ => error,
        }
    }

    /// The point that distances are measured from.
    fn origin(&self) -> Option<segment::geo::Point> {
        self.sort.iter().find_map(|item| match *item {
            SortItem::Point { latitude: lat, longitude: lng, .. } => {
                Some(segment::geo::Point { lat, lng })
            }
            SortItem::Attribute { .. } => None,
        })
    }
}

/// Whether there is a text to search for.
fn has_text(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.trim().is_empty())
}
