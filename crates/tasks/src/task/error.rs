//! Errors of the queue itself, and who is to blame. Errors of the work done for a task are part of
//! the task instead.

use std::io;
use std::path::PathBuf;

use model::{Code, ServiceError};

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The disk or the database refused.
    #[error("the task database cannot be used: {0}")]
    Storage(#[from] Box<redb::Error>),
    #[error("the payload file `{path}` cannot be used: {source}")]
    Payload { path: PathBuf, source: io::Error },
    /// Bytes that this program did not write, or that changed since.
    #[error("the task database is damaged: {what}")]
    Damaged { what: String },
    #[error("the task database has format version {found}; this program reads version {known}")]
    UnknownFormat { found: u32, known: u32 },
    /// An earlier write failed; the state of the disk is unknown.
    #[error("no further write is accepted until the service is restarted: {cause}")]
    WritesStopped { cause: String, code: Code },
    /// The contract fixes the wording.
    #[error(
        "Sonde cannot receive write operations because the limit of the task database has \
         been reached. Please delete tasks to continue performing write operations."
    )]
    StoreFull,
    /// Nothing was written.
    #[error(
        "No write is accepted while the disk is full. Free some space, or delete indexes, \
         documents or tasks."
    )]
    NoRoom,
    #[error("the task queue is shutting down")]
    Closed,
    /// An error already worded for the user.
    #[error("{0}")]
    Refused(ServiceError),
}

impl QueueError {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        QueueError::Damaged { what: what.into() }
    }

    /// Returns the error code shown to the user.
    pub fn code(&self) -> Code {
        match self {
            QueueError::Storage(error) => code_of_storage(error),
            QueueError::Payload { source, .. } => ServiceError::from_io(source).code,
            QueueError::WritesStopped { code, .. } => *code,
            QueueError::StoreFull | QueueError::NoRoom => Code::NoSpaceLeftOnDevice,
            QueueError::Refused(error) => error.code,
            QueueError::Damaged { .. } | QueueError::UnknownFormat { .. } | QueueError::Closed => {
                Code::Internal
            }
        }
    }
}

fn code_of_storage(error: &redb::Error) -> Code {
    match error {
        redb::Error::Io(source) => ServiceError::from_io(source).code,
        redb::Error::PreviousIo => Code::IoError,
        _ => Code::Internal,
    }
}

impl From<QueueError> for ServiceError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Refused(refusal) => refusal,
            other => ServiceError::new(other.code(), other.to_string()),
        }
    }
}

macro_rules! from_redb {
    ($($error:ty),*) => {
        $(impl From<$error> for QueueError {
            fn from(error: $error) -> Self {
                QueueError::Storage(Box::new(error.into()))
            }
        })*
    };
}

from_redb!(
    redb::Error,
    redb::StorageError,
    redb::TableError,
    redb::TransactionError,
    redb::CommitError
);
