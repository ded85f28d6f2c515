//! Fixed properties of a store: the length of its vectors and its metric.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Metric {
    /// Angle between two vectors, whatever their lengths.
    Cosine,
    Euclidean,
    DotProduct,
    /// Number of differing bits of binary quantised vectors: one bit per component, set if it is
    /// greater than 0.
    Hamming,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreOptions {
    pub dimensions: usize,
    pub metric: Metric,
}
