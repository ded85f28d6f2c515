//! Reads the queries of a federated search: indexes by name, the queries of each in the order of
//! the request. That order decides which of several errors is reported, so the plan before an error
//! is kept: running it may reveal an earlier one.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::Snapshot;
use model::{Cancel, Code, ServiceError};
use search::Pin;
use search::federation::{FacetOrders, RuleSequence, SearchKind};

use super::request::{FederatedQuery, FederatedRequest};
use crate::common::{inside_query, search_failure};
use crate::documents::filters::parse_sort;
use crate::documents::foreign::Snapshots;
use crate::search::Searcher;
use crate::search::query_vectors::QueryVectors;
use crate::search::rerank::reranker_of;
use crate::search::{PreparedSearch, has_text};

#[derive(Default)]
pub(super) struct Plan<'r> {
    pub indexes: Vec<PlannedIndex<'r>>,
    /// Order of facet values, where those of several indexes become one.
    pub orders: FacetOrders,
    /// First error of the request behind the part that was read.
    pub refused: Option<ServiceError>,
}

pub(super) struct PlannedIndex<'r> {
    pub uid: &'r str,
    pub snapshot: Arc<Snapshot>,
    pub queries: Vec<PlannedQuery<'r>>,
}

pub(super) struct PlannedQuery<'r> {
    /// Place of the query in the request.
    pub place: usize,
    pub query: &'r FederatedQuery,
    pub prepared: PreparedSearch<'r>,
    pub pins: Vec<Pin>,
}

impl<'r> Plan<'r> {
    pub fn new(searcher: &Searcher, request: &'r FederatedRequest, cancel: &Cancel) -> Self {
        let mut plan = Plan::default();
        let mut reader = Reader {
            searcher,
            request,
            cancel,
            snapshots: Snapshots::new(&searcher.indexes),
            shared: Arc::default(),
            longest: None,
        };
        plan.refused = reader.read(&mut plan).err();
        plan
    }
}

struct Reader<'e, 'r> {
    searcher: &'e Searcher,
    request: &'r FederatedRequest,
    cancel: &'e Cancel,
    snapshots: Snapshots<'e>,
    /// Lets equal queries be embedded once.
    shared: Arc<QueryVectors>,
    /// Longest rule sequence so far; all queries agree with a prefix of it.
    longest: Option<RuleSequence>,
}

