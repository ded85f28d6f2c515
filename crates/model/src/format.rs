//! The three payload formats. Stored with tasks, so the serialised form is part of the disk format.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// One object, or an array of objects.
    Json,
    /// Objects with only whitespace, or nothing, between them.
    Ndjson,
    /// A header and records of the same width.
    Csv { delimiter: u8 },
}

impl Format {
    /// Returns the name used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Ndjson => "ndjson",
            Format::Csv { .. } => "csv",
        }
    }
}
