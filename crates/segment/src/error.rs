//! Errors of files, by who is at fault: the disk (`Io`), the bytes (`Damaged`), a newer release
//! (`TooNew`) or the caller (the others).

use std::io;

use model::Cancelled;

pub type Result<T, E = SegmentError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    #[error("{file}: {source}")]
    Io { file: String, source: io::Error },

    #[error("{file} is damaged: {what}")]
    Damaged { file: String, what: String },

    #[error("{file} has format version {version}, this release reads up to {newest}")]
    TooNew { file: String, version: u16, newest: u16 },

    #[error("`{name}` cannot be the name of a file here")]
    BadName { name: String },

    #[error("document {doc_id} is too large to be stored: {length} bytes")]
    TooLarge { doc_id: u32, length: u64 },

    /// The caller's input contradicts itself; nothing has been written.
    #[error("{0}")]
    Inconsistent(String),

    #[error("stopped on request")]
    Stopped,
}

impl SegmentError {
    pub fn io(file: &str, source: io::Error) -> Self {
        Self::Io { file: file.to_owned(), source }
    }

    pub fn damaged(file: &str, what: impl Into<String>) -> Self {
        Self::Damaged { file: file.to_owned(), what: what.into() }
    }

    /// Returns whether the disk is full: the one write failure that leaves no uncertainty.
    pub fn is_out_of_space(&self) -> bool {
        let Self::Io { source, .. } = self else {
            return false;
        };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    pub fn is_damaged(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }
}

impl From<Cancelled> for SegmentError {
    fn from(_: Cancelled) -> Self {
        Self::Stopped
    }
}

/// One problem found by a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    pub what: String,
}

impl Problem {
    pub fn new(file: &str, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), what: what.into() }
    }
}

impl From<SegmentError> for Problem {
    /// Keeps the file and the reason apart if the error has them.
    fn from(error: SegmentError) -> Self {
        match error {
            SegmentError::Damaged { file, what } => Self { file, what },
            SegmentError::Io { file, source } => Self { file, what: source.to_string() },
            SegmentError::TooNew { ref file, .. } => {
                Self { file: file.clone(), what: error.to_string() }
            }
            other => Self { file: String::new(), what: other.to_string() },
        }
    }
}
