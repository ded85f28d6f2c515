//! Indexing: builds from the JSON of documents the components that searches need: words (which
//! attributes, in which languages, how tokenized), values of attributes that are filtered or sorted
//! by, and locations.
//!
//! What is built depends on a part of the settings only, the *rules*; when they change, the missing
//! parts are built from the stored documents of every segment.

mod attribute_table;
mod build;
mod column_rules;
mod component;
mod entries;
mod geo;
mod geojson;
mod indexer;
mod rebuild;
mod rules;
mod stored_documents;
mod text_rules;

pub(crate) use build::{Buffers, IndexTargets, Indexing, index};
pub(crate) use column_rules::ColumnChoice;
pub(crate) use geo::GeoRules;
pub use geo::check_geo;
pub(crate) use rebuild::{Rebuild, RetainedText};
pub(crate) use rules::Rules;
pub(crate) use text_rules::TextChoice;
