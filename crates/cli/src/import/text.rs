//! The bytes of a file as they are read, with the place in it.

use std::io::{self, BufRead};

use memchr::memchr_iter;
use serde::{Deserialize, Serialize};

/// A place between two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Bytes before it, as they are without compression.
    pub(crate) offset: u64,
    /// Line of what comes next, from 1.
    pub(crate) line: u64,
    /// Within the array of a JSON file.
    pub(crate) in_array: bool,
}

impl Point {
    pub(crate) const START: Point = Point { offset: 0, line: 1, in_array: false };
}

pub(crate) struct Text {
    reader: Box<dyn BufRead + Send>,
    point: Point,
}

impl Text {
    /// The reader stands at the point.
    pub(crate) fn new(reader: Box<dyn BufRead + Send>, point: Point) -> Self {
        Self { reader, point }
    }

    pub(crate) fn point(&self) -> Point {
        self.point
    }

    /// Some of what comes next; nothing at the end.
    pub(crate) fn look(&mut self) -> io::Result<&[u8]> {
        loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Asked again, because the compiler cannot see that the first answer was dropped.
                Ok(_) => return self.reader.fill_buf(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes so many bytes of what was looked at.
    pub(crate) fn take(&mut self, count: usize, out: &mut Vec<u8>) -> io::Result<()> {
        if count > 0 {
            out.extend_from_slice(&self.look()?[..count]);
        }
        self.skip(count)
    }

    /// Passes over so many bytes of what was looked at.
    pub(crate) fn skip(&mut self, count: usize) -> io::Result<()> {
        if count > 0 {
            let lines = memchr_iter(b'\n', &self.look()?[..count]).count();
            self.reader.consume(count);
            self.point.offset += count as u64;
            self.point.line += lines as u64;
        }
        Ok(())
    }

    /// The next byte that none of these is, left where it is. None at the end.
    pub(crate) fn skip_all(&mut self, passed: impl Fn(u8) -> bool) -> io::Result<Option<u8>> {
        loop {
            let ahead = self.look()?;
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

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text").field("point", &self.point).finish_non_exhaustive()
    }
}
