//! Manifest entry of a store: the files that it consists of. Everything else is in the files.

use serde::{Deserialize, Serialize};

use crate::options::StoreOptions;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreEntry {
    #[serde(flatten)]
    pub options: StoreOptions,
    /// Generation of the graph file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<u64>,
    /// The vector files, oldest first.
    #[serde(default)]
    pub files: Vec<FileEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    pub generation: u64,
    /// Node of the first row.
    pub first_node: u32,
    /// True if the nodes of the rows are listed in the file instead of being consecutive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
}

impl StoreEntry {
    pub(crate) fn empty(options: StoreOptions) -> Self {
        Self { options, graph: None, files: Vec::new() }
    }
}

/// Returns the name of a vector file.
pub(crate) fn vectors_name(store: &str, generation: u64) -> String {
    format!("{store}.vectors.{generation}")
}

/// Returns the name of a graph file.
pub(crate) fn graph_name(store: &str, generation: u64) -> String {
    format!("{store}.graph.{generation}")
}
