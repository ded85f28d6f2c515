//! The first hits of a search in the order of a reranker. A reranker that fails or is late fails no
//! search: the first order stands, and the answer says why.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use embed::{RerankError, Reranker, Wait};
use index::Snapshot;
use model::{Code, ServiceError};
use search::Hit;
use serde_json::{Map, Value, json};

use super::SearchQueue;
use super::request::{RerankReport, RerankRequest, SearchRequest};
use crate::embedding::SearchableFields;
use crate::failure::index_failure;
use crate::reranking::RerankerPool;

/// How long a model of this process may take to be loaded and to score documents, unless the
/// reranker has a `timeoutMs`. `searchCutoffMs` does not bound it, as with embedders.
const LOCAL_PATIENCE: Duration = Duration::from_secs(10);

/// What the reranker said of hits.
#[derive(Debug, Default)]
pub(super) struct RerankScores {
    reranker: String,
    of: HashMap<u32, Reranked>,
}

#[derive(Debug, Clone, Copy)]
struct Reranked {
    score: f64,
    /// Counted from 1.
    rank_before: usize,
}

impl RerankScores {
    pub fn score(&self, hit: &Hit) -> Option<f64> {
        self.of.get(&hit.doc_id).map(|reranked| reranked.score)
    }

    /// The member that tells of it in `_rankingScoreDetails`, behind so many rules.
    pub fn detail(&self, hit: &Hit, order: usize) -> Option<Value> {
        let Reranked { score, rank_before } = self.of.get(&hit.doc_id)?;
        Some(json!({
            "order": order, "reranker": self.reranker, "score": score, "rankBefore": rank_before,
        }))
    }
}

/// A reranking that was asked for, with its settings from the index.
pub(super) struct Reranking<'r> {
    request: &'r RerankRequest,
    text: Option<&'r str>,
    settings: settings::Reranker,
    pool: Arc<RerankerPool>,
    queue: SearchQueue,
}

