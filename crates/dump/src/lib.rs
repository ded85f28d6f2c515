//! Dumps: archives from which an instance can be restored. This crate knows their formats, our own
//! (FORMAT.md) and that of Meilisearch v1, and writes and reads them with no more than a line or a
//! small file in memory.
//!
//! It knows neither indexes nor tasks: callers interpret the lines.

mod archive;
mod entry_name;
mod error;
pub mod layout;
mod lines;
mod metadata;
mod tar_stream;
mod unfinished;
pub mod v6;
mod writer;

pub use archive::{Archive, EntryHeader};
pub use error::DumpError;
pub use metadata::{Metadata, Origin};
pub use unfinished::remove_unfinished;
pub use writer::{DumpWriter, LineWriter};

#[cfg(test)]
mod attacks;
