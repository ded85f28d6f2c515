//! The words of a document as they are counted by positions: a word or a skipped word takes one
//! position, a hard separator between two of them leaves a gap.

use crate::token::TokenKind;

/// An element of a text, for indexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordEvent<'w> {
    /// A word in its normal form, never empty.
    Word(&'w str),
    /// A stop word: takes a position without being searchable.
    Skip,
    /// A hard separator between two of the others.
    Gap,
}

/// Turns the pieces of one text into events.
#[derive(Debug, Default)]
pub(crate) struct Words {
    has_begun: bool,
    after_hard_separator: bool,
}

impl Words {
    #[inline]
    pub fn push(&mut self, kind: TokenKind, lemma: &str, each: &mut impl FnMut(WordEvent<'_>)) {
        match kind {
            TokenKind::SoftSeparator => {}
            TokenKind::HardSeparator => self.hard_separator(),
            // Only control characters, which take no position.
            TokenKind::Word | TokenKind::StopWord if lemma.is_empty() => {}
            TokenKind::StopWord => self.place(WordEvent::Skip, each),
            TokenKind::Word => match trim(lemma) {
                "" => self.place(WordEvent::Skip, each),
                word => self.place(WordEvent::Word(word), each),
            },
        }
    }

    #[inline]
    pub fn hard_separator(&mut self) {
        self.after_hard_separator = true;
    }

    #[inline]
    pub fn place(&mut self, event: WordEvent<'_>, each: &mut impl FnMut(WordEvent<'_>)) {
        if self.after_hard_separator && self.has_begun {
            each(WordEvent::Gap);
        }
        self.after_hard_separator = false;
        self.has_begun = true;
        each(event);
    }
}

/// White space that is no separator, such as a form feed, may be at the edges of a word.
#[inline]
fn trim(lemma: &str) -> &str {
    let is_clear = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    let bytes = lemma.as_bytes();
    if is_clear(bytes.first()) && is_clear(bytes.last()) { lemma } else { lemma.trim() }
}
