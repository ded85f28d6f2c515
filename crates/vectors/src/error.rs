//! Errors of the vector store: those of `segment`, and others about the caller's input.

use model::Cancelled;
use segment::{DocId, SegmentError};

pub type Result<T, E = VectorsError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    #[error(transparent)]
    Segment(#[from] SegmentError),

    #[error("a vector has {found} dimensions, {expected} are expected")]
    Dimensions { expected: usize, found: usize },

    #[error("a vector of document {doc_id} has a component that is no finite number")]
    NotFinite { doc_id: DocId },

    #[error("document {doc_id} has {found} vectors, at most {most} are possible")]
    TooMany { doc_id: DocId, found: usize, most: usize },

    /// Node numbers have 30 bits.
    #[error("the store cannot hold more vectors")]
    Full,
}

impl From<Cancelled> for VectorsError {
    fn from(cancelled: Cancelled) -> Self {
        Self::Segment(cancelled.into())
    }
}

impl VectorsError {
    pub fn is_damaged(&self) -> bool {
        matches!(self, Self::Segment(error) if error.is_damaged())
    }

    pub fn is_out_of_space(&self) -> bool {
        matches!(self, Self::Segment(error) if error.is_out_of_space())
    }

    /// Returns whether the work was stopped because the caller asked for it.
    pub fn is_stopped_on_request(&self) -> bool {
        matches!(self, Self::Segment(SegmentError::Stopped))
    }
}
