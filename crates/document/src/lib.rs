//! Documents as JSON text: reading payloads, finding ids, choosing fields, editing by function.
//!
//! Everything here is a pure function over text. Values are raw slices of what the user sent, so
//! numbers and the order of fields survive exactly. This crate knows no disk, no index, no HTTP
//! and no task.

mod csv_payload;
mod document;
pub mod edit;
mod error;
mod id;
mod json_error;
mod json_payload;
mod names;
mod payload;
mod primary_key;
mod references;
mod selection;
mod text;
mod vectors;

pub use document::Document;
pub use error::{DocumentError, PayloadError};
pub use id::{check_document_id, document_id, invalid_document_id};
pub use model::{Format, VECTORS_FIELD};
pub use names::{check_field_count, nested_names};
pub use payload::{check, for_each, write_ndjson};
pub use primary_key::PrimaryKey;
pub use references::{Reference, references};
pub use selection::FieldSelection;
pub use vectors::{DocumentVectors, GivenVectors, embeddings_json};
