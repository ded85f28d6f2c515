//! NDJSON: a document is a line, so that a bad one is one line and no more. Blank lines are none.

use document::Format;
use memchr::memchr;

use super::{Cut, Cutter, Lost, check_size};
use crate::import::text::{Point, Text};

#[derive(Debug)]
pub(crate) struct LineCutter {
    text: Text,
}

impl LineCutter {
    pub(crate) fn new(text: Text) -> Self {
        Self { text }
    }

    /// Without its end.
    fn line(&mut self, out: &mut Vec<u8>) -> Result<(), Lost> {
        let (begin, line) = (out.len(), self.text.point().line);
        loop {
            let ahead = self.text.look()?;
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
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<Cut>, Lost> {
        if self.text.skip_all(|byte| byte.is_ascii_whitespace())?.is_none() {
            return Ok(None);
        }
        let line = self.text.point().line;
        self.line(out)?;
        Ok(Some(Cut { line, fault: None }))
    }

    fn point(&self) -> Point {
        self.text.point()
    }

    fn format(&self) -> Format {
        Format::Ndjson
    }
}
