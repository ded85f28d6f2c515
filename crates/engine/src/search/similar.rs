//! Searches for documents similar to a given one.

use std::time::{Duration, Instant};

use model::{Cancel, Code, ServiceError};
use search::{MatchingWords, SimilarCounts};
use serde_json::Value;

use super::budget::AnswerBudget;
use super::hits::HitWriter;
use super::request::{HitView, SearchRequest};
use super::semantic;
use super::stages::Stages;
use crate::common::failure::index_failure;
use crate::common::similar_failure;
use crate::documents::foreign::{ForeignAccess, Snapshots};
use crate::search::Searcher;

#[derive(Debug, Clone, Default)]
pub struct SimilarRequest {
    pub id: String,
    pub embedder: String,
    pub offset: usize,
    pub limit: usize,
    pub filter: Option<Value>,
    /// Filter that the document itself must pass too, for restricted callers.
    pub rule: Option<Value>,
    pub threshold: Option<f64>,
    pub view: HitView,
    /// Limits the size of the hits.
    pub budget: AnswerBudget,
    /// Foreign documents the caller may use in filters.
    pub foreign: ForeignAccess,
}

#[derive(Debug)]
pub struct SimilarAnswer {
    /// A JSON array.
    pub hits: String,
    pub total: u64,
    pub elapsed: Duration,
    pub stages: Stages,
}

/// Result of one instance in its scope, with the values it is merged by.
#[derive(Debug)]
pub struct SimilarPart {
    /// A JSON array.
    pub hits: String,
    /// Similarity and document number of each hit.
    pub order: Vec<(f32, u32)>,
    pub counts: SimilarCounts,
    /// Vectors of the document, if it is here.
    pub target: Option<Vec<Vec<f32>>>,
    pub max_total_hits: u64,
    pub stages: Stages,
}

impl Searcher {
    /// Searches for documents similar to one of an index, on this thread.
    pub fn similar(
        &self,
        uid: &str,
        request: &SimilarRequest,
        cancel: &Cancel,
    ) -> Result<SimilarAnswer, ServiceError> {
        let begun = Instant::now();
        let mut part = self.similar_part(uid, request, None, None, cancel)?;
        if part.target.is_none() {
            return Err(similar_not_found(&request.id));
        }
        let elapsed = begun.elapsed();
        part.stages.add("search", elapsed);
        let SimilarPart { hits, counts, max_total_hits, stages, .. } = part;
        let total = request.total(counts).min(max_total_hits);
        Ok(SimilarAnswer { hits, total, elapsed, stages })
    }

    /// Fails if documents of the index cannot be compared by this embedder.
    pub fn check_similar_embedder(&self, uid: &str, embedder: &str) -> Result<(), ServiceError> {
        let snapshot = Snapshots::new(&self.indexes).of(uid)?;
        semantic::find(embedder, &snapshot, Code::InvalidSimilarEmbedder).map(drop)
    }

    /// Searches the documents that meet the condition `part`, if given. `vectors` are those of the
    /// document, from whichever instance has it; without them, and without the document, nothing is
    /// found.
    pub fn similar_part(
        &self,
        uid: &str,
        request: &SimilarRequest,
        part: Option<&str>,
        vectors: Option<&[Vec<f32>]>,
        cancel: &Cancel,
    ) -> Result<SimilarPart, ServiceError> {
        let mut snapshots = Snapshots::for_caller(&self.indexes, &request.foreign);
        let part = self.similar_in(&mut snapshots, uid, request, part, vectors, cancel);
        snapshots.answered(part)
    }

    fn similar_in(
        &self,
        snapshots: &mut Snapshots<'_>,
        uid: &str,
        request: &SimilarRequest,
        part: Option<&str>,
        vectors: Option<&[Vec<f32>]>,
        cancel: &Cancel,
    ) -> Result<SimilarPart, ServiceError> {
        let mut stages = Stages::default();
        let code = Code::InvalidSimilarFilter;
        let filters = self.filters(request.filter.as_ref(), part, code, uid, snapshots, cancel)?;
        let rule = self.filters(request.rule.as_ref(), None, code, uid, snapshots, cancel)?;
        let snapshot = snapshots.of(uid)?;
        let code = Code::InvalidSimilarEmbedder;
        let (vectors_here, embedder) = semantic::find(&request.embedder, &snapshot, code)?;
        let store = vectors_here.store();
        let here = snapshot.doc_id(&request.id).map_err(index_failure)?;
        let here = match (here, &rule.sent) {
            (Some(doc_id), Some(rule)) => {
                let seen = search::filtering::matching(&snapshot, rule, cancel)
                    .map_err(similar_failure)?;
                seen.contains(doc_id).then_some(doc_id)
            }
            (here, _) => here,
        };
        let target = match here {
            Some(doc_id) => Some(store.vectors_of(doc_id).map_err(index_failure)?),
            None => None,
        };
        let max_total_hits = snapshot.typed_settings().max_total_hits as u64;
        let Some(vectors) = vectors.or(target.as_deref()) else {
            let (hits, order, counts) = ("[]".to_owned(), Vec::new(), SimilarCounts::default());
            return Ok(SimilarPart { hits, order, counts, target, max_total_hits, stages });
        };
        let query = search::SimilarQuery {
            target: here,
            vectors,
            store,
            distribution: embedder.distribution(),
            filter: filters.narrowed.as_ref(),
            offset: request.offset,
            limit: request.limit,
            threshold: request.threshold,
            cancel,
        };
        let found = stages
            .time("search > vector ranking", || search::similar(&snapshot, &query))
            .map_err(similar_failure)?;
        let (view, budget) = (request.view.clone(), request.budget.clone());
        let shown = SearchRequest { view, budget, ..SearchRequest::default() };
        let words = MatchingWords::default();
        let writer = HitWriter::new(&snapshot, &shown, &words, None);
        let hits = stages.time("search > format", || writer.write(&found.hits))?;
        let numbers = found.hits.iter().map(|hit| hit.doc_id);
        Ok(SimilarPart {
            hits,
            order: found.nearness.into_iter().zip(numbers).collect(),
            counts: found.counts,
            target,
            max_total_hits,
            stages,
        })
    }
}

impl SimilarRequest {
    /// Returns the request to one of several instances: everything up to the end of the window.
    pub fn of_part(&self) -> Self {
        let limit = match self.limit {
            0 => 0,
            limit => self.offset.saturating_add(limit),
        };
        Self { offset: 0, limit, ..self.clone() }
    }

    /// Returns the total to report for these counts.
    pub fn total(&self, counts: SimilarCounts) -> u64 {
        counts.total(self.threshold, self.offset.saturating_add(self.limit))
    }
}

pub fn similar_not_found(id: &str) -> ServiceError {
    ServiceError::new(Code::NotFoundSimilarId, format!("Document `{id}` not found."))
}
