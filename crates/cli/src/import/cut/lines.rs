//! Cuts NDJSON: a document is a line, so a bad one affects only its line. Blank lines are skipped.

use document::Format;
use memchr::memchr;

use super::{CutDocument, CutError, Cutter, check_size};
use crate::import::source::{FilePosition, SourceReader};

#[derive(Debug)]
pub(crate) struct LineCutter {
    text: SourceReader,
}

impl LineCutter {
    pub(crate) fn new(text: SourceReader) -> Self {
        Self { text }
    }

    /// Reads a line without its end.
    fn line(&mut self, out: &mut Vec<u8>) -> Result<(), CutError> {
        let (begin, line) = (out.len(), self.text.point().line);
        loop {
            let ahead = self.text.peek()?;
            if ahead.is_empty() {
                break;
            }
            let (count, end) = match memchr(b'\n', ahead) {
                Some(end) => (end, true),
                None => (ahead.len(), false),
            };
            self.text.take(count, out)?;
            check_size(out.len() - begin, line)?;
            if end {
                self.text.skip(1)?;
                break;
            }
        }
        while out.len() > begin && out.last().is_some_and(u8::is_ascii_whitespace) {
            out.pop();
        }
        Ok(())
    }
}

impl Cutter for LineCutter {
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<CutDocument>, CutError> {
        if self.text.skip_all(|byte| byte.is_ascii_whitespace())?.is_none() {
            return Ok(None);
        }
        let line = self.text.point().line;
        self.line(out)?;
        Ok(Some(CutDocument { line, error: None }))
    }

    fn point(&self) -> FilePosition {
        self.text.point()
    }

    fn format(&self) -> Format {
        Format::Ndjson
    }
}
