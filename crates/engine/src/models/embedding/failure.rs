//! Errors about vectors of documents, as the wire contract words them.

use embed::EmbedError;
use model::{Code, ServiceError};

/// Error of a provider that could not be reached or sent an invalid answer.
pub(crate) fn embedding_failure(error: &EmbedError) -> ServiceError {
    let message = format!("Error while generating embeddings: {error}");
    ServiceError::new(Code::VectorEmbeddingError, message)
}

/// Error of a provider while documents are embedded.
pub(crate) fn documents_failure(embedder: &str, error: impl std::fmt::Display) -> ServiceError {
    let message = format!("While embedding documents for embedder `{embedder}`: {error}");
    ServiceError::new(Code::VectorEmbeddingError, message)
}

pub(crate) fn wrong_dimensions(
    id: &str,
    embedder: &str,
    place: usize,
    found: usize,
    expected: usize,
) -> ServiceError {
    let message = format!(
        "Invalid vector dimensions in document with id `{id}` in `._vectors.{embedder}`.\n  - \
         note: embedding #{place} has dimensions {found}\n  - note: embedder `{embedder}` \
         requires {expected}"
    );
    ServiceError::new(Code::InvalidVectorDimensions, message)
}

pub(crate) fn too_many(id: &str, found: usize) -> ServiceError {
    let most = vectors::MOST_VECTORS;
    let message = format!(
        "Too many vectors for document with id {id}: found {found}, but limited to {most}."
    );
    ServiceError::new(Code::TooManyVectors, message)
}

/// Error of a template that does not fit a document.
pub(crate) fn not_rendered(id: &str, error: &template::RenderError) -> ServiceError {
    let message = format!("user error: missing field in document `{id}`: {error}");
    ServiceError::new(Code::InvalidDocumentFields, message)
}
