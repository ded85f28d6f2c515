//! What the manifest of an index keeps of a store: which files it consists of. Everything else is
//! in the files.

use serde::{Deserialize, Serialize};

use crate::options::StoreOptions;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreEntry {
    #[serde(flatten)]
    pub options: StoreOptions,
    /// Generation of the file of the graph, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<u64>,
    /// The files of vectors, the oldest first.
    #[serde(default)]
    pub files: Vec<FileEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    pub generation: u64,
    /// The node of its first row.
    pub first_node: u32,
    /// Whether its rows have the nodes that the file lists, and not one run of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
}

impl StoreEntry {
    pub(crate) fn empty(options: StoreOptions) -> Self {
        Self { options, graph: None, files: Vec::new() }
    }
}

/// The name of a file of vectors.
pub(crate) fn vectors_name(store: &str, generation: u64) -> String {
    format!("{store}.vectors.{generation}")
}

/// The name of a file of links.
pub(crate) fn graph_name(store: &str, generation: u64) -> String {
    format!("{store}.graph.{generation}")
}
