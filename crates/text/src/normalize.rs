//! Normalises a piece of text by the table of characters where possible, and by charabia otherwise,
//! with the same result.

use std::borrow::Cow;

use charabia::{Language, Normalize, Script, Token};

use crate::chars::{Form, form};
use crate::class::Class;
use crate::options::{LOSSY, PLAIN};

/// The normalisation of the pieces of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Treatment {
    script: Script,
    language: Option<Language>,
    pub class: Class,
}

impl Treatment {
    pub fn new(script: Script, language: Option<Language>) -> Self {
        Self { script, language, class: Class::of(script, language) }
    }

    /// Returns the treatment of Japanese cut by this crate.
    pub fn japanese() -> Self {
        Self { script: Script::Cj, language: Some(Language::Jpn), class: Class::Kana }
    }

    /// Letters are recomposed from two characters, which the table cannot do.
    fn is_swedish(self) -> bool {
        self.language == Some(Language::Swe)
    }

    /// Writes the form that is searched.
    pub fn lemma(self, piece: &str, out: &mut String) {
        out.clear();
        if self.is_swedish() || !fold(piece, self.class, out) {
            out.clear();
            out.push_str(&self.token(piece).normalize(&LOSSY).lemma);
            self.finish(out);
        }
    }

    /// Writes the form that is compared with stop words and separators.
    pub fn plain(self, piece: &str, out: &mut String) {
        out.clear();
        if self.is_swedish() || !fold(piece, Class::Plain, out) {
            out.clear();
            let mut token = self.token(piece);
            if !self.is_swedish() {
                token.language = None;
            }
            out.push_str(&token.normalize(&PLAIN).lemma);
        }
    }

    /// Returns the bytes of each character and of its normal form; `None` if every character kept
    /// its number of bytes and became one character.
    pub fn char_map(self, piece: &str, lemma: &str) -> Option<Vec<(u8, u8)>> {
        let same = piece.len() == lemma.len()
            && (piece.is_ascii() && lemma.is_ascii()
                || piece.chars().map(char::len_utf8).eq(lemma.chars().map(char::len_utf8)));
        if same {
            return None;
        }
        self.table_map(piece).or_else(|| Some(self.walked_map(piece, lemma)))
    }

    fn table_map(self, piece: &str) -> Option<Vec<(u8, u8)>> {
        if self.is_swedish() {
            return None;
        }
        let length = |c: char| match form(c, self.class) {
            Form::Same => Some(c.len_utf8()),
            Form::Text(text) => Some(text.len()),
            Form::Unknown => None,
        };
        piece.chars().map(|c| Some((byte(c.len_utf8()), byte(length(c)?)))).collect()
    }

    /// Walks through both texts. Where a character was composed with the mark after it, the mark
    /// maps to nothing.
    fn walked_map(self, piece: &str, lemma: &str) -> Vec<(u8, u8)> {
        let mut map = Vec::new();
        let mut rest = lemma;
        let mut alone = String::new();
        for c in piece.chars() {
            self.lemma(c.encode_utf8(&mut [0; 4]), &mut alone);
            let length = rest.chars().take(alone.chars().count()).map(char::len_utf8).sum();
            map.push((byte(c.len_utf8()), byte(length)));
            rest = &rest[length..];
        }
        map
    }

    fn token(self, piece: &str) -> Token<'_> {
        Token {
            // Set, so that charabia does not compute it.
            kind: charabia::TokenKind::Word,
            lemma: Cow::Borrowed(piece),
            script: self.script,
            language: self.language,
            ..Token::default()
        }
    }

    fn finish(self, out: &mut String) {
        if self.class == Class::Kana {
            *out = out.chars().map(crate::japanese::hiragana).collect();
        }
    }
}

fn byte(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

/// Appends the normal form of the piece; false if it is not completely in the table.
fn fold(piece: &str, class: Class, out: &mut String) -> bool {
    let mut rest = piece;
    let mut ends_with_dropped_mark = false;
    loop {
        let ascii = rest.bytes().position(|b| !b.is_ascii() || is_control(b)).unwrap_or(rest.len());
        let (head, tail) = rest.split_at(ascii);
        out.push_str(head);
        ends_with_dropped_mark &= head.is_empty();
        let mut chars = tail.chars();
        let Some(c) = chars.next() else { break };
        rest = chars.as_str();
        match form(c, class) {
            Form::Same => {
                out.push(c);
                ends_with_dropped_mark = false;
            }
            // Control characters are removed before the end of the word is examined.
            Form::Text("") if c.is_control() => {}
            Form::Text(text) => {
                out.push_str(text);
                ends_with_dropped_mark = text.is_empty();
            }
            Form::Unknown => return false,
        }
    }
    if class.lowers() {
        out.make_ascii_lowercase();
    }
    if class == Class::Greek && !ends_with_dropped_mark && out.ends_with('ς') {
        out.pop();
        out.push('σ');
    }
    true
}

/// Returns whether a control character is dropped, which those that are white space are not.
pub(crate) fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t'..=b'\r')
}
