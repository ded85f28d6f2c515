//! Files on disk: the folder of an index, the frame around every file, and the components of a
//! segment (written once, memory-mapped, merged, verified).
//!
//! It knows neither manifests nor settings nor searches, and it never parses a document: JSON comes
//! in as text together with its field names, and comes out unchanged.

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
pub mod text;
mod varint;

pub use columns::{ColumnsBuffer, ColumnsReader};
pub use directory::{
    Directory, DiskDirectory, FaultDirectory, FileBytes, FileWriter, InjectedFault, MemoryDirectory,
};
pub use documents::parse_set;
pub use documents::{DocumentsReader, DocumentsWriter};
pub use encoding::members::{for_each_word, members};
pub use encoding::meta::{meta_to_bytes, parse_meta};
pub use encoding::pages::{Pages, PagesWriter};
pub use error::{Problem, Result, SegmentError};
pub use frame::{Check, Frame, FrameWriter, Tag, is_framed};
pub use gallop::gallop;
pub use geo::{GeoBuffer, GeoReader};
pub use inspect::inspect;
pub use text::{TextBuffer, TextReader};

/// Number of a document in its index. Merging segments does not change it.
pub type DocId = u32;

/// Limit of a document's JSON and external id together: offsets inside a block and inside a
/// writer's memory have 32 bits.
pub const MAX_DOCUMENT_LENGTH: u64 = 1 << 30;
