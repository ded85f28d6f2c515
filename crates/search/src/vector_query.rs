//! The vector of a query and the similarity of documents to it.

use settings::Distribution;
use vectors::Store;

/// The vector of a query, with the store it is searched in.
#[derive(Debug, Clone, Copy)]
pub struct VectorQuery<'q> {
    pub store: &'q Store,
    /// Has as many dimensions as the vectors of the store.
    pub vector: &'q [f32],
    /// The distribution of similarities of this embedder.
    pub distribution: Option<Distribution>,
}

/// Queries are equal if they have the same vector for the same store.
impl PartialEq for VectorQuery<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.store, other.store)
            && self.vector == other.vector
            && self.distribution == other.distribution
    }
}

/// The minimum similarity of documents with vectors.
const LEAST: f32 = f32::EPSILON;

/// Spreads similarities that are close together over the whole range, so that they are comparable
/// with other scores.
pub(crate) fn shifted(similarity: f32, distribution: Option<Distribution>) -> f32 {
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
