//! A parsed search request and its execution: by keywords, by a vector, or by both.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use filter::{Filter, SortItem};
use index::Snapshot;
use model::{Cancel, Code, ServiceError};
use search::{
    Correction, Fusion, HybridQuery, HybridResults, SearchError, SearchResults, SideHits, Sides,
    VectorQuery,
};
use serde_json::Value;

use super::boosting::Boosting;
use super::query_vectors::QueryVectors;
use super::request::SearchRequest;
use super::semantic::Semantic;
use super::stages::Stages;
use crate::common::{search_failure, search_failure_in};
use crate::documents::filters::{parse_filter, parse_sort, resolved};
use crate::documents::foreign::Snapshots;
use crate::search::Searcher;

/// A parsed request and the snapshot that will answer it.
pub(super) struct PreparedSearch<'r> {
    pub snapshot: Arc<Snapshot>,
    pub filters: Filters,
    pub sort: Vec<SortItem>,
    /// Boosts of the request, or else of the settings.
    pub boosts: Option<Boosting>,
    /// Present if a vector counts.
    pub semantic: Option<Semantic<'r>>,
    is_legacy: bool,
}

/// Result of a search before it is written.
pub(super) struct SearchRun {
    pub found: SearchResults,
    /// Vector of the query, if one was used.
    pub vector: Option<Vec<f32>>,
    /// Results of both sides of a hybrid search that is one of several parts.
    pub sides: Option<SideHits>,
}

pub(super) struct Filters {
    /// Filter of the client.
    pub sent: Option<Filter>,
    /// Filter of the client restricted to the requested part.
    pub narrowed: Option<Filter>,
}

impl Searcher {
    /// Checks and parses a request in the order in which errors are reported: the filter before the
    /// index is looked up, everything else after it. `part` is a condition that restricts the search
    /// to a part of the documents; `shared` holds the vectors of queries that come together with this
    /// one.
    pub(super) fn prepare<'r>(
        &self,
        uid: &str,
        request: &'r SearchRequest,
        part: Option<&str>,
        snapshots: &mut Snapshots<'_>,
        shared: Option<&Arc<QueryVectors>>,
        cancel: &Cancel,
    ) -> Result<PreparedSearch<'r>, ServiceError> {
        let code = Code::InvalidSearchFilter;
        let filters = self.filters(request.filter.as_ref(), part, code, uid, snapshots, cancel)?;
        let snapshot = snapshots.of(uid)?;
        let semantic = Semantic::new(request, &snapshot, &self.embedders, &self.queue, shared)?;
        let sort = parse_sort(&request.sort, Code::InvalidSearchSort)?;
        let boosts = self.boosting(uid, request, &snapshot, snapshots, cancel)?;
        let is_legacy = request.legacy.is_some();
        Ok(PreparedSearch { snapshot, filters, sort, boosts, semantic, is_legacy })
    }

    /// Parses the filter, then looks up the index.
    pub(super) fn filters(
        &self,
        sent: Option<&Value>,
        part: Option<&str>,
        code: Code,
        uid: &str,
        snapshots: &mut Snapshots<'_>,
        cancel: &Cancel,
    ) -> Result<Filters, ServiceError> {
        let features = self.features.current();
        let sent = parse_filter(sent, &features, code)?;
        let part = part.map(Value::from);
        let part = parse_filter(part.as_ref(), &features, code)?;
        let mut resolve = |filter| resolved(filter, uid, snapshots, cancel);
        let sent = sent.map(&mut resolve).transpose()?;
        let narrowed = match (part.map(resolve).transpose()?, &sent) {
            (Some(part), Some(sent)) => Some(sent.clone().and(part)),
            (part, sent) => part.or_else(|| sent.clone()),
        };
        Ok(Filters { sent, narrowed })
    }
}

