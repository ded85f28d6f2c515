//! One index: a stack of immutable segments and a small manifest that names them. A commit adds
//! files and swaps the manifest; a reader holds a [`Snapshot`] and sees one state all the time.
//!
//! It knows neither HTTP nor tasks nor ranking. JSON comes in as text with its field names, and is
//! only parsed to index its words, values and locations. Files use the frame of `segment`;
//! FORMAT.md describes the sections of the manifest.

mod attachments;
mod commit;
mod compact;
mod deleted;
mod doc_ids;
mod embedders;
mod error;
mod field_names;
mod file_name;
mod index;
mod index_meta;
mod indexing;
mod inspect;
mod manifest;
mod merge;
mod merge_policy;
mod new_field_finder;
mod options;
mod rebuild_observer;
mod recovery;
mod section;
mod segments;
mod settings;
mod snapshot;
mod tracked_file;
mod verify;
mod writer;

pub use compact::Compaction;
pub use embedders::{EmbedderVectors, VectorOrigin};
pub use error::{GeoError, IndexError, Result};
pub use index::{Index, holds_an_index};
pub use indexing::check_geo;
pub use inspect::inspect;
pub use merge::{MergePlan, MergeReport, VectorMergePlan};
pub use merge_policy::MergePolicy;
pub use options::Options;
pub use rebuild_observer::{RebuildObserver, RebuildProgress};
pub use segment::{DocId, Problem};
pub use segments::Segment;
pub use snapshot::{Sizes, Snapshot};
pub use verify::{verify, verify_dictionaries};
pub use writer::Writer;
