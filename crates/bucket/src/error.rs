//! Errors of uploads, and who is to blame.

use model::Cancelled;
use outbound::OutboundError;

#[derive(Debug, Clone, thiserror::Error)]
pub enum BucketError {
    /// The options make no sense; nothing was sent.
    #[error("{0}")]
    Parameters(String),
    /// The server refuses the request; a retry is useless.
    #[error("the storage refused the request with status {status}: {message}")]
    Refused { status: u16, message: String },
    /// The server failed several times.
    #[error("the storage failed with status {status}: {message}")]
    Failed { status: u16, message: String },
    #[error("the answer of the storage cannot be read: {0}")]
    Unreadable(String),
    #[error("the storage cannot be reached: {0}")]
    Unreachable(OutboundError),
    #[error("the upload was stopped")]
    Stopped,
}

impl From<Cancelled> for BucketError {
    fn from(_: Cancelled) -> Self {
        Self::Stopped
    }
}

impl BucketError {
    pub(crate) fn of_call(error: OutboundError) -> Self {
        match error {
            OutboundError::Stopped => Self::Stopped,
            OutboundError::BadUrl(_)
            | OutboundError::Scheme(_)
            | OutboundError::Rejected(_)
            | OutboundError::RejectedName(_) => Self::Parameters(error.to_string()),
            _ => Self::Unreachable(error),
        }
    }

    /// Returns whether the same request may succeed later.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Failed { .. } => true,
            Self::Unreachable(error) => error.is_transient(),
            Self::Refused { status, .. } => matches!(status, 408 | 429),
            Self::Parameters(_) | Self::Unreadable(_) | Self::Stopped => false,
        }
    }
}
