//! Reads documents from an index and writes them to one: as text with the names of their fields, or
//! whole (`WholeDocument`), with number and vectors, for dumps and other members of a network. Storage
//! errors become the errors that users see.

pub mod failure;
mod put_document;
mod reading;
mod whole_document;

pub use put_document::{put_document, register_fields};
pub use reading::for_each_document;
pub use whole_document::WholeDocument;
