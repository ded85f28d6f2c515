//! First step of a federated search: every query ranked, those of each index merged.

use std::sync::Arc;
use std::time::Instant;

use index::Snapshot;
use model::{Cancel, ServiceError};
use roaring::RoaringBitmap;
use search::federation::{self, Candidate, FacetOrders, MergedHits};
use search::{Correction, Fusion, Hit, MatchingWords, SearchResults, SideHits};
use segment::geo::Point;

use super::hybrid::HybridSides;
use super::plan::{Plan, PlannedIndex, PlannedQuery};
use super::request::{FederatedRequest, FoundHit};
use crate::common::failure::index_failure;
use crate::common::{inside_query, search_failure_in};
use crate::search::request::RerankReport;
use crate::search::stages::Stages;
use crate::search::{SearchRun, Searcher};

/// Factor by which the depth grows when too many hits turn out to be duplicates.
const DEEPER: usize = 4;

/// Local part of a federated search, held until the others have arrived.
#[derive(Debug)]
pub struct FederatedPart {
    pub(super) request: Arc<FederatedRequest>,
    pub(super) indexes: Vec<SearchedIndex>,
    /// Queries by their places in the request; none where another instance was asked.
    pub(super) queries: Vec<Option<SearchedQuery>>,
    pub(super) orders: FacetOrders,
    pub(super) begun: Instant,
    pub(super) stages: Stages,
    pub(super) degraded: bool,
    pub(super) sides: Vec<HybridSides>,
    /// Report of the reranking of its hits.
    pub(super) rerank: Option<RerankReport>,
}

#[derive(Debug)]
pub(super) struct SearchedIndex {
    pub uid: String,
    pub snapshot: Arc<Snapshot>,
    /// Ordered hits, limited by the window and the index.
    pub hits: Vec<Candidate<FoundHit>>,
    /// Documents that its queries match.
    pub candidates: RoaringBitmap,
}

/// State for writing the hits of a query.
#[derive(Debug)]
pub(super) struct SearchedQuery {
    /// Place of its index.
    pub index: usize,
    pub words: MatchingWords,
    pub origin: Option<Point>,
    pub is_semantic: bool,
    pub vector: Option<Vec<f32>>,
    /// Present if a better spelling was requested.
    pub correction: Option<Correction>,
}

/// Result of one query.
struct QueryOutcome {
    found: SearchResults,
    correction: Option<Correction>,
    vector: Option<Vec<f32>>,
    sides: Option<HybridSides>,
    stages: Stages,
}

impl Searcher {
    /// Runs the queries for this instance. The first that fails, in the order of the plan, fails
    /// the request.
    pub fn federated_part(
        &self,
        request: Arc<FederatedRequest>,
        cancel: &Cancel,
    ) -> Result<FederatedPart, ServiceError> {
        let begun = Instant::now();
        let mut plan = Plan::new(self, &request, cancel);
        let ranked = self.ranked(&mut plan, &request, cancel);
        for index in &plan.indexes {
            index
                .snapshot
                .check_maps()
                .map_err(|error| index_failure(error).in_index(index.uid))?;
        }
        let (merged, answered) = ranked?;
        let (orders, indexes) = (std::mem::take(&mut plan.orders), plan.indexes);
        let mut part = FederatedPart {
            queries: request.queries.iter().map(|_| None).collect(),
            indexes: Vec::with_capacity(indexes.len()),
            orders,
            begun,
            stages: Stages::default(),
            degraded: false,
            sides: Vec::new(),
            rerank: None,
            request: Arc::clone(&request),
        };
        let mut answered = answered.into_iter();
        for (planned, merged) in indexes.into_iter().zip(merged) {
            part.add(planned, merged.hits, &mut answered);
        }
        if request.reranking().is_some() {
            let mut stages = std::mem::take(&mut part.stages);
            stages.time("search > rerank", || self.score_part(&mut part, cancel))?;
            part.stages = stages;
        }
        Ok(part)
    }

