//! Puts documents together to batches, on a thread of its own: while one batch is on its way the
//! next ones are read and checked. A few may wait, so memory is bounded whatever the file is.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;

use serde::{Deserialize, Serialize};

use super::check::{Key, Unfit, check};
use super::cut::{Cutter, Lost};
use super::input::Form;
use super::text::Point;

#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Made smaller when the server takes less.
    pub(crate) bytes: Arc<AtomicUsize>,
    pub(crate) documents: u64,
    /// Leave out what cannot be taken in, and go on.
    pub(crate) skips_errors: bool,
}

/// What cannot be taken in, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) line: u64,
    pub(crate) column: Option<u64>,
    pub(crate) reason: String,
}

#[derive(Debug)]
pub(crate) enum Made {
    Batch(Batch),
    Skipped(Mistake),
    /// Nothing more comes.
    Stopped(Mistake),
    /// Nothing more comes, whatever is left out.
    Unusable(Mistake),
    Unreadable(std::io::Error),
    /// What the documents say their key is, once that is known.
    End(Key),
}

#[derive(Debug)]
pub(crate) struct Batch {
    /// Of the header, which each part of the batch needs.
    header_bytes: usize,
    pub(crate) body: Vec<u8>,
    pub(crate) from: Point,
    pieces: Vec<Piece>,
    /// How much of the file was read by then, as it stands on disk.
    pub(crate) position: u64,
}

/// Lines of a file, from one to another.
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

/// One document, as a rule.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// In the body.
    end: usize,
    /// In the file.
    to: Point,
    /// Where it begins.
    line: u64,
    documents: u64,
}

impl Batch {
    fn new(header: &[u8], from: Point) -> Self {
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

    pub(crate) fn to(&self) -> Point {
        self.pieces.last().map_or(self.from, |piece| piece.to)
    }

    /// Where the first and the last document begin.
    pub(crate) fn lines(&self) -> Lines {
        let line = |piece: Option<&Piece>| piece.map_or(self.from.line, |piece| piece.line);
        Lines { first: line(self.pieces.first()), last: line(self.pieces.last()) }
    }

    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Two halves; none if there is only one document.
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

/// Reads to the end of the file, or until nobody listens any more.
pub(crate) fn make(
    mut cutter: Box<dyn Cutter>,
    mut key: Key,
    form: Form,
    limits: &Limits,
    position: &AtomicU64,
    made: &SyncSender<Made>,
) {
    let header = cutter.header().to_vec();
    let mut batch = Batch::new(&header, cutter.point());
    let mut documents = 0;
    let last = loop {
        let begin = batch.body.len();
        let cut = match cutter.next(&mut batch.body) {
            Ok(Some(cut)) => cut,
            Ok(None) => break Made::End(key),
            Err(Lost::Read(error)) => {
                batch.body.truncate(begin);
                break Made::Unreadable(error);
            }
            Err(Lost::At { line, reason }) => {
                batch.body.truncate(begin);
                break Made::Unusable(Mistake { line, column: None, reason });
            }
        };
        let checked = match cut.fault {
            Some(reason) => Err(Unfit::Document { line: 1, column: None, reason }),
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
            Err(unfit) => {
                batch.body.truncate(begin);
                let (mistake, is_fatal) = mistake(unfit, cut.line, form);
                if is_fatal {
                    break Made::Unusable(mistake);
                }
                if !limits.skips_errors {
                    break Made::Stopped(mistake);
                }
                if made.send(Made::Skipped(mistake)).is_err() {
                    return;
                }
            }
        }
        let is_full = batch.body.len() >= limits.bytes.load(Ordering::Relaxed);
        if !batch.is_empty() && (is_full || documents >= limits.documents) {
            batch.position = position.load(Ordering::Relaxed);
            let next = Batch::new(&header, cutter.point());
            if made.send(Made::Batch(std::mem::replace(&mut batch, next))).is_err() {
                return;
            }
            documents = 0;
        }
    };
    if !batch.is_empty() {
        batch.position = position.load(Ordering::Relaxed);
        if made.send(Made::Batch(batch)).is_err() {
            return;
        }
    }
    // Whoever does not listen any more knows why.
    let _ = made.send(last);
}

/// And whether nothing of the file can be taken in.
fn mistake(unfit: Unfit, first_line: u64, form: Form) -> (Mistake, bool) {
    match unfit {
        Unfit::All(reason) => (Mistake { line: first_line, column: None, reason }, true),
        Unfit::Document { line, column, reason } => {
            // Columns count from where the document begins, which is not always its line.
            let column = column.filter(|_| line > 1 || form == Form::Lines);
            (Mistake { line: first_line + line - 1, column, reason }, false)
        }
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