impl<'r> Reader<'_, 'r> {
    fn read(&mut self, plan: &mut Plan<'r>) -> Result<(), ServiceError> {
        let network = self.searcher.network.current();
        let mut by_index: BTreeMap<&'r str, Vec<usize>> = BTreeMap::new();
        for (place, query) in self.request.queries.iter().enumerate() {
            if query.remote.as_deref().is_none_or(|remote| network.is_self(remote)) {
                by_index.entry(&query.index_uid).or_default().push(place);
            }
        }
        for (uid, places) in by_index {
            self.read_index(uid, &places, plan)?;
        }
        self.check_remote_sorts(|remote| network.is_self(remote))?;
        let is_used = |uid: &str| self.request.queries.iter().any(|query| query.index_uid == uid);
        let facets = self.request.facets_by_index.iter();
        let unused: Vec<_> = facets.filter(|(uid, _)| !is_used(uid)).collect();
        for (uid, patterns) in unused {
            self.check_facets(uid, patterns.as_deref(), &mut plan.orders).map_err(|error| {
                let note = format!("\n - Note: index `{uid}` is not used in queries");
                let error = inside_facets(error, uid);
                ServiceError { message: format!("{}{note}", error.message), ..error }
            })?;
        }
        Ok(())
    }

    /// Checks that the sorts of remotes can be compared with the others. Other ranking rules of a
    /// remote are its own business.
    fn check_remote_sorts(&self, is_self: impl Fn(&str) -> bool) -> Result<(), ServiceError> {
        let mut longest: Option<(RuleSequence, bool)> = None;
        for (place, query) in self.request.queries.iter().enumerate() {
            // The remote reports an invalid sort of its query.
            let Ok(sort) = parse_sort(&query.request.sort, Code::InvalidSearchSort) else {
                continue;
            };
            let place = self.request.client_position(place);
            let rules = RuleSequence::of_sort(place, &sort);
            let is_remote = query.remote.as_deref().is_some_and(|remote| !is_self(remote));
            if let Some((longest, is_of_remote)) = &longest
                && (is_remote || *is_of_remote)
            {
                let refused = rules.against(longest).map_err(incomparable);
                refused.map_err(|error| inside_query(error, place))?;
            }
            if longest.as_ref().is_none_or(|(longest, _)| longest.len() < rules.len()) {
                longest = Some((rules, is_remote));
            }
        }
        Ok(())
    }

    fn read_index(
        &mut self,
        uid: &'r str,
        places: &[usize],
        plan: &mut Plan<'r>,
    ) -> Result<(), ServiceError> {
        let first = self.request.client_position(places.first().copied().unwrap_or_default());
        let snapshot = self.snapshots.of(uid).map_err(|error| inside_query(error, first))?;
        let facets = self.request.facets_by_index.get(uid);
        if let Some(Some(patterns)) = facets {
            self.check_facets(uid, Some(patterns), &mut plan.orders)
                .map_err(|error| inside_query(inside_facets(error, uid), first))?;
        }
        plan.indexes.push(PlannedIndex { uid, snapshot, queries: Vec::new() });
        for &place in places {
            let query = self
                .read_query(place)
                .map_err(|error| inside_query(error, self.request.client_position(place)))?;
            if let Some(index) = plan.indexes.last_mut() {
                index.queries.push(query);
            }
        }
        Ok(())
    }

    fn read_query(&mut self, place: usize) -> Result<PlannedQuery<'r>, ServiceError> {
        let query = &self.request.queries[place];
        let (uid, request) = (&query.index_uid, &query.request);
        self.snapshots.set_caller(&request.foreign);
        let (part, snapshots) = (query.scope.condition(), &mut self.snapshots);
        let (shared, cancel) = (Some(&self.shared), self.cancel);
        let prepared =
            self.searcher.prepare(uid, request, part.as_deref(), snapshots, shared, cancel)?;
        let snapshot = &prepared.snapshot;
        if let Some(rerank) = &self.request.rerank {
            reranker_of(snapshot, rerank)?;
        }
        let text = request.text.as_deref();
        let pins = self.searcher.pins(uid, text, prepared.filters.sent.as_ref(), snapshot)?;
        let searched = match &prepared.semantic {
            Some(semantic) if !semantic.is_hybrid() => SearchKind::Vector,
            _ if has_text(text) => SearchKind::Words(request.criteria.matching_strategy),
            _ => SearchKind::Everything,
        };
        let rules = RuleSequence::new(
            self.request.client_position(place),
            uid,
            snapshot.typed_settings(),
            &prepared.sort,
            searched,
            prepared.boosts.is_some(),
        );
        if let Some(longest) = &self.longest {
            rules.against(longest).map_err(incomparable)?;
        }
        if self.longest.as_ref().is_none_or(|longest| longest.len() <= rules.len()) {
            self.longest = Some(rules);
        }
        Ok(PlannedQuery { place, query, prepared, pins })
    }

    /// Checks that an index exists and can show the facets requested of it.
    fn check_facets(
        &mut self,
        uid: &str,
        patterns: Option<&[String]>,
        orders: &mut FacetOrders,
    ) -> Result<(), ServiceError> {
        let snapshot = self.snapshots.of(uid)?;
        let Some(patterns) = patterns else { return Ok(()) };
        search::facets::check(&snapshot, patterns).map_err(search_failure)?;
        if self.request.merge_facets.is_some() {
            let attributes = search::facets::selected(&snapshot, patterns);
            orders.add(uid, snapshot.typed_settings(), attributes).map_err(|message| {
                ServiceError::new(Code::InvalidMultiSearchFacetOrder, message)
            })?;
        }
        Ok(())
    }
}

fn incomparable(message: String) -> ServiceError {
    ServiceError::new(Code::InvalidMultiSearchQueryRankingRules, message)
}

fn inside_facets(error: ServiceError, uid: &str) -> ServiceError {
    let message = format!("Inside `.federation.facetsByIndex.{uid}`: {}", error.message);
    ServiceError { message, ..error }
}