/// The hits that are shown, and what is told of their reranking.
pub(super) struct RerankedHits {
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
        let name = &rerank.reranker;
        let Some(settings) = snapshot.typed_settings().rerankers.get(name) else {
            let message = format!("Cannot find reranker with name `{name}`.");
            return Err(ServiceError::new(Code::InvalidSearchRerank, message));
        };
        Ok(Some(Self {
            request: rerank,
            text: request.text.as_deref().filter(|text| !text.trim().is_empty()),
            settings: settings.clone(),
            pool: Arc::clone(pool),
            queue: queue.clone(),
        }))
    }

    /// Which hits have to be found to show those of a window (offset and limit), of `most` in all.
    pub fn window(&self, (offset, limit): (usize, usize), most: usize) -> (usize, usize) {
        match self.useless(offset, limit) {
            Some(_) => (offset, limit),
            None => (0, self.request.limit.min(most).max(offset + limit)),
        }
    }

    /// Why the window would show the same hits without a reranker.
    fn useless(&self, offset: usize, limit: usize) -> Option<String> {
        let most = self.request.limit;
        if self.text.is_none() {
            Some("there is no query text to compare documents with".to_owned())
        } else if offset >= most {
            Some(format!("the page begins after the first {most} hits, which are reranked"))
        } else if limit == 0 {
            Some("no hit is asked for".to_owned())
        } else {
            None
        }
    }

    /// Reorders the hits of [`Self::window`] and cuts them down to those that are shown.
    pub fn apply(
        &self,
        snapshot: &Snapshot,
        hits: Vec<Hit>,
        (offset, limit): (usize, usize),
        deadline: Instant,
        cancelled: &AtomicBool,
    ) -> Result<RerankedHits, ServiceError> {
        let told = |reranked, reason| RerankReport {
            reranker: self.request.reranker.clone(),
            reranked,
            reason,
        };
        if let Some(reason) = self.useless(offset, limit) {
            let scores = RerankScores::default();
            return Ok(RerankedHits { hits, scores, report: told(0, Some(reason)) });
        }
        let shown = |hits: Vec<Hit>| hits.into_iter().skip(offset).take(limit).collect();
        let begun = Instant::now();
        let deadline = match self.settings.timeout {
            Some(timeout) => begun + timeout,
            None if self.settings.source.is_local() => begun + LOCAL_PATIENCE,
            None => deadline,
        };
        let should_stop = || cancelled.load(Ordering::Relaxed);
        let wait = Wait { deadline, should_stop: &should_stop };
        let failed = |hits, error: RerankError| {
            tracing::warn!(%error, reranker = self.request.reranker, "hits were not reranked");
            let reason = match error {
                RerankError::Late => {
                    let patience = deadline.saturating_duration_since(begun).as_millis();
                    format!("no answer within {patience} ms; the first order stands")
                }
                error => format!("{}; the first order stands", error.reason()),
            };
            let scores = RerankScores::default();
            RerankedHits { hits: shown(hits), scores, report: told(0, Some(reason)) }
        };
        let reranker = match self.reranker(deadline) {
            Ok(reranker) => reranker,
            Err(error) => return Ok(failed(hits, error)),
        };
        let Texts { places, texts } = self.texts(&reranker, snapshot, &hits)?;
        if texts.is_empty() {
            let reason = (!hits.is_empty()).then(|| UNRENDERED.to_owned());
            let scores = RerankScores::default();
            return Ok(RerankedHits { hits: shown(hits), scores, report: told(0, reason) });
        }
        let query = self.text.unwrap_or_default();
        let score = || reranker.scores(query, &texts, wait);
        let scores = match reranker.asks_a_provider() {
            true => self.queue.elsewhere(score),
            false => score(),
        };
        let scores = match scores {
            Ok(scores) => scores,
            Err(error) => return Ok(failed(hits, error)),
        };
        let movable = hits.iter().take(self.request.limit).filter(|hit| hit.pin().is_none());
        let reason = (places.len() < movable.count()).then(|| UNRENDERED.to_owned());
        let of = places.iter().zip(&scores).map(|(&place, &score)| {
            (hits[place].doc_id, Reranked { score, rank_before: place + 1 })
        });
        let of = RerankScores { reranker: self.request.reranker.clone(), of: of.collect() };
        let hits = reordered(hits, self.request.limit, &of);
        Ok(RerankedHits { hits: shown(hits), scores: of, report: told(texts.len(), reason) })
    }

    fn reranker(&self, deadline: Instant) -> Result<Arc<Reranker>, RerankError> {
        let get = || self.pool.get_before(&self.settings, deadline);
        match self.settings.source.is_local() {
            true => self.queue.elsewhere(get),
            false => get(),
        }
    }

    /// The texts of the first hits. Pinned hits stay where they are, and a document that the
    /// template does not fit has no text.
    fn texts(
        &self,
        reranker: &Reranker,
        snapshot: &Snapshot,
        hits: &[Hit],
    ) -> Result<Texts, ServiceError> {
        let fields = SearchableFields(snapshot.typed_settings());
        let mut found = Texts::default();
        for (place, hit) in hits.iter().enumerate().take(self.request.limit) {
            if hit.pin().is_some() {
                continue;
            }
            let json = snapshot.document(hit.doc_id).map_err(|error| index_failure(&error))?;
            let document: Map<String, Value> =
                serde_json::from_str(&json.unwrap_or_default()).map_err(ServiceError::internal)?;
            if let Ok(text) = reranker.text_of(&document, &fields) {
                found.places.push(place);
                found.texts.push(text);
            }
        }
        Ok(found)
    }
}

const UNRENDERED: &str =
    "the document template does not fit some of the documents, which follow the others";

#[derive(Default)]
struct Texts {
    /// Of the hits that have a text.
    places: Vec<usize>,
    texts: Vec<String>,
}

/// The first `limit` hits by their scores, those without one behind them, and the others as they
/// were. Pinned hits keep their places; equal scores keep the first order.
fn reordered(hits: Vec<Hit>, limit: usize, scores: &RerankScores) -> Vec<Hit> {
    let first = hits.iter().take(limit).enumerate();
    let movable: Vec<usize> =
        first.filter(|(_, hit)| hit.pin().is_none()).map(|(place, _)| place).collect();
    let mut order = movable.clone();
    let score = |place: usize| scores.score(&hits[place]).unwrap_or(f64::NEG_INFINITY);
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut source: Vec<usize> = (0..hits.len()).collect();
    for (place, from) in movable.into_iter().zip(order) {
        source[place] = from;
    }
    let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
    source.into_iter().filter_map(|from| hits[from].take()).collect()
}
