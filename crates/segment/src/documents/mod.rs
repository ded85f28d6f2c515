//! The `documents` component of a segment: the JSON of its documents in small compressed blocks,
//! external id → DocId, a filter in front of it, and which document has which top-level field.
//!
//! Blocks are small because a search returns twenty documents from twenty blocks; a dictionary
//! trained on the segment's own documents makes up for the loss of compression. `writer`, `format`,
//! `reader`, `merge` and `verify` are the parts; FORMAT.md has the byte diagrams.

mod arena;
mod assemble;
mod bits;
mod block;
mod block_writer;
mod dictionary;
mod field_sets;
mod format;
mod id_filter;
mod id_form;
mod id_order;
mod id_table;
mod id_table_writer;
mod merge;
mod reader;
mod run_set;
mod scan;
mod shapes;
mod verify;
mod writer;

#[cfg(test)]
mod tests;

pub use dictionary::Dictionary;
pub use merge::{MergeInput, merge};
pub use reader::{DocumentsReader, Sizes};
pub use writer::DocumentsWriter;

pub use format::parse_set;
pub(crate) use format::{KIND, section_length, set_to_bytes};
pub(crate) use id_order::sorted_by_text;
pub(crate) use run_set::RunSet;
