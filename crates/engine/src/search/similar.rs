//! Documents like another one.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use model::{Code, ServiceError};
use search::MatchingWords;
use serde_json::Value;

use super::failure::similar_failure;
use super::hits::HitWriter;
use super::request::{HitView, SearchRequest};
use super::semantic;
use super::stages::Stages;
use crate::Engine;
use crate::filters::{parse_filter, resolved};
use crate::foreign::Snapshots;

#[derive(Debug, Clone, Default)]
pub struct SimilarRequest {
    pub id: String,
    pub embedder: String,
    pub offset: usize,
    pub limit: usize,
    pub filter: Option<Value>,
    pub threshold: Option<f64>,
    pub view: HitView,
}

#[derive(Debug)]
pub struct SimilarAnswer {
    /// A JSON array.
    pub hits: String,
    pub total: u64,
    pub elapsed: Duration,
    pub stages: Stages,
}

impl Engine {
    /// Looks for documents like one of an index, on this thread.
    pub fn similar(
        &self,
        uid: &str,
        request: &SimilarRequest,
        cancelled: &AtomicBool,
    ) -> Result<SimilarAnswer, ServiceError> {
        let begun = Instant::now();
        let mut stages = Stages::default();
        let code = Code::InvalidSimilarFilter;
        let filter = parse_filter(request.filter.as_ref(), &self.features(), code)?;
        let mut snapshots = Snapshots::new(&self.instance);
        let snapshot = snapshots.of(uid)?;
        let filter =
            filter.map(|filter| resolved(filter, uid, &mut snapshots, cancelled)).transpose()?;
        let code = Code::InvalidSimilarEmbedder;
        let (vectors, embedder) =
            semantic::find(&request.embedder, &snapshot, &self.embedders, code)?;
        let target = snapshot.doc_id(&request.id).map_err(|e| crate::failure::index_failure(&e))?;
        let target = target.ok_or_else(|| {
            let message = format!("Document `{}` not found.", request.id);
            ServiceError::new(Code::NotFoundSimilarId, message)
        })?;
        let query = search::SimilarQuery {
            target,
            store: vectors.store(),
            distribution: embedder.distribution(),
            filter: filter.as_ref(),
            offset: request.offset,
            limit: request.limit,
            threshold: request.threshold,
            cancelled,
        };
        let found = stages
            .time("search > vector ranking", || search::similar(&snapshot, &query))
            .map_err(similar_failure)?;
        let shown = SearchRequest { view: request.view.clone(), ..SearchRequest::default() };
        let words = MatchingWords::default();
        let writer = HitWriter::new(&snapshot, &shown, &words, None);
        let hits = stages.time("search > format", || writer.write(&found.hits))?;
        let elapsed = begun.elapsed();
        stages.add("search", elapsed);
        let most = snapshot.typed_settings().max_total_hits as u64;
        Ok(SimilarAnswer { hits, total: found.total.min(most), elapsed, stages })
    }
}
