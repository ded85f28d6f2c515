//! Vectors and their nearness: one [`Store`] has the vectors of one embedder of one index and
//! finds those nearest to a given one. FORMAT.md describes the files.
//!
//! It follows the index: a store is immutable, its files are written once under names that are
//! never used again, and a commit is a manifest that names them. It knows documents as numbers
//! and neither settings nor embedders nor searches for words.

mod bits;
mod entering;
mod entry;
mod error;
mod file;
mod graph;
mod inspect;
mod merge;
mod node_set;
mod options;
mod placed;
mod ranked_set;
mod search;
mod simd;
mod space;
mod store;
mod unfinished;
mod writer;

pub use entry::{FileEntry, StoreEntry};
pub use error::{Result, VectorsError};
pub use inspect::inspect;
pub use options::{Metric, StoreOptions};
pub use search::{Neighbour, Request};
pub use store::{Store, StoreFile};
pub use writer::{MOST_VECTORS, StoreWriter};
