//! How far the server has taken a file, kept after each batch: what an import needs to go on
//! after an interruption, and to tell where in the file a task has its documents from.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::arguments::Wanted;
use super::batch::Lines;
use super::input::{Form, Input};
use super::text::Point;
use crate::error::CliError;
use crate::state::StateFile;

const FOLDER: &str = "imports";
const VERSION: u32 = 1;

/// Documents that went in one request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Parcel {
    pub(crate) task: u64,
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) lines: Lines,
    pub(crate) documents: u64,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    parcel: Parcel,
    /// Documents that were left out by then.
    skipped: u64,
}

#[derive(Debug)]
pub(crate) struct Bookmark {
    parcels: Vec<Parcel>,
    documents: u64,
    skipped: u64,
    file: Option<StateFile>,
    /// Documents that an earlier run sent.
    pub(crate) sent_before: u64,
}

impl Bookmark {
    /// The one that an earlier run left for the same file, server, index and options.
    pub(crate) fn find(input: &Input, wanted: &Wanted, url: &str) -> Result<Self, CliError> {
        let name = input.identity()?.map(|identity| key(identity, input.form, wanted, url));
        let file = name.and_then(|name| StateFile::new(FOLDER, name));
        let mut entries: Vec<Entry> = match &file {
            Some(file) if !wanted.restarts => file.read_lines(),
            _ => Vec::new(),
        };
        // A line that was not finished goes; without the file nothing is kept, and nothing lost.
        let file = file.filter(|file| file.write_lines(&entries).is_ok());
        let skipped = entries.last().map_or(0, |entry| entry.skipped);
        let parcels: Vec<Parcel> = entries.drain(..).map(|entry| entry.parcel).collect();
        let documents = parcels.iter().map(|parcel| parcel.documents).sum();
        Ok(Self { parcels, documents, skipped, file, sent_before: documents })
    }

    pub(crate) fn point(&self) -> Point {
        self.parcels.last().map_or(Point::START, |parcel| parcel.to)
    }

    pub(crate) fn is_resumed(&self) -> bool {
        !self.parcels.is_empty()
    }

    /// Whether a later run can go on from here.
    pub(crate) fn is_kept(&self) -> bool {
        self.file.is_some()
    }

    pub(crate) fn parcels(&self) -> &[Parcel] {
        &self.parcels
    }

    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Kept with the next batch.
    pub(crate) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// The server has taken everything up to the end of the parcel.
    pub(crate) fn advance(&mut self, parcel: Parcel) {
        self.documents += parcel.documents;
        let entry = Entry { parcel, skipped: self.skipped };
        // Where it cannot be written the import goes on; only its interruption would cost more.
        if self.file.as_ref().is_some_and(|file| file.append(&entry).is_err()) {
            self.file = None;
        }
        self.parcels.push(entry.parcel);
    }

    pub(crate) fn remove(&self) {
        if let Some(file) = &self.file {
            file.remove();
        }
    }
}

/// Everything that makes another import of it.
fn key(identity: u64, form: Form, wanted: &Wanted, url: &str) -> u64 {
    let Wanted { index, primary_key, updates, .. } = wanted;
    let text =
        format!("{VERSION}\n{identity:x}\n{url}\n{index}\n{form:?}\n{primary_key:?}\n{updates}");
    xxh3_64(text.as_bytes())
}
