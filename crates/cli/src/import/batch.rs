//! Groups documents into batches on a separate thread: while one batch is sent, the next are read
//! and checked. The channel is bounded, so memory is too, whatever the file size.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;

use serde::{Deserialize, Serialize};

use super::check::{CheckError, Key, check};
use super::cut::{CutError, Cutter};
use super::input::FileFormat;
use super::source::FilePosition;

#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Reduced when the server refuses a body as too large.
    pub(crate) bytes: Arc<AtomicUsize>,
    pub(crate) documents: u64,
    /// True if invalid documents are skipped instead of stopping the import.
    pub(crate) skips_errors: bool,
}

/// An invalid document and its position in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineError {
    pub(crate) line: u64,
    pub(crate) column: Option<u64>,
    pub(crate) reason: String,
}

#[derive(Debug)]
pub(crate) enum BatchEvent {
    Batch(Batch),
    Skipped(LineError),
    /// The import stops at an invalid document; the last event.
    Stopped(LineError),
    /// The rest of the file cannot be read as documents; the last event.
    Unusable(LineError),
    Unreadable(std::io::Error),
    /// The end of the file, with the primary key if the documents determined it.
    End(Key),
}

#[derive(Debug)]
pub(crate) struct Batch {
    /// Length of the CSV header that every body starts with.
    header_bytes: usize,
    pub(crate) body: Vec<u8>,
    pub(crate) from: FilePosition,
    pieces: Vec<Piece>,
    /// Bytes of the file on disk that were read up to the end of the batch.
    pub(crate) position: u64,
}

/// A range of lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lines {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lines { first, last } = self;
        if first == last { write!(f, "{first}") } else { write!(f, "{first}-{last}") }
    }
}

/// A piece of a batch: usually one document.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// End of the piece in the body.
    end: usize,
    /// End of the piece in the file.
    to: FilePosition,
    /// Line on which it begins.
    line: u64,
    documents: u64,
}

impl Batch {
    fn new(header: &[u8], from: FilePosition) -> Self {
        Self {
            header_bytes: header.len(),
            body: header.to_vec(),
            from,
            pieces: Vec::new(),
            position: 0,
        }
    }

    pub(crate) fn documents(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.documents).sum()
    }

    pub(crate) fn to(&self) -> FilePosition {
        self.pieces.last().map_or(self.from, |piece| piece.to)
    }

    /// Returns the lines on which the first and the last document begin.
    pub(crate) fn lines(&self) -> Lines {
        let line = |piece: Option<&Piece>| piece.map_or(self.from.line, |piece| piece.line);
        Lines { first: line(self.pieces.first()), last: line(self.pieces.last()) }
    }

    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Splits the batch into two halves; returns it unchanged if it has only one document.
    pub(crate) fn split(self) -> Result<[Batch; 2], Batch> {
        if self.pieces.len() < 2 {
            return Err(self);
        }
        let middle = self.pieces.len() / 2;
        let cut = self.pieces[middle - 1];
        let header = &self.body[..self.header_bytes];
        let mut second = Batch::new(header, cut.to);
        second.body.extend_from_slice(&self.body[cut.end..]);
        let moved = cut.end - self.header_bytes;
        let pieces = self.pieces[middle..].iter();
        second.pieces = pieces.map(|piece| Piece { end: piece.end - moved, ..*piece }).collect();
        second.position = self.position;
        let mut first = self;
        first.body.truncate(cut.end);
        first.pieces.truncate(middle);
        Ok([first, second])
    }
}

/// Reads to the end of the file, or until the receiver is dropped.
pub(crate) fn make_batches(
    mut cutter: Box<dyn Cutter>,
    mut key: Key,
    format: FileFormat,
    limits: &Limits,
    position: &AtomicU64,
    events: &SyncSender<BatchEvent>,
) {
    let header = cutter.header().to_vec();
    let mut batch = Batch::new(&header, cutter.point());
    let mut documents = 0;
    let last = loop {
        let begin = batch.body.len();
        let cut = match cutter.next(&mut batch.body) {
            Ok(Some(cut)) => cut,
            Ok(None) => break BatchEvent::End(key),
            Err(CutError::Read(error)) => {
                batch.body.truncate(begin);
                break BatchEvent::Unreadable(error);
            }
            Err(CutError::At { line, reason }) => {
                batch.body.truncate(begin);
                break BatchEvent::Unusable(LineError { line, column: None, reason });
            }
        };
        let checked = match cut.error {
            Some(reason) => Err(CheckError::Document { line: 1, column: None, reason }),
            None => check(&mut key, &*cutter, &batch.body[begin..]),
        };
        match checked {
            Ok(count) => {
                if batch.body.last() != Some(&b'\n') {
                    batch.body.push(b'\n');
                }
                let (end, to, line) = (batch.body.len(), cutter.point(), cut.line);
                batch.pieces.push(Piece { end, to, line, documents: count });
                documents += count;
            }
            Err(error) => {
                batch.body.truncate(begin);
                let (error, is_fatal) = line_error(error, cut.line, format);
                if is_fatal {
                    break BatchEvent::Unusable(error);
                }
                if !limits.skips_errors {
                    break BatchEvent::Stopped(error);
                }
                if events.send(BatchEvent::Skipped(error)).is_err() {
                    return;
                }
            }
        }
        let is_full = batch.body.len() >= limits.bytes.load(Ordering::Relaxed);
        if !batch.is_empty() && (is_full || documents >= limits.documents) {
            batch.position = position.load(Ordering::Relaxed);
            let next = Batch::new(&header, cutter.point());
            if events.send(BatchEvent::Batch(std::mem::replace(&mut batch, next))).is_err() {
                return;
            }
            documents = 0;
        }
    };
    if !batch.is_empty() {
        batch.position = position.load(Ordering::Relaxed);
        if events.send(BatchEvent::Batch(batch)).is_err() {
            return;
        }
    }
    // The receiver may be gone.
    let _ = events.send(last);
}

/// Positions an error in the file, and tells whether it concerns the whole file.
fn line_error(error: CheckError, first_line: u64, format: FileFormat) -> (LineError, bool) {
    match error {
        CheckError::All(reason) => (LineError { line: first_line, column: None, reason }, true),
        CheckError::Document { line, column, reason } => {
            // Columns count from the start of the document, which may not be the start of its line.
            let column = column.filter(|_| line > 1 || format == FileFormat::Lines);
            (LineError { line: first_line + line - 1, column, reason }, false)
        }
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