impl PreparedSearch<'_> {
    /// Matches and ranks. `sides` is present if a hybrid search is one of several parts.
    pub fn run(
        &self,
        query: &search::Query<'_>,
        sides: Option<Sides>,
        stages: &mut Stages,
        uid: &str,
    ) -> Result<SearchRun, ServiceError> {
        let snapshot = &*self.snapshot;
        let failed = |error| match self.is_legacy {
            true => search_failure(error),
            false => search_failure_in(self.canonically(error), uid),
        };
        let Some(semantic) = &self.semantic else {
            let found = stages.time("search > keyword ranking", || search::run(snapshot, query));
            return Ok(SearchRun { found: found.map_err(failed)?, vector: None, sides: None });
        };
        let (store, distribution) = (semantic.vectors.store(), semantic.settings.distribution());
        if semantic.is_hybrid() {
            let fusion = semantic.fusion();
            let hybrid = HybridQuery { store, distribution, ratio: semantic.ratio(), fusion };
            // Only fusion by score is decided over all parts.
            let sides = sides.filter(|_| fusion == Fusion::Score);
            let embed = || match semantic.vector(query.deadline) {
                Ok(vector) => Some(vector.into_owned()),
                Err(error) => {
                    tracing::warn!(%error, "a hybrid search was answered by its words alone");
                    None
                }
            };
            let run = || match sides {
                Some(sides) => search::run_hybrid_part(snapshot, query, hybrid, sides, embed)
                    .map(|part| (part.hybrid, Some(part.sides))),
                None => search::run_hybrid(snapshot, query, hybrid, embed).map(|it| (it, None)),
            };
            let (HybridResults { found, vector }, sides) =
                stages.time("search > hybrid ranking", run).map_err(failed)?;
            return Ok(SearchRun { found, vector, sides });
        }
        let asked = Instant::now();
        let embed = || semantic.needed_vector(query.deadline);
        let vector = stages.time("search > embed query", embed)?;
        let of_vector = VectorQuery { store, vector: &vector, distribution };
        // Waiting for the vector does not count as searching.
        let deadline = query.deadline + asked.elapsed();
        let query = search::Query { vector: Some(of_vector), deadline, ..query.clone() };
        let run = || search::run(snapshot, &query);
        let found = stages.time("search > vector ranking", run).map_err(failed)?;
        Ok(SearchRun { found, vector: Some(vector.into_owned()), sides: None })
    }

    /// Returns a corrected spelling, if requested and if keywords count.
    pub fn correction(
        &self,
        request: &SearchRequest,
        query: &search::Query<'_>,
        stages: &mut Stages,
        uid: &str,
    ) -> Result<Option<Correction>, ServiceError> {
        if !request.criteria.did_you_mean {
            return Ok(None);
        }
        if self.semantic.as_ref().is_some_and(|semantic| !semantic.is_hybrid()) {
            return Ok(Some(Correction::default()));
        }
        let correct = || search::correction(&self.snapshot, query);
        let corrected = stages.time("search > did you mean", correct);
        corrected.map(Some).map_err(|error| search_failure_in(error, uid))
    }

    /// Returns the query without a window.
    pub fn query<'q>(
        &'q self,
        request: &'q SearchRequest,
        begun: Instant,
        cancel: &'q Cancel,
    ) -> search::Query<'q> {
        let cutoff = self.snapshot.typed_settings().search_cutoff_ms;
        search::Query {
            text: request.text.as_deref(),
            vector: None,
            criteria: Cow::Borrowed(&request.criteria),
            filter: self.filters.narrowed.as_ref(),
            sort: &self.sort,
            boosts: self.boosts.as_ref(),
            is_hybrid: false,
            pins: &[],
            offset: 0,
            limit: 0,
            exhaustive: false,
            with_scores: false,
            with_words: false,
            deadline: begun + Duration::from_millis(cutoff),
            cancel,
        }
    }

    /// Rewrites a filter error for the filter's canonical form, built only then.
    fn canonically(&self, error: SearchError) -> SearchError {
        match (&error, &self.filters.sent) {
            (SearchError::Filter(_), Some(filter)) => {
                let wanted = Cancel::default();
                let again =
                    search::filtering::matching(&self.snapshot, &filter.canonical(), &wanted);
                again.err().unwrap_or(error)
            }
            _ => error,
        }
    }

    /// Returns the point that distances are measured from.
    pub fn origin(&self) -> Option<segment::geo::Point> {
        self.sort.iter().find_map(|item| match *item {
            SortItem::Point { latitude: lat, longitude: lng, .. } => {
                Some(segment::geo::Point { lat, lng })
            }
            SortItem::Attribute { .. } => None,
        })
    }
}
