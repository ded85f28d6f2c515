//! A piece of a text: a word, a stop word or a separator.

use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    StopWord,
    SoftSeparator,
    HardSeparator,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'t> {
    pub kind: TokenKind,
    /// The normalised form.
    pub lemma: Cow<'t, str>,
    /// Start in the text, in bytes.
    pub byte_start: usize,
    pub byte_end: usize,
    /// Bytes of each original character and of its normal form; `None` if every character kept its
    /// number of bytes and became one character.
    pub char_map: Option<Vec<(u8, u8)>>,
}

impl Token<'_> {
    /// Returns whether it is a searchable word. A token of dropped characters alone is not.
    pub fn is_word(&self) -> bool {
        self.kind == TokenKind::Word && !self.lemma.is_empty()
    }

    pub fn is_separator(&self) -> bool {
        matches!(self.kind, TokenKind::SoftSeparator | TokenKind::HardSeparator)
    }
}
