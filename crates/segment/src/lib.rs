//! Bytes on disk: the folder an index lives in, the frame every file is wrapped in, and the
//! components of a segment (written once, memory-mapped, merged, verified).
//!
//! It knows neither manifests nor settings nor searches, and it never parses a document: JSON
//! comes in as text together with its field names, and goes out as the same text.

mod checksum;
pub mod columns;
#[cfg(test)]
mod damaged_file;
pub mod directory;
pub mod documents;
mod encoding;
pub mod error;
#[cfg(test)]
mod failing_disk;
pub mod frame;
mod gallop;
pub mod geo;
mod inspect;
mod live_once;
mod patience;
pub mod text;
mod varint;

pub use columns::{ColumnsBuffer, ColumnsReader};
pub use directory::{
    Directory, DiskDirectory, Fault, FaultDirectory, FileBytes, FileWriter, MemoryDirectory,
};
pub use documents::{DocumentsReader, DocumentsWriter};
pub use encoding::members::members;
pub use encoding::pages::{Pages, PagesWriter};
pub use error::{Problem, Result, SegmentError};
pub use frame::{Check, Frame, FrameWriter, Tag, is_framed};
pub use gallop::gallop;
pub use geo::{GeoBuffer, GeoReader};
pub use inspect::inspect;
pub use text::{TextBuffer, TextReader};

/// A document's number inside its index. It stays the same when segments are merged.
pub type DocId = u32;

/// A document's JSON and external id together are shorter than this: offsets inside a block and
/// inside a writer's memory have 32 bits.
pub const MAX_DOCUMENT_LENGTH: u64 = 1 << 30;
