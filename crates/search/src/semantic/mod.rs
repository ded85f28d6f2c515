//! Ranking by nearness to a vector. The vector comes with the query: nothing here knows how texts
//! become vectors.

mod fused;
mod hybrid;
mod similar;
mod vector_rule;

pub use hybrid::{
    Hybrid, HybridPart, HybridQuery, Sides, ToldSides, run_hybrid_part, words_suffice,
};
pub use similar::{Similar, SimilarCounts, SimilarQuery, similar};

use index::Snapshot;
use settings::Distribution;
use vectors::Store;

use crate::fusion::Fusion;
use crate::query::{Query, SearchError};

pub(crate) use vector_rule::VectorRule;

/// What documents are compared with.
#[derive(Debug, Clone, Copy)]
pub struct VectorQuery<'q> {
    pub store: &'q Store,
    /// As long as the vectors of the store.
    pub vector: &'q [f32],
    /// How the similarities of this embedder are spread.
    pub distribution: Option<Distribution>,
}

/// A search by words and by a vector. `query` is that for the words. `embed` gives the vector when it
/// turns out to be needed; if it has none, the words alone answer.
pub fn run_hybrid(
    snapshot: &Snapshot,
    query: &Query<'_>,
    hybrid: HybridQuery<'_>,
    embed: impl FnOnce() -> Option<Vec<f32>>,
) -> Result<Hybrid, SearchError> {
    match hybrid.fusion {
        Fusion::Score => hybrid::run_compared(snapshot, query, hybrid, embed),
        Fusion::Rrf { .. } | Fusion::Normalized => fused::run_fused(snapshot, query, hybrid, embed),
    }
}

/// The lowest similarity of what has vectors at all.
const LEAST: f32 = f32::EPSILON;

/// Spreads similarities that lie close together over the whole range, so that they can be
/// compared with other scores.
fn shifted(similarity: f32, distribution: Option<Distribution>) -> f32 {
    let Some(Distribution { mean, sigma }) = distribution else {
        return similarity;
    };
    let factor = 0.4 / sigma;
    let offset = 0.5 - mean * factor;
    let shifted = similarity * factor + offset;
    if shifted <= 0.0 { LEAST } else { shifted.min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarities_are_spread_as_recorded() {
        let spread = |mean, sigma| Some(Distribution { mean, sigma });
        for (similarity, distribution, expected) in [
            (0.5, None, 0.5),
            (0.853_553_4, spread(0.7, 0.2), 0.807_106_85),
            (0.5, spread(0.7, 0.2), 0.100_000_024),
            (0.146_446_59, spread(0.7, 0.2), f32::EPSILON),
            (1.0, spread(0.7, 0.2), 1.0),
            (1.0, spread(0.5, 1.0), 0.700_000_05),
            (0.0, spread(0.5, 1.0), 0.3),
        ] {
            let found = shifted(similarity, distribution);
            assert!((found - expected).abs() < 1e-7, "{similarity} {distribution:?}: {found}");
        }
    }
}
