//! What is fixed for a store from its beginning: how long vectors are and what "near" means.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Metric {
    /// The angle between two vectors, whatever their lengths.
    Cosine,
    Euclidean,
    DotProduct,
    /// Binary quantised: one bit is kept of each component, whether it is greater than 0, and
    /// the bits that differ are counted.
    Hamming,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreOptions {
    pub dimensions: usize,
    pub metric: Metric,
}
