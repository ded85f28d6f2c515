//! Cuts a file into documents as it is read, in each of the three forms. At most one document is
//! in memory here, however large the file is.

mod csv;
mod json;
mod lines;

use std::io;

use document::{Format, PrimaryKey};

pub(crate) use csv::CsvCutter;
pub(crate) use json::JsonCutter;
pub(crate) use lines::LineCutter;

use super::text::Point;

/// Far above what a server takes. More is no document, but a file of another form.
const MAX_DOCUMENT_BYTES: usize = 256 << 20;

/// Where a document was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Line of its first byte.
    pub(crate) line: u64,
    /// What is wrong with it, where that can be seen without reading it.
    pub(crate) fault: Option<String>,
}

/// Why nothing more can be cut from a file.
#[derive(Debug)]
pub(crate) enum Lost {
    Read(io::Error),
    /// The next document cannot be found.
    At {
        line: u64,
        reason: String,
    },
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

pub(crate) trait Cutter: Send {
    /// Puts the text of the next document at the end of `out`. None at the end of the file.
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<Cut>, Lost>;

    /// Where the last document ended.
    fn point(&self) -> Point;

    /// What makes one document a payload that can be sent.
    fn format(&self) -> Format;

    /// What goes before the documents of a payload.
    fn header(&self) -> &[u8] {
        &[]
    }

    /// Whether the document that was cut last is good and has an id, if that is cheap to see.
    fn is_surely_good(&self, _key: &PrimaryKey) -> bool {
        false
    }
}

/// Refuses what grows without end.
fn check_size(bytes: usize, line: u64) -> Result<(), Lost> {
    if bytes <= MAX_DOCUMENT_BYTES {
        return Ok(());
    }
    let limit = model::size::human_limit(MAX_DOCUMENT_BYTES as u64);
    Err(Lost::At {
        line,
        reason: format!(
            "the document that begins here has more than {limit}; is the format right? (--format)"
        ),
    })
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
