//! Dumps: archives from which an instance can be made again. Here is what a dump looks like on
//! disk, its own form (FORMAT.md) and that of Meilisearch v1, and how it is written and read
//! without ever holding more of it than a line or a small file in memory.
//!
//! It knows neither indexes nor tasks: what the lines mean is for others to say.

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

pub use archive::{Archive, Head};
pub use error::DumpError;
pub use metadata::{Metadata, Origin};
pub use unfinished::remove_unfinished;
pub use writer::{DumpWriter, Lines};

#[cfg(test)]
mod attacks;
