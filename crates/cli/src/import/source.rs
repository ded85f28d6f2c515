//! Reads the bytes of a file and tracks the position in it.

use std::io::{self, BufRead};

use memchr::memchr_iter;
use serde::{Deserialize, Serialize};

/// A position between two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FilePosition {
    /// Uncompressed bytes before it.
    pub(crate) offset: u64,
    /// Line of the next byte, from 1.
    pub(crate) line: u64,
    /// True if it is within the array of a JSON file.
    pub(crate) in_array: bool,
}

impl FilePosition {
    pub(crate) const START: FilePosition = FilePosition { offset: 0, line: 1, in_array: false };
}

pub(crate) struct SourceReader {
    reader: Box<dyn BufRead + Send>,
    point: FilePosition,
}

impl SourceReader {
    /// Wraps a reader that is at `point`.
    pub(crate) fn new(reader: Box<dyn BufRead + Send>, point: FilePosition) -> Self {
        Self { reader, point }
    }

    pub(crate) fn point(&self) -> FilePosition {
        self.point
    }

    /// Returns some of the bytes that come next; empty at the end.
    pub(crate) fn peek(&mut self) -> io::Result<&[u8]> {
        loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Called again, because the borrow checker rejects returning the first result.
                Ok(_) => return self.reader.fill_buf(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Appends this many of the peeked bytes to `out`.
    pub(crate) fn take(&mut self, count: usize, out: &mut Vec<u8>) -> io::Result<()> {
        if count > 0 {
            out.extend_from_slice(&self.peek()?[..count]);
        }
        self.skip(count)
    }

    /// Skips this many of the peeked bytes.
    pub(crate) fn skip(&mut self, count: usize) -> io::Result<()> {
        if count > 0 {
            let lines = memchr_iter(b'\n', &self.peek()?[..count]).count();
            self.reader.consume(count);
            self.point.offset += count as u64;
            self.point.line += lines as u64;
        }
        Ok(())
    }

    /// Skips the bytes that `passed` accepts and peeks at the next one; `None` at the end.
    pub(crate) fn skip_all(&mut self, passed: impl Fn(u8) -> bool) -> io::Result<Option<u8>> {
        loop {
            let ahead = self.peek()?;
            if ahead.is_empty() {
                return Ok(None);
            }
            let count = ahead.iter().position(|byte| !passed(*byte)).unwrap_or(ahead.len());
            let next = ahead.get(count).copied();
            self.skip(count)?;
            if next.is_some() {
                return Ok(next);
            }
        }
    }
}

impl std::fmt::Debug for SourceReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourceReader").field("point", &self.point).finish_non_exhaustive()
    }
}
