//! Which documents: filters and sort expressions as clients send them, documents of other indexes
//! that foreign keys lead to, and lists of documents.

pub mod filters;
pub mod foreign;
mod reads;

pub use reads::{DocumentReader, DocumentView, ListDocuments, ListedDocument, ListedDocuments};
