//! Errors of an index: those of files come unchanged from `segment`, the others are about its
//! state.

use model::Cancelled;
use segment::SegmentError;
use vectors::VectorsError;

pub type Result<T, E = IndexError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(transparent)]
    Segment(#[from] SegmentError),

    #[error("there is no index in this folder")]
    Missing,

    #[error("there is already an index in this folder")]
    AlreadyExists,

    /// A write failed and the contents of the disk are uncertain. Reading continues.
    #[error("writes to this index are stopped until it is opened again: {reason}")]
    WritesStopped { reason: String },

    /// An earlier error of the writer made its changes incomplete.
    #[error("the changes were given up after an earlier error")]
    Abandoned,

    #[error("the index cannot hold more documents")]
    Full,

    /// Vectors that a store rejects.
    #[error(transparent)]
    Vectors(VectorsError),

    /// The index has no embedder of this name.
    #[error("there is no embedder `{name}`")]
    NoEmbedder { name: String },

    /// A document has an invalid location.
    #[error(transparent)]
    Geo(#[from] GeoError),
}

impl From<VectorsError> for IndexError {
    fn from(error: VectorsError) -> Self {
        match error {
            VectorsError::Segment(error) => Self::Segment(error),
            error => Self::Vectors(error),
        }
    }
}

impl From<Cancelled> for IndexError {
    fn from(cancelled: Cancelled) -> Self {
        Self::Segment(cancelled.into())
    }
}

impl IndexError {
    /// Returns whether the disk is full; nothing was changed and the index stays usable.
    pub fn is_out_of_space(&self) -> bool {
        matches!(self, Self::Segment(error) if error.is_out_of_space())
    }

    pub fn is_damaged(&self) -> bool {
        matches!(self, Self::Segment(error) if error.is_damaged())
    }

    /// Returns whether a merge or compaction stopped because it was asked to.
    pub fn is_stopped_on_request(&self) -> bool {
        matches!(self, Self::Segment(SegmentError::Stopped))
    }

    /// Returns whether this error means that the disk is unreliable: any system error while
    /// changing a file, other than a lack of space.
    pub(crate) fn puts_disk_in_doubt(&self) -> bool {
        matches!(self, Self::Segment(error @ SegmentError::Io { .. }) if !error.is_out_of_space())
    }
}

/// Reason why a document is rejected, in words for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GeoError(pub(crate) String);
