//! What can go wrong with an index. Failures of files come from `segment` and keep their words;
//! the others are about the state the index is in.

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

    /// A write failed in a way that leaves open what is on the disk. Reading goes on.
    #[error("writes to this index are stopped until it is opened again: {reason}")]
    WritesStopped { reason: String },

    /// The writer met an error before; what it holds is no longer complete.
    #[error("the changes were given up after an earlier error")]
    Abandoned,

    #[error("the index cannot hold more documents")]
    Full,

    /// Vectors that a store cannot take.
    #[error(transparent)]
    Vectors(VectorsError),

    /// The index has no embedder of this name.
    #[error("there is no embedder `{name}`")]
    NoEmbedder { name: String },

    /// A document cannot be indexed for where it is.
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

impl IndexError {
    /// The disk is full; nothing was changed and the index stays usable.
    pub fn is_out_of_space(&self) -> bool {
        matches!(self, Self::Segment(error) if error.is_out_of_space())
    }

    pub fn is_damaged(&self) -> bool {
        matches!(self, Self::Segment(error) if error.is_damaged())
    }

    /// A merge or compaction gave up because it was asked to.
    pub fn is_stopped_on_request(&self) -> bool {
        matches!(self, Self::Segment(SegmentError::Stopped))
    }

    /// Whether this failure says that the disk cannot be relied on: everything the system
    /// reports about a file being changed, other than a lack of space.
    pub(crate) fn puts_disk_in_doubt(&self) -> bool {
        matches!(self, Self::Segment(error @ SegmentError::Io { .. }) if !error.is_out_of_space())
    }
}

/// Why a document is refused; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GeoError(pub(crate) String);
