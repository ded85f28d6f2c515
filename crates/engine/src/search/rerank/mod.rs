//! Reranks the first hits of a search. A reranker that fails or is late fails no search: the first
//! order stands, and the answer says why.
//!
//! `call.rs` has documents scored, `order.rs` orders hits by these scores. `single.rs` does both for
//! one search, and `federated/rerank.rs` for several whose hits become one list.

mod call;
mod order;
mod single;

use std::collections::HashMap;

use index::Snapshot;
use model::{Code, ServiceError};
use search::Hit;
use serde_json::{Value, json};

use super::request::RerankRequest;

pub(super) use call::{RerankCall, ScoredGroup};
pub(super) use order::reordered;
pub(super) use single::{RerankedHits, Reranking};

/// A reranker's scores by document of one index.
#[derive(Debug, Default)]
pub(super) struct RerankScores {
    reranker: String,
    of: HashMap<u32, RerankScore>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct RerankScore {
    pub score: f64,
    /// Rank before reranking, from 1.
    pub rank_before: usize,
}

impl RerankScores {
    pub fn new(reranker: &str, of: impl IntoIterator<Item = (u32, RerankScore)>) -> Self {
        Self { reranker: reranker.to_owned(), of: of.into_iter().collect() }
    }

    pub fn score(&self, hit: &Hit) -> Option<f64> {
        self.of.get(&hit.doc_id).map(|reranked| reranked.score)
    }

    /// Returns the member for `_rankingScoreDetails`, behind `order` rules.
    pub fn detail(&self, hit: &Hit, order: usize) -> Option<Value> {
        self.of.get(&hit.doc_id).map(|reranked| reranked.detail(&self.reranker, order))
    }
}

impl RerankScore {
    pub fn detail(&self, reranker: &str, order: usize) -> Value {
        let Self { score, rank_before } = self;
        json!({"order": order, "reranker": reranker, "score": score, "rankBefore": rank_before})
    }
}

/// Returns the settings of the reranker that a search names.
pub(super) fn reranker_of<'s>(
    snapshot: &'s Snapshot,
    request: &RerankRequest,
) -> Result<&'s settings::Reranker, ServiceError> {
    let name = &request.reranker;
    snapshot.typed_settings().rerankers.get(name).ok_or_else(|| {
        let message = format!("Cannot find reranker with name `{name}`.");
        ServiceError::new(Code::InvalidSearchRerank, message)
    })
}

/// Returns why a window (offset and limit) would show the same hits without a reranker.
pub(super) fn useless(
    request: &RerankRequest,
    has_text: bool,
    (offset, limit): (usize, usize),
) -> Option<String> {
    let most = request.limit;
    if !has_text {
        Some("there is no query text to compare documents with".to_owned())
    } else if offset >= most {
        Some(format!("the page begins after the first {most} hits, which are reranked"))
    } else if limit == 0 {
        Some("no hit is asked for".to_owned())
    } else {
        None
    }
}
