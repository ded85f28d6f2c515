//! Errors about a payload as a whole and about one of its documents. The texts are part of the
//! contract.

use model::{Code, ServiceError};

/// A payload that cannot be read; found when it arrives, before any task exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    #[error("A {format} payload is missing.")]
    Missing { format: &'static str },
    #[error(
        "The `{format}` payload provided is malformed. `Couldn't serialize document value: {text}`."
    )]
    MalformedJson { format: &'static str, text: String },
    #[error("The `csv` payload provided is malformed: `{reason}`.")]
    MalformedCsv { reason: String },
}

impl From<PayloadError> for ServiceError {
    fn from(error: PayloadError) -> Self {
        let code = match error {
            PayloadError::Missing { .. } => Code::MissingPayload,
            PayloadError::MalformedJson { .. } | PayloadError::MalformedCsv { .. } => {
                Code::MalformedPayload
            }
        };
        ServiceError::new(code, error.to_string())
    }
}

/// A well-formed document that is invalid, or stored text that is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("Document doesn't have a `{primary_key}` attribute: `{document}`.")]
    MissingId { primary_key: String, document: String },

    /// `value` is the JSON found instead of an id.
    #[error(
        "Document identifier `{value}` is invalid. A document identifier can be of type integer \
         or string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and \
         underscores (_), and can not be more than 511 bytes."
    )]
    InvalidId { value: String },

    #[error("Document have too many matching `{primary_key}` attribute: `{document}`.")]
    TooManyIds { primary_key: String, document: String },

    #[error(
        "The primary key inference failed as the engine did not find any field ending with `id` \
         in its name. Please specify the primary key manually using the `primaryKey` query \
         parameter."
    )]
    NoPrimaryKeyCandidate,

    #[error(
        "The primary key inference failed as the engine found {count} fields ending with `id` in \
         their names: '{first}' and '{second}'. Please specify the primary key manually using \
         the `primaryKey` query parameter."
    )]
    ManyPrimaryKeyCandidates { count: usize, first: String, second: String },

    #[error("Index already has a primary key: `{primary_key}`.")]
    PrimaryKeyAlreadyExists { primary_key: String },

    // The number is one less than the limit; clients match on the text.
    #[error("A document cannot contain more than 65,535 fields.")]
    TooManyFields,

    #[error(
        "The `_vectors` field in the document with id: `{id}` is not an object. Was expecting an \
         object with a key for each embedder with manually provided vectors, but instead got \
         `{value}`"
    )]
    VectorsNotAnObject { id: String, value: String },

    #[error("Bad embedder configuration in the document with id: `{id}`. {reason}")]
    InvalidVectors { id: String, reason: String },

    /// Text that should be a document but is not; an internal error, not the user's.
    #[error("not a document: {reason}")]
    NotADocument { reason: String },
}

impl From<DocumentError> for ServiceError {
    fn from(error: DocumentError) -> Self {
        let code = match error {
            DocumentError::MissingId { .. } => Code::MissingDocumentId,
            DocumentError::InvalidId { .. } | DocumentError::TooManyIds { .. } => {
                Code::InvalidDocumentId
            }
            DocumentError::NoPrimaryKeyCandidate => Code::IndexPrimaryKeyNoCandidateFound,
            DocumentError::ManyPrimaryKeyCandidates { .. } => {
                Code::IndexPrimaryKeyMultipleCandidatesFound
            }
            DocumentError::PrimaryKeyAlreadyExists { .. } => Code::IndexPrimaryKeyAlreadyExists,
            DocumentError::TooManyFields => Code::MaxFieldsLimitExceeded,
            DocumentError::VectorsNotAnObject { .. } | DocumentError::InvalidVectors { .. } => {
                Code::InvalidVectorsType
            }
            DocumentError::NotADocument { .. } => Code::Internal,
        };
        ServiceError::new(code, error.to_string())
    }
}
