//! Import checkpoints: how much of a file the server has accepted, stored after each batch. They
//! let an interrupted import resume, and map tasks back to lines of the file.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::arguments::ImportArgs;
use super::batch::Lines;
use super::input::{FileFormat, Input};
use super::source::FilePosition;
use crate::error::CliError;
use crate::state::StateFile;

const FOLDER: &str = "imports";
const VERSION: u32 = 1;

/// A batch that the server has accepted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SentBatch {
    pub(crate) task: u64,
    pub(crate) from: FilePosition,
    pub(crate) to: FilePosition,
    pub(crate) lines: Lines,
    pub(crate) documents: u64,
}

/// A line of the checkpoint file.
#[derive(Debug, Serialize, Deserialize)]
struct CheckpointLine {
    #[serde(rename = "parcel")]
    batch: SentBatch,
    /// Documents skipped so far.
    skipped: u64,
}

#[derive(Debug)]
pub(crate) struct Checkpoint {
    batches: Vec<SentBatch>,
    documents: u64,
    skipped: u64,
    file: Option<StateFile>,
    /// Documents sent by an earlier run.
    pub(crate) sent_before: u64,
}

impl Checkpoint {
    /// Reads the checkpoint that an earlier run left for the same file, server, index and options.
    pub(crate) fn find(input: &Input, args: &ImportArgs, url: &str) -> Result<Self, CliError> {
        let name = input.identity()?.map(|identity| key(identity, input.format, args, url));
        let file = name.and_then(|name| StateFile::new(FOLDER, name));
        let mut entries: Vec<CheckpointLine> = match &file {
            Some(file) if !args.restarts => file.read_lines(),
            _ => Vec::new(),
        };
        // Drops an incomplete last line. If the file cannot be written, the import runs without
        // checkpoints.
        let file = file.filter(|file| file.write_lines(&entries).is_ok());
        let skipped = entries.last().map_or(0, |entry| entry.skipped);
        let batches: Vec<SentBatch> = entries.drain(..).map(|entry| entry.batch).collect();
        let documents = batches.iter().map(|batch| batch.documents).sum();
        Ok(Self { batches, documents, skipped, file, sent_before: documents })
    }

    pub(crate) fn point(&self) -> FilePosition {
        self.batches.last().map_or(FilePosition::START, |batch| batch.to)
    }

    pub(crate) fn is_resumed(&self) -> bool {
        !self.batches.is_empty()
    }

    /// Returns whether a later run can resume from here.
    pub(crate) fn is_kept(&self) -> bool {
        self.file.is_some()
    }

    pub(crate) fn batches(&self) -> &[SentBatch] {
        &self.batches
    }

    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Counts a skipped document; stored with the next batch.
    pub(crate) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Records that the server has accepted everything up to the end of this batch.
    pub(crate) fn advance(&mut self, batch: SentBatch) {
        self.documents += batch.documents;
        let entry = CheckpointLine { batch, skipped: self.skipped };
        // If this cannot be written the import goes on; only an interruption would cost more.
        if self.file.as_ref().is_some_and(|file| file.append(&entry).is_err()) {
            self.file = None;
        }
        self.batches.push(entry.batch);
    }

    pub(crate) fn remove(&self) {
        if let Some(file) = &self.file {
            file.remove();
        }
    }
}

/// Hashes everything that distinguishes this import from others.
fn key(identity: u64, format: FileFormat, args: &ImportArgs, url: &str) -> u64 {
    let ImportArgs { index, primary_key, updates, .. } = args;
    let text =
        format!("{VERSION}\n{identity:x}\n{url}\n{index}\n{format:?}\n{primary_key:?}\n{updates}");
    xxh3_64(text.as_bytes())
}
