//! Vector search: a [`Store`] has the vectors of one embedder of one index and finds the nearest to
//! a query. FORMAT.md describes the files.
//!
//! It follows the index: a store is immutable, its files are written once under names that are
//! never reused, and a commit is a manifest that names them. It knows documents as numbers and
//! neither settings nor embedders nor text search.

mod bits;
mod entry;
mod error;
mod file;
mod graph;
mod insert_schedule;
mod inspect;
mod merge;
mod node_set;
mod numbered_files;
mod options;
mod ranked_set;
mod search;
mod simd;
mod space;
mod store;
mod unfinished_file;
mod writer;

pub use entry::{FileEntry, StoreEntry};
pub use error::{Result, VectorsError};
pub use inspect::inspect;
pub use options::{Metric, StoreOptions};
pub use search::{Neighbour, Request};
pub use store::{Store, StoreFile};
pub use writer::{MOST_VECTORS, StoreWriter};
