//! JSON: an array of documents, or documents one after another. Brackets and quotes are counted
//! to find where each ends; whether it is JSON inside is not looked at.

use document::Format;
use memchr::memchr2;

use super::{Cut, Cutter, Lost, check_size};
use crate::import::text::{Point, Text};

#[derive(Debug)]
pub(crate) struct JsonCutter {
    text: Text,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Begin,
    /// Behind the bracket of the array.
    First,
    /// Behind a comma of the array.
    Next,
    /// Behind a document of the array.
    After,
    /// Between documents that stand in no array.
    Loose,
    End,
}

/// How far brackets and quotes are open.
#[derive(Debug, Default)]
struct Nesting {
    depth: u32,
    in_text: bool,
    is_escaped: bool,
}

impl Nesting {
    /// How many of the bytes belong to the value, and whether it ends with them.
    fn follow(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut place = 0;
        while let Some(&byte) = bytes.get(place) {
            if self.is_escaped {
                self.is_escaped = false;
                place += 1;
                continue;
            }
            if self.in_text {
                let Some(found) = memchr2(b'"', b'\\', &bytes[place..]) else { break };
                place += found + 1;
                self.is_escaped = bytes[place - 1] == b'\\';
                self.in_text = self.is_escaped;
            } else {
                place += 1;
                match byte {
                    b'"' => self.in_text = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
            if self.depth == 0 && !self.in_text {
                return (place, true);
            }
        }
        (bytes.len(), false)
    }
}

impl JsonCutter {
    pub(crate) fn new(text: Text) -> Self {
        Self { text, state: State::Begin }
    }

    /// Goes on behind a document.
    pub(crate) fn resume(text: Text) -> Self {
        let state = if text.point().in_array { State::After } else { State::Loose };
        Self { text, state }
    }

    fn lost<T>(&self, reason: &str) -> Result<T, Lost> {
        Err(Lost::At { line: self.text.point().line, reason: reason.to_owned() })
    }

    fn value(&mut self, first: u8, out: &mut Vec<u8>) -> Result<Cut, Lost> {
        let (begin, line) = (out.len(), self.text.point().line);
        match first {
            b'{' | b'[' | b'"' => self.nested(out, begin, line)?,
            b'}' | b']' | b',' | b':' => {
                return self.lost(&format!("expected a document, found `{}`", char::from(first)));
            }
            _ => self.bare(out, begin, line)?,
        }
        self.state = if self.state == State::Loose { State::Loose } else { State::After };
        let found = match first {
            b'{' => None,
            b'[' => Some("an array"),
            b'"' => Some("a string"),
            _ => Some("a bare value"),
        };
        Ok(Cut { line, fault: found.map(|found| format!("expected an object, found {found}")) })
    }

    fn nested(&mut self, out: &mut Vec<u8>, begin: usize, line: u64) -> Result<(), Lost> {
        let mut nesting = Nesting::default();
        loop {
            let ahead = self.text.look()?;
            if ahead.is_empty() {
                let reason = "the document that begins here does not end".to_owned();
                return Err(Lost::At { line, reason });
            }
            let (count, is_whole) = nesting.follow(ahead);
            self.text.take(count, out)?;
            if is_whole {
                return Ok(());
            }
            check_size(out.len() - begin, line)?;
        }
    }

    /// A number, or a word that should not be there.
    fn bare(&mut self, out: &mut Vec<u8>, begin: usize, line: u64) -> Result<(), Lost> {
        let ends =
            |byte: u8| matches!(byte, b',' | b']' | b'{' | b'[') || byte.is_ascii_whitespace();
        loop {
            let ahead = self.text.look()?;
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
    fn next(&mut self, out: &mut Vec<u8>) -> Result<Option<Cut>, Lost> {
        loop {
            let next = self.text.skip_all(|byte| byte.is_ascii_whitespace())?;
            self.state = match (self.state, next) {
                (State::Begin | State::Loose | State::End, None) => return Ok(None),
                (State::First | State::Next | State::After, None) => {
                    return self.lost("the file ends before its array does");
                }
                (State::Begin, Some(b'[')) => State::First,
                (State::Begin, Some(_)) => {
                    self.state = State::Loose;
                    continue;
                }
                (State::First | State::After, Some(b']')) => State::End,
                (State::After, Some(b',')) => State::Next,
                (State::After, Some(_)) => {
                    return self.lost("expected `,` or `]` behind a document");
                }
                (State::End, Some(_)) => return self.lost("expected nothing behind the array"),
                (State::First | State::Next | State::Loose, Some(first)) => {
                    return self.value(first, out).map(Some);
                }
            };
            self.text.skip(1)?;
        }
    }

    fn point(&self) -> Point {
        let in_array = matches!(self.state, State::First | State::Next | State::After);
        Point { in_array, ..self.text.point() }
    }

    fn format(&self) -> Format {
        Format::Ndjson
    }
}
