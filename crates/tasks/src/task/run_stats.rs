//! Figures measured by the work of a batch.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Figures that only the work can measure; each is shown when it is not empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStats {
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub write_channel_congestion: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub internal_database_sizes: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub embedder_requests: Map<String, Value>,
}
