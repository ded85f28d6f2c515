//! Limits of one index. The defaults are for production; tests shrink them to reach the rare paths
//! with few documents.

use std::num::NonZeroUsize;

use crate::merge_policy::MergePolicy;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Memory for documents of one batch before they are written to a segment. Their words take
    /// about as much again while the segment is written.
    pub buffer_bytes: usize,
    /// Deleted ids of one segment that the manifest itself may hold.
    pub inline_deleted: u64,
    /// Bytes of field names, and of settings, that the manifest itself may hold.
    pub inline_bytes: usize,
    pub merge: MergePolicy,
    /// Maximum number of threads for a large batch.
    pub threads: usize,
    /// True if to read the vector graphs when the index is opened, so that the first searches need
    /// not wait for the disk.
    pub preload_vectors: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            buffer_bytes: 64 << 20,
            inline_deleted: 8192,
            inline_bytes: 16 << 10,
            merge: MergePolicy::default(),
            threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            preload_vectors: false,
        }
    }
}
