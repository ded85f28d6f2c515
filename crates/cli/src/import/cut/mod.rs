//! Cuts a file in one of the three formats into documents while it is read. At most one document is
//! in memory, however large the file is.

mod csv;
mod json;
mod lines;

use std::io;

use document::{Format, PrimaryKey};

pub(crate) use csv::CsvCutter;
pub(crate) use json::JsonCutter;
pub(crate) use lines::LineCutter;

use super::source::FilePosition;

/// Far above what a server accepts; anything longer means that the format is wrong.
const MAX_DOCUMENT_BYTES: usize = 256 << 20;

/// A document that was cut from a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CutDocument {
    /// Line of its first byte.
    pub(crate) line: u64,
    /// An error that is visible without parsing the document.
    pub(crate) error: Option<String>,
}

/// Why the rest of a file cannot be cut.
#[derive(Debug)]
pub(crate) enum CutError {
    Read(io::Error),
    /// The next document cannot be found.
    At {
        line: u64,
        reason: String,
    },
}

impl From<io::Error> for CutError {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

pub(crate) trait Cutter: Send {
    /// Appends the text of the next document to `out`; returns `None` at the end of the file.
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<CutDocument>, CutError>;

    /// Returns the position after the last document.
    fn point(&self) -> FilePosition;

    /// Returns the payload format of a single document.
    fn format(&self) -> Format;

    /// Returns what a payload starts with, before its documents.
    fn header(&self) -> &[u8] {
        &[]
    }

    /// Returns whether the last document is certainly valid and has an id, if that is cheap to
    /// check.
    fn is_surely_good(&self, _key: &PrimaryKey) -> bool {
        false
    }
}

/// Refuses documents beyond the size limit.
fn check_size(bytes: usize, line: u64) -> Result<(), CutError> {
    if bytes <= MAX_DOCUMENT_BYTES {
        return Ok(());
    }
    let limit = model::size::human_limit(MAX_DOCUMENT_BYTES as u64);
    Err(CutError::At {
        line,
        reason: format!(
            "the document that starts here exceeds {limit}; is the format right? (--format)"
        ),
    })
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
