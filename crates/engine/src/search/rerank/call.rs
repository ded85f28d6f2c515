//! Sends documents to a reranker and maps its scores back to hits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use embed::{RerankError, RerankLimits, Reranker};
use index::Snapshot;
use model::{Cancel, ServiceError};
use search::Hit;
use serde_json::{Map, Value};

use crate::common::failure::index_failure;
use crate::models::embedding::SearchableFields;
use crate::models::reranking::RerankerPool;
use crate::search::SearchQueue;
use crate::search::request::RerankReport;

/// Time for loading a local model and scoring, unless the reranker sets `timeoutMs`. As for
/// embedders, `searchCutoffMs` does not bound it.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(10);

const UNRENDERED: &str =
    "the document template does not fit some of the documents, which follow the others";

/// Rerankers, and how long a search waits for them.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct RerankCall<'c> {
    pub pool: &'c Arc<RerankerPool>,
    pub queue: &'c SearchQueue,
    /// Deadline of rerankers without a timeout of their own.
    pub deadline: Instant,
    pub cancel: &'c Cancel,
}

/// Hits of one index that were found for one text.
#[derive(Debug)]
pub(in crate::search) struct ScoredGroup<'g> {
    pub snapshot: &'g Snapshot,
    pub reranker: &'g settings::Reranker,
    pub text: &'g str,
    /// Hits with their places in the list.
    pub hits: Vec<(usize, &'g Hit)>,
}

/// Scores by place in the list, and the report.
#[derive(Debug)]
pub(in crate::search) struct ScoreReport {
    pub scores: HashMap<usize, f64>,
    pub report: RerankReport,
}

/// One call of a reranker: documents of several indexes, if they have the same reranker and were
/// found for the same text.
struct Batch<'g> {
    settings: &'g settings::Reranker,
    text: &'g str,
    reranker: Arc<Reranker>,
    deadline: Instant,
    /// Places of the hits whose texts these are.
    places: Vec<usize>,
    texts: Vec<String>,
}

impl RerankCall<'_> {
    /// Scores every hit that has a text. If a reranker fails, no hit has a score, since partial
    /// scores say nothing about the others.
    pub fn scored(
        &self,
        name: &str,
        groups: &[ScoredGroup<'_>],
    ) -> Result<ScoreReport, ServiceError> {
        let begun = Instant::now();
        let mut batches: Vec<Batch<'_>> = Vec::new();
        for group in groups {
            let deadline = self.deadline_of(group.reranker, begun);
            let reranker = match self.reranker(group.reranker, deadline) {
                Ok(reranker) => reranker,
                Err(error) => return Ok(failed(name, &error, deadline - begun)),
            };
            let texts = texts(&reranker, group)?;
            let is_same = |batch: &&mut Batch<'_>| {
                let (one, other) = (batch.settings, group.reranker);
                batch.text == group.text
                    && (&one.source, one.timeout) == (&other.source, other.timeout)
            };
            let (places, texts): (Vec<usize>, Vec<String>) = texts.into_iter().unzip();
            match batches.iter_mut().find(is_same) {
                Some(batch) => {
                    batch.places.extend(places);
                    batch.texts.extend(texts);
                }
                None => batches.push(Batch {
                    settings: group.reranker,
                    text: group.text,
                    reranker,
                    deadline,
                    places,
                    texts,
                }),
            }
        }
        let mut scores = HashMap::new();
        for batch in batches.iter().filter(|batch| !batch.texts.is_empty()) {
            match self.ask(batch) {
                Ok(of_batch) => scores.extend(batch.places.iter().copied().zip(of_batch)),
                Err(error) => return Ok(failed(name, &error, batch.deadline - begun)),
            }
        }
        let hits: usize = groups.iter().map(|group| group.hits.len()).sum();
        let reason = (scores.len() < hits).then(|| UNRENDERED.to_owned());
        let report = RerankReport { reranked: scores.len(), reason, ..RerankReport::of(name) };
        Ok(ScoreReport { scores, report })
    }

    fn deadline_of(&self, reranker: &settings::Reranker, begun: Instant) -> Instant {
        match reranker.timeout {
            Some(timeout) => begun + timeout,
            None if reranker.source.is_local() => begun + LOCAL_TIMEOUT,
            None => self.deadline.max(begun),
        }
    }

    fn reranker(
        &self,
        settings: &settings::Reranker,
        deadline: Instant,
    ) -> Result<Arc<Reranker>, RerankError> {
        let get = || self.pool.get_before(settings, deadline);
        if settings.source.is_local() { self.queue.while_blocked(get) } else { get() }
    }

    fn ask(&self, batch: &Batch<'_>) -> Result<Vec<f64>, RerankError> {
        let wait = RerankLimits { deadline: batch.deadline, cancel: self.cancel };
        let ask = || batch.reranker.scores(batch.text, &batch.texts, wait);
        if batch.reranker.asks_a_provider() { self.queue.while_blocked(ask) } else { ask() }
    }
}

fn failed(name: &str, error: &RerankError, timeout: Duration) -> ScoreReport {
    tracing::warn!(%error, reranker = name, "hits were not reranked");
    let reason = match error {
        RerankError::Late => format!("no answer within {} ms", timeout.as_millis()),
        error => error.reason(),
    };
    let reason = Some(format!("{reason}; the hits keep their order"));
    let report = RerankReport { reason, has_failed: true, ..RerankReport::of(name) };
    ScoreReport { scores: HashMap::new(), report }
}

/// Returns the texts of hits with their places, without documents that the template does not fit.
fn texts(
    reranker: &Reranker,
    group: &ScoredGroup<'_>,
) -> Result<Vec<(usize, String)>, ServiceError> {
    let fields = SearchableFields(group.snapshot.typed_settings());
    let mut texts = Vec::with_capacity(group.hits.len());
    for (place, hit) in &group.hits {
        let json = group.snapshot.document(hit.doc_id).map_err(index_failure)?;
        let document: Map<String, Value> =
            serde_json::from_str(&json.unwrap_or_default()).map_err(ServiceError::internal)?;
        if let Ok(text) = reranker.text_of(&document, &fields) {
            texts.push((*place, text));
        }
    }
    Ok(texts)
}
