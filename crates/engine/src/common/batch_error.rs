//! `RunError` made from the errors of what a batch reads and writes, so that `?` works on all of them.

use document::{DocumentError, PayloadError};
use model::{Cancelled, ServiceError};
use segment::SegmentError;
use tasks::RunError;

use super::failure::index_failure;

/// Wraps a `RunError`, which belongs to another crate and cannot implement these conversions.
#[derive(Debug)]
pub(crate) struct BatchError(pub RunError);

impl From<BatchError> for RunError {
    fn from(BatchError(error): BatchError) -> Self {
        error
    }
}

impl From<RunError> for BatchError {
    fn from(error: RunError) -> Self {
        Self(error)
    }
}

impl From<Cancelled> for BatchError {
    fn from(cancelled: Cancelled) -> Self {
        Self(cancelled.into())
    }
}

impl From<ServiceError> for BatchError {
    fn from(error: ServiceError) -> Self {
        Self(RunError::Failed(error))
    }
}

impl From<SegmentError> for BatchError {
    fn from(error: SegmentError) -> Self {
        index_failure(error).into()
    }
}

impl From<DocumentError> for BatchError {
    fn from(error: DocumentError) -> Self {
        ServiceError::from(error).into()
    }
}

impl From<PayloadError> for BatchError {
    fn from(error: PayloadError) -> Self {
        ServiceError::from(error).into()
    }
}