    /// Runs the queries, deeper and deeper while too many hits turn out to be duplicates, and
    /// merges those of each index.
    fn ranked(
        &self,
        plan: &mut Plan<'_>,
        request: &FederatedRequest,
        cancel: &Cancel,
    ) -> Result<(Vec<MergedIndex>, Vec<QueryOutcome>), ServiceError> {
        let mut depth = request.query_depth();
        loop {
            let mut answered = self.answer_queries(plan, request, depth, cancel)?;
            if let Some(refused) = plan.refused.take() {
                return Err(refused);
            }
            let merged = merge_indexes(plan, request, &mut answered, depth, cancel)?;
            let is_late = answered.iter().any(|answered| answered.found.degraded);
            if request.distinct.is_none()
                || request.is_recount()
                || is_late
                || has_enough(&merged, request.depth())
            {
                return Ok((merged, answered));
            }
            depth = depth.saturating_mul(DEEPER);
        }
    }

    /// Runs all queries in parallel, each for `depth` hits.
    fn answer_queries(
        &self,
        plan: &Plan<'_>,
        request: &FederatedRequest,
        depth: usize,
        cancel: &Cancel,
    ) -> Result<Vec<QueryOutcome>, ServiceError> {
        let mut queries = Vec::new();
        for index in &plan.indexes {
            queries.extend(index.queries.iter().map(|query| (index, query)));
        }
        self.helpers.run(&queries, |(index, planned)| {
            answer_query(index, planned, request, depth, cancel)
                .map_err(|error| inside_query(error, request.client_position(planned.place)))
        })
    }
}

fn answer_query(
    index: &PlannedIndex<'_>,
    planned: &PlannedQuery<'_>,
    request: &FederatedRequest,
    depth: usize,
    cancel: &Cancel,
) -> Result<QueryOutcome, ServiceError> {
    let of_query = &planned.query.request;
    let mut stages = Stages::default();
    let query = planned.prepared.query(of_query, Instant::now(), cancel);
    let mut query = search::Query {
        pins: &planned.pins,
        limit: index.most(depth),
        exhaustive: request.is_exhaustive(of_query.criteria.ranking_score_threshold),
        // Hits of different queries are compared by all scores of their rules.
        with_scores: true,
        with_words: of_query.view.format.is_some(),
        ..query
    };
    if let Some(distinct) = request.named_distinct(index.snapshot.typed_settings()) {
        query.criteria.to_mut().distinct = Some(distinct.to_owned());
    }
    let sides = request.hybrid.sides();
    let SearchRun { found, vector, sides } =
        planned.prepared.run(&query, sides, &mut stages, index.uid)?;
    let sides = match sides {
        Some(SideHits { words, near, wants_vector }) => {
            let told = |hits| candidates(index, planned, request, hits, cancel);
            // The vector results only matter for distinct hits.
            let near = if request.distinct.is_some() { told(near)? } else { Vec::new() };
            Some(HybridSides::new(told(words)?, near, wants_vector))
        }
        None => None,
    };
    let correction = match request.is_recount() {
        true => None,
        false => planned.prepared.correction(of_query, &query, &mut stages, index.uid)?,
    };
    Ok(QueryOutcome { found, correction, vector, sides, stages })
}

impl PlannedIndex<'_> {
    /// Returns the number of hits wanted, at most the maximum of the index.
    fn most(&self, depth: usize) -> usize {
        depth.min(self.snapshot.typed_settings().max_total_hits)
    }

    fn could_give_more(&self, count: usize, depth: usize) -> bool {
        let most = self.most(depth);
        count >= most && most < self.snapshot.typed_settings().max_total_hits
    }
}

/// Result of an index, and whether more hits may exist behind the last one.
struct MergedIndex {
    hits: Vec<Candidate<FoundHit>>,
    is_cut: bool,
    /// True if hits may be missing before the last one.
    has_gaps: bool,
}

