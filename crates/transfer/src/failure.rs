//! Converts storage errors to those that users see.

use index::IndexError;
use model::{Code, ServiceError};
use segment::SegmentError;

pub fn index_failure(error: impl Into<IndexError>) -> ServiceError {
    let error = error.into();
    match &error {
        IndexError::Segment(SegmentError::Io { source, .. }) => {
            ServiceError { message: error.to_string(), ..ServiceError::from_io(source) }
        }
        IndexError::Geo(_) => ServiceError::new(Code::InvalidDocumentGeoField, error.to_string()),
        IndexError::WritesStopped { .. } => ServiceError::new(Code::IoError, error.to_string()),
        _ => ServiceError::internal(&error),
    }
}

pub fn io_failure(what: &str, error: &std::io::Error) -> ServiceError {
    let failure = ServiceError::from_io(error);
    ServiceError { message: format!("{what}: {error}"), ..failure }
}
