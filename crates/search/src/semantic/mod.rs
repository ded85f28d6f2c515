//! Ranking by similarity to a vector. The vector comes with the query: this module does not know
//! how texts become vectors.

mod fused;
mod hybrid;
mod similar;

pub use hybrid::{
    HybridPart, HybridQuery, HybridResults, SideHits, Sides, run_hybrid_part, words_suffice,
};
pub use similar::{SimilarCounts, SimilarDocuments, SimilarQuery, similar};

use index::Snapshot;

use crate::error::SearchError;
use crate::fusion::Fusion;
use crate::query::Query;

/// Searches by words and by a vector. `query` is that for the words. `embed` returns the vector if
/// it is needed; if there is none, the words alone answer.
pub fn run_hybrid(
    snapshot: &Snapshot,
    query: &Query<'_>,
    hybrid: HybridQuery<'_>,
    embed: impl FnOnce() -> Option<Vec<f32>>,
) -> Result<HybridResults, SearchError> {
    match hybrid.fusion {
        Fusion::Score => hybrid::run_compared(snapshot, query, hybrid, embed),
        Fusion::Rrf { .. } | Fusion::Normalized => fused::run_fused(snapshot, query, hybrid, embed),
    }
}
