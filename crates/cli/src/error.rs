//! Errors of commands and their exit codes: 2 for usage errors, 130 or 143 after a signal, 1 for
//! everything else.

use std::io;

use outbound::OutboundError;

const EXIT_FAILURE: u8 = 1;
const EXIT_USAGE: u8 = 2;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line is invalid.
    #[error("{0}")]
    Usage(String),
    /// The error has already been printed.
    #[error("")]
    AlreadyReported,
    #[error("{0}")]
    Failed(String),
    #[error("{url} cannot be reached: {source}. Is the server running there? (--url)")]
    Unreachable { url: String, source: OutboundError },
    #[error("{message} ({code})")]
    Refused { status: u16, code: String, message: String },
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
    #[error("interrupted")]
    Interrupted { exit_code: u8 },
}

impl CliError {
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => EXIT_USAGE,
            Self::Interrupted { exit_code } => *exit_code,
            _ => EXIT_FAILURE,
        }
    }

    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// Returns the API error code if the server refused the request, else an empty string.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Refused { code, .. } => code,
            _ => "",
        }
    }

    /// Returns whether the server requires a key and none was given.
    pub(crate) fn needs_key(&self) -> bool {
        self.code() == "missing_authorization_header"
    }

    /// Returns whether the server lacks the route or has its feature switched off.
    pub(crate) fn is_missing_feature(&self) -> bool {
        match self {
            Self::Refused { status: 404 | 405, code, .. } => code.is_empty(),
            Self::Refused { code, .. } => code == "feature_not_enabled",
            _ => false,
        }
    }
}

/// Ignores a broken pipe: a reader such as `head` that stops early is no error.
pub(crate) fn ignore_broken_pipe(result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::Io { what: "the output cannot be written".to_owned(), source: error })
        }
        _ => Ok(()),
    }
}