fn merge_indexes(
    plan: &Plan<'_>,
    request: &FederatedRequest,
    answered: &mut [QueryOutcome],
    depth: usize,
    cancel: &Cancel,
) -> Result<Vec<MergedIndex>, ServiceError> {
    let mut answered = answered.iter_mut();
    let mut all = Vec::with_capacity(plan.indexes.len());
    for index in &plan.indexes {
        let mut lists = Vec::with_capacity(index.queries.len());
        let mut cut = Vec::with_capacity(index.queries.len());
        for (planned, answered) in index.queries.iter().zip(&mut answered) {
            let hits = std::mem::take(&mut answered.found.hits);
            cut.push(index.could_give_more(hits.len(), depth));
            lists.push(candidates(index, planned, request, hits, cancel)?);
        }
        let MergedHits { hits, spent, .. } = federation::merge_queries(lists, index.most(depth));
        let is_cut = cut.contains(&true) || index.could_give_more(hits.len(), depth);
        let has_gaps = spent.into_iter().any(|list| cut[list]);
        all.push(MergedIndex { hits, is_cut, has_gaps });
    }
    Ok(all)
}

/// Returns whether a deeper search cannot change the hits that are shown. Only documents with
/// several values of the distinct attribute make one necessary: a single one can exclude many.
fn has_enough(merged: &[MergedIndex], end: usize) -> bool {
    if merged.iter().any(|index| index.has_gaps) {
        return false;
    }
    let lists = merged.iter().map(|index| index.hits.clone()).collect();
    let spent = federation::merge_answers(lists, end).spent;
    !spent.into_iter().any(|index| merged[index].is_cut)
}

/// Converts the hits of a query for merging.
fn candidates(
    index: &PlannedIndex<'_>,
    planned: &PlannedQuery<'_>,
    request: &FederatedRequest,
    hits: Vec<Hit>,
    cancel: &Cancel,
) -> Result<Vec<Candidate<FoundHit>>, ServiceError> {
    let documents = hits.iter().map(|hit| hit.doc_id);
    let values = match &request.distinct {
        Some(attribute) => federation::values_of(&index.snapshot, attribute, documents, cancel)
            .map_err(|error| {
                let place = request.client_position(planned.place);
                inside_query(search_failure_in(error, index.uid), place)
            })?,
        None => vec![Vec::new(); hits.len()],
    };
    let weight = planned.query.weight;
    let parts = |hit: &Hit| match &planned.prepared.semantic {
        Some(semantic)
            if semantic.is_hybrid()
                && semantic.fusion() == Fusion::Score
                && request.hybrid.is_common() =>
        {
            hit.hybrid_sort_keys(semantic.ratio())
        }
        _ => hit.sort_keys(weight),
    };
    let candidates = hits.into_iter().zip(values).map(|(hit, distinct)| Candidate {
        parts: parts(&hit),
        score: hit.score * weight,
        query: request.position(planned.place),
        number: u64::from(hit.doc_id),
        pin: hit.pin(),
        distinct,
        hit: FoundHit::Local { query: planned.place, hit, rerank_score: None },
    });
    Ok(candidates.collect())
}

impl FederatedPart {
    /// Follows a request whose remotes were replaced. Local results stay.
    pub fn follow(&mut self, request: Arc<FederatedRequest>) {
        self.queries.resize_with(request.queries.len(), || None);
        self.request = request;
    }

    fn add(
        &mut self,
        planned: PlannedIndex<'_>,
        hits: Vec<Candidate<FoundHit>>,
        answered: &mut impl Iterator<Item = QueryOutcome>,
    ) {
        let index = self.indexes.len();
        let mut candidates = RoaringBitmap::new();
        for (planned, answered) in planned.queries.iter().zip(answered) {
            let QueryOutcome { found, correction, vector, sides, stages } = answered;
            self.sides.extend(sides);
            candidates |= found.candidates;
            self.degraded |= found.degraded;
            self.stages.merge(&stages);
            self.queries[planned.place] = Some(SearchedQuery {
                index,
                words: found.words,
                origin: planned.prepared.origin(),
                is_semantic: planned.prepared.semantic.is_some(),
                vector,
                correction,
            });
        }
        let PlannedIndex { uid, snapshot, .. } = planned;
        self.indexes.push(SearchedIndex { uid: uid.to_owned(), snapshot, hits, candidates });
    }
}
