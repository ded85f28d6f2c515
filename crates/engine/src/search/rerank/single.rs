//! Reranking of a single search.

use std::sync::Arc;
use std::time::Instant;

use index::Snapshot;
use model::{Cancel, ServiceError};
use search::Hit;

use super::call::{RerankCall, ScoreReport, ScoredGroup};
use super::{RerankScore, RerankScores, reordered, reranker_of, useless};
use crate::models::reranking::RerankerPool;
use crate::search::request::{RerankReport, RerankRequest, SearchRequest};
use crate::search::{SearchQueue, has_text};

/// A requested reranking, with its settings from the index.
pub(in crate::search) struct Reranking<'r> {
    request: &'r RerankRequest,
    text: Option<&'r str>,
    settings: settings::Reranker,
    pool: Arc<RerankerPool>,
    queue: SearchQueue,
}

/// The hits to show, and the report.
pub(in crate::search) struct RerankedHits {
    pub hits: Vec<Hit>,
    pub scores: RerankScores,
    pub report: RerankReport,
}

impl<'r> Reranking<'r> {
    pub fn new(
        request: &'r SearchRequest,
        snapshot: &Snapshot,
        pool: &Arc<RerankerPool>,
        queue: &SearchQueue,
    ) -> Result<Option<Self>, ServiceError> {
        let Some(rerank) = &request.rerank else { return Ok(None) };
        Ok(Some(Self {
            request: rerank,
            text: request.text.as_deref().filter(|text| has_text(Some(text))),
            settings: reranker_of(snapshot, rerank)?.clone(),
            pool: Arc::clone(pool),
            queue: queue.clone(),
        }))
    }

    /// Returns the window of hits to find for showing those of `window` (offset and limit), of
    /// `most` in all.
    pub fn window(&self, window: (usize, usize), most: usize) -> (usize, usize) {
        let (offset, limit) = window;
        match useless(self.request, self.text.is_some(), window) {
            Some(_) => window,
            None => (0, self.request.limit.min(most).max(offset + limit)),
        }
    }

    /// Reorders the hits of [`Self::window`] and cuts them down to those that are shown.
    pub fn apply(
        &self,
        snapshot: &Snapshot,
        hits: Vec<Hit>,
        window: (usize, usize),
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<RerankedHits, ServiceError> {
        let RerankRequest { reranker: name, limit: most } = self.request;
        let text = match (self.text, useless(self.request, self.text.is_some(), window)) {
            (Some(text), None) => text,
            (_, reason) => {
                let report = RerankReport { reason, ..RerankReport::of(name) };
                return Ok(RerankedHits { hits, scores: RerankScores::default(), report });
            }
        };
        let movable = hits.iter().enumerate().take(*most).filter(|(_, hit)| hit.pin().is_none());
        let group =
            ScoredGroup { snapshot, reranker: &self.settings, text, hits: movable.collect() };
        let call = RerankCall { pool: &self.pool, queue: &self.queue, deadline, cancel };
        let ScoreReport { scores, report } = call.scored(name, &[group])?;
        let of = scores.iter().map(|(&place, &score)| {
            (hits[place].doc_id, RerankScore { score, rank_before: place + 1 })
        });
        let rerank_scores = RerankScores::new(name, of);
        let score = |place: usize, _: &Hit| scores.get(&place).copied();
        let hits = reordered(hits, *most, |hit| hit.pin().is_some(), score);
        let (offset, limit) = window;
        let hits = hits.into_iter().map(|(_, hit)| hit).skip(offset).take(limit).collect();
        Ok(RerankedHits { hits, scores: rerank_scores, report })
    }
}
