//! Errors of writing and reading dumps. Every message names the file, and the entry if there is
//! one.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },

    #[error("{} is damaged or no dump: {what}", path.display())]
    Damaged { path: PathBuf, what: String },

    #[error("{} is refused: its entry `{entry}` {what}", path.display())]
    Entry { path: PathBuf, entry: String, what: String },

    #[error("{} is refused: {what}", path.display())]
    Refused { path: PathBuf, what: String },
}

impl DumpError {
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    pub fn entry(path: &Path, entry: &str, what: impl Into<String>) -> Self {
        Self::Entry { path: path.to_owned(), entry: entry.to_owned(), what: what.into() }
    }

    pub fn refused(path: &Path, what: impl Into<String>) -> Self {
        Self::Refused { path: path.to_owned(), what: what.into() }
    }

    /// Returns the error for a failed read: of the disk, or because the data is invalid. `entry` is
    /// empty between entries.
    pub(crate) fn reading(path: &Path, entry: &str, source: io::Error) -> Self {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        if !matches!(source.kind(), InvalidData | InvalidInput | UnexpectedEof) {
            return Self::io(path, source);
        }
        let what = match source.kind() {
            UnexpectedEof => "it ends too early".to_owned(),
            _ => source.to_string(),
        };
        match entry {
            "" => Self::Damaged { path: path.to_owned(), what },
            entry => Self::entry(path, entry, format!("cannot be read: {what}")),
        }
    }

    /// Returns the I/O error behind it, if there is one.
    pub fn as_io(&self) -> Option<&io::Error> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
