//! From documents to the words that searches look for: which attributes, in which languages, cut
//! how, and the building of text components from the JSON of documents.
//!
//! What is built depends on a part of the settings only, the *rules*; when they change, the text
//! of every segment is built again from the stored documents.

mod attributes;
mod build;
mod leaves;
mod rebuild;
mod rules;

pub(crate) use build::{Indexing, tokenize};
pub(crate) use rebuild::{Rebuild, rebuild};
pub(crate) use rules::TextRules;
