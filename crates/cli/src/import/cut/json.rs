//! Cuts JSON: an array of documents, or documents one after another. It finds where each ends and
//! does not validate their content.

use document::Format;
use json::ValueEnd;

use super::{CutDocument, CutError, Cutter, check_size};
use crate::import::source::{FilePosition, SourceReader};

#[derive(Debug)]
pub(crate) struct JsonCutter {
    text: SourceReader,
    state: ArrayState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayState {
    Begin,
    /// After the opening bracket of the array.
    First,
    /// After a comma of the array.
    Next,
    /// After a document of the array.
    After,
    /// Between documents outside an array.
    Loose,
    End,
}

impl JsonCutter {
    pub(crate) fn new(text: SourceReader) -> Self {
        Self { text, state: ArrayState::Begin }
    }

    /// Continues after a document.
    pub(crate) fn resume(text: SourceReader) -> Self {
        let state = if text.point().in_array { ArrayState::After } else { ArrayState::Loose };
        Self { text, state }
    }

    fn error<T>(&self, reason: &str) -> Result<T, CutError> {
        Err(CutError::At { line: self.text.point().line, reason: reason.to_owned() })
    }

    fn value(&mut self, first: u8, out: &mut Vec<u8>) -> Result<CutDocument, CutError> {
        let (begin, line) = (out.len(), self.text.point().line);
        match first {
            b'{' | b'[' | b'"' => self.nested(out, begin, line)?,
            b'}' | b']' | b',' | b':' => {
                return self.error(&format!("expected a document, found `{}`", char::from(first)));
            }
            _ => self.bare(out, begin, line)?,
        }
        self.state =
            if self.state == ArrayState::Loose { ArrayState::Loose } else { ArrayState::After };
        let found = match first {
            b'{' => None,
            b'[' => Some("an array"),
            b'"' => Some("a string"),
            _ => Some("a bare value"),
        };
        Ok(CutDocument {
            line,
            error: found.map(|found| format!("expected an object, found {found}")),
        })
    }

    fn nested(&mut self, out: &mut Vec<u8>, begin: usize, line: u64) -> Result<(), CutError> {
        let mut end = ValueEnd::default();
        loop {
            let ahead = self.text.peek()?;
            if ahead.is_empty() {
                let reason = "the document that starts here is incomplete".to_owned();
                return Err(CutError::At { line, reason });
            }
            let (count, is_whole) = end.feed(ahead);
            self.text.take(count, out)?;
            if is_whole {
                return Ok(());
            }
            check_size(out.len() - begin, line)?;
        }
    }

    /// Reads a number or a literal; neither is a document.
    fn bare(&mut self, out: &mut Vec<u8>, begin: usize, line: u64) -> Result<(), CutError> {
        let ends =
            |byte: u8| matches!(byte, b',' | b']' | b'{' | b'[') || byte.is_ascii_whitespace();
        loop {
            let ahead = self.text.peek()?;
            let end = ahead.iter().position(|byte| ends(*byte));
            let count = end.unwrap_or(ahead.len());
            self.text.take(count, out)?;
            if end.is_some() || count == 0 {
                return Ok(());
            }
            check_size(out.len() - begin, line)?;
        }
    }
}

impl Cutter for JsonCutter {
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<CutDocument>, CutError> {
        loop {
            let next = self.text.skip_all(|byte| byte.is_ascii_whitespace())?;
            self.state = match (self.state, next) {
                (ArrayState::Begin | ArrayState::Loose | ArrayState::End, None) => return Ok(None),
                (ArrayState::First | ArrayState::Next | ArrayState::After, None) => {
                    return self.error("the file ends before its array does");
                }
                (ArrayState::Begin, Some(b'[')) => ArrayState::First,
                (ArrayState::Begin, Some(_)) => {
                    self.state = ArrayState::Loose;
                    continue;
                }
                (ArrayState::First | ArrayState::After, Some(b']')) => ArrayState::End,
                (ArrayState::After, Some(b',')) => ArrayState::Next,
                (ArrayState::After, Some(_)) => {
                    return self.error("expected `,` or `]` behind a document");
                }
                (ArrayState::End, Some(_)) => {
                    return self.error("expected nothing behind the array");
                }
                (ArrayState::First | ArrayState::Next | ArrayState::Loose, Some(first)) => {
                    return self.value(first, out).map(Some);
                }
            };
            self.text.skip(1)?;
        }
    }

    fn point(&self) -> FilePosition {
        let in_array =
            matches!(self.state, ArrayState::First | ArrayState::Next | ArrayState::After);
        FilePosition { in_array, ..self.text.point() }
    }

    fn format(&self) -> Format {
        Format::Ndjson
    }
}
