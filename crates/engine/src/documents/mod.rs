//! Selection of documents: filters and sort expressions of clients, foreign keys, and lists of
//! documents.

pub mod filters;
pub mod foreign;
mod reads;

pub use reads::{DocumentReader, DocumentView, ListDocuments, ListedDocument, ListedDocuments};
