//! Why a command could not do what it was asked, and the exit code that says whose fault it is:
//! 2 for the command line, 130 or 143 after a signal, 1 for the rest.

use std::io;

use outbound::OutboundError;

const EXIT_FAILURE: u8 = 1;
const EXIT_USAGE: u8 = 2;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line asks for what cannot be.
    #[error("{0}")]
    Usage(String),
    /// Everything was said already.
    #[error("")]
    Told,
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

    /// The code of the interface, where the server refused something.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Refused { code, .. } => code,
            _ => "",
        }
    }

    /// Whether nothing can be done without a key, and none was given.
    pub(crate) fn wants_key(&self) -> bool {
        self.code() == "missing_authorization_header"
    }

    /// Whether the server has no such route, or it is switched off there.
    pub(crate) fn is_lack_of_feature(&self) -> bool {
        match self {
            Self::Refused { status: 404 | 405, code, .. } => code.is_empty(),
            Self::Refused { code, .. } => code == "feature_not_enabled",
            _ => false,
        }
    }
}

/// A reader that went away, such as `head`, has seen what it wanted.
pub(crate) fn written(result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::Io { what: "the output cannot be written".to_owned(), source: error })
        }
        _ => Ok(()),
    }
}
