//! From documents to what searches need: their words (which attributes, in which languages, cut
//! how), the values of attributes that are filtered or sorted by, and where they are on Earth; and
//! the building of these components from the JSON of documents.
//!
//! What is built depends on a part of the settings only, the *rules*; when they change, what has
//! become wanted is built from the stored documents of every segment.

mod attributes;
mod build;
mod column_rules;
mod component;
mod entries;
mod geo;
mod geojson;
mod indexer;
mod leaves;
mod rebuild;
mod rules;
mod stored;
mod text_rules;

pub(crate) use build::{Buffers, Indexing, Wanted, index};
pub(crate) use column_rules::ColumnChoice;
pub(crate) use geo::GeoRules;
pub use geo::check_geo;
pub(crate) use rebuild::{KeptText, Rebuild};
pub(crate) use rules::Rules;
pub(crate) use text_rules::TextChoice;
