//! A cursor in the text of a filter: blanks, words and fixed pieces.

use std::ops::Range;
use std::sync::Arc;

use crate::Token;
use crate::allowance::{Allowance, AllowanceError};
use crate::syntax_error::{ErrorKind, SyntaxError};

#[derive(Debug, Clone)]
pub(crate) struct Cursor<'s> {
    source: &'s Arc<str>,
    at: usize,
    allowance: &'s Allowance,
}

impl<'s> Cursor<'s> {
    pub fn new(source: &'s Arc<str>, allowance: &'s Allowance) -> Self {
        Self { source, at: 0, allowance }
    }

    /// Must be called before any of the parsed data is stored.
    pub fn take_weight(&self, weight: u32) -> Result<(), SyntaxError> {
        let taken = self.allowance.take(weight);
        taken.map_err(|AllowanceError| SyntaxError::new(ErrorKind::TooMuch, self.at..self.at))
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// Moves back to an earlier place.
    pub fn rewind(&mut self, at: usize) {
        self.at = at;
    }

    pub fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.source.len()
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips the blanks of the grammar.
    pub fn skip_blanks(&mut self) {
        self.take_while(|char| matches!(char, ' ' | '\t' | '\r' | '\n'));
    }

    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> Range<usize> {
        let rest = self.rest();
        let length = rest.find(|char| !wanted(char)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        start..self.at
    }

    /// Moves past `piece` if it comes next, whatever follows it.
    pub fn eat(&mut self, piece: &str) -> bool {
        let found = self.rest().starts_with(piece);
        if found {
            self.at += piece.len();
        }
        found
    }

    /// Returns the bare word that comes next; empty if there is none.
    pub fn word(&self) -> &'s str {
        let rest = self.rest();
        let end = rest.find(|char| !is_word_char(char)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// Moves past `word` if it comes next and is not the start of a longer word.
    pub fn eat_word(&mut self, word: &str) -> bool {
        self.word() == word && self.eat(word)
    }

    pub fn token(&self, span: Range<usize>) -> Token {
        Token::new(self.source, span)
    }

    pub fn text(&self, span: Range<usize>) -> &'s str {
        self.source.get(span).unwrap_or_default()
    }

    pub fn escaped_token(&self, span: Range<usize>, value: &str) -> Token {
        Token::escaped(self.source, span, value)
    }

    /// Returns an error that shows everything from `start` on.
    pub fn error_from(&self, kind: ErrorKind, start: usize) -> SyntaxError {
        SyntaxError { kind, span: start..self.source.len() }
    }

    /// Returns an error that shows the rest of the text.
    pub fn error_here(&self, kind: ErrorKind) -> SyntaxError {
        self.error_from(kind, self.at)
    }
}

/// Returns whether a name or a value may contain the character without quotes.
pub(crate) fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.')
}
