//! Cuts a run at its separators, by the table of characters or by the user's automaton.

use aho_corasick::AhoCorasick;

use crate::chars::{CutClass, info};
use crate::normalize::is_control;
use crate::token::TokenKind;

/// Bits collected while scanning a piece.
pub(crate) mod traits {
    pub const UPPER: u8 = 1;
    /// Characters that are dropped, trimmed or non-ASCII.
    pub const SPECIAL: u8 = 2;
    pub const SOFT: u8 = 4;
    pub const HARD: u8 = 8;
    /// `.` and `,`: hard before a space.
    pub const HARD_BEFORE_SPACE: u8 = 16;
    /// A separator that is dropped, so that nothing remains.
    pub const DROPPED: u8 = 32;
    pub const SEPARATOR: u8 = SOFT | HARD | HARD_BEFORE_SPACE | DROPPED;
    pub const BEYOND_ASCII: u8 = 64;
}
use traits::{BEYOND_ASCII, DROPPED, HARD, HARD_BEFORE_SPACE, SEPARATOR, SOFT, SPECIAL, UPPER};

/// The traits of each byte, by the default separators.
static BYTES: [u8; 256] = byte_traits();

const fn byte_traits() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => UPPER,
            b'.' | b',' => HARD_BEFORE_SPACE,
            0 => DROPPED,
            b'!' | b';' | b'?' => HARD,
            b'\t'
            | b'\n'
            | b'\r'
            | b' '
            | b'"'
            | b'#'
            | b'%'..=b'+'
            | b'-'
            | b'/'
            | b':'
            | b'@'
            | b'['..=b']'
            | b'_'
            | b'`'
            | b'{'
            | b'}' => SOFT,
            ..0x20 | 0x7F => SPECIAL,
            0x80.. => BEYOND_ASCII,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// A piece of a run: a separator, or the text between two of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'t> {
    pub text: &'t str,
    /// Start in the run, in bytes.
    pub start: usize,
    /// Set if the table says that it is a separator.
    pub separator: Option<TokenKind>,
    /// The table found it between separators, so that ASCII alone cannot be one.
    pub is_cut_by_table: bool,
    /// A separator or a dictionary word, not the text between them.
    pub is_listed: bool,
    /// Contains ASCII capitals.
    pub has_upper: bool,
    /// Contains dropped or non-ASCII characters.
    pub is_special: bool,
}

impl<'t> Piece<'t> {
    /// Creates a piece that is not in the table.
    fn unknown(run: &'t str, start: usize, end: usize) -> Self {
        let text = &run[start..end];
        Self {
            text,
            start,
            separator: None,
            is_cut_by_table: false,
            is_listed: false,
            has_upper: text.bytes().any(|byte| byte.is_ascii_uppercase()),
            is_special: text.bytes().any(|byte| !byte.is_ascii() || is_control(byte)),
        }
    }

    /// Returns a part of the piece as a word by itself.
    pub fn part(self, start: usize, end: usize) -> Self {
        if start == 0 && end == self.text.len() {
            return self;
        }
        let part = Self::unknown(self.text, start, end);
        Self { start: self.start + start, is_cut_by_table: self.is_cut_by_table, ..part }
    }
}

/// Cuts at the default separators.
#[inline]
pub(crate) fn by_table<'t>(run: &'t str, mut each: impl FnMut(Piece<'t>)) {
    let mut at = 0;
    while at < run.len() {
        let (end, seen) = piece_end(run, at);
        if at < end {
            each(Piece {
                text: &run[at..end],
                start: at,
                separator: None,
                is_cut_by_table: true,
                is_listed: false,
                has_upper: seen & UPPER != 0,
                is_special: seen & SPECIAL != 0,
            });
        }
        at = end;
        if at < run.len() {
            let piece = separator_at(run, at);
            at += piece.text.len();
            each(piece);
        }
    }
}

/// Like `by_table`, for words only: plain ASCII words and separators do not become pieces.
#[inline]
pub(crate) fn words_by_table<'t>(run: &'t str, mut each: impl FnMut(CutEvent<'t>)) {
    let mut at = 0;
    while let Some(&byte) = run.as_bytes().get(at) {
        match BYTES[usize::from(byte)] {
            SOFT => at += 1,
            HARD => {
                each(CutEvent::Hard);
                at += 1;
            }
            HARD_BEFORE_SPACE => {
                if run.as_bytes().get(at + 1) == Some(&b' ') {
                    each(CutEvent::Hard);
                }
                at += 1;
            }
            _ => {
                let (end, seen) = piece_end(run, at);
                if seen & SPECIAL != 0 {
                    let has_upper = seen & UPPER != 0;
                    each(CutEvent::Piece(Piece {
                        text: &run[at..end],
                        start: at,
                        separator: None,
                        is_cut_by_table: true,
                        is_listed: false,
                        has_upper,
                        is_special: true,
                    }));
                } else if at < end {
                    each(CutEvent::Word(at, end));
                } else {
                    let piece = separator_at(run, at);
                    at += piece.text.len();
                    each(CutEvent::Piece(piece));
                    continue;
                }
                at = end;
            }
        }
    }
}

/// An item found by `words_by_table`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CutEvent<'t> {
    /// The byte range of an ASCII word; at most its case is to be changed.
    Word(usize, usize),
    Hard,
    Piece(Piece<'t>),
}

/// Returns the end and the traits of the piece that starts here. It is empty at a separator.
#[inline]
fn piece_end(run: &str, start: usize) -> (usize, u8) {
    let mut seen = 0;
    let mut at = start;
    while let Some(&byte) = run.as_bytes().get(at) {
        let byte_traits = BYTES[usize::from(byte)];
        if byte_traits & (SEPARATOR | BEYOND_ASCII) == 0 {
            seen |= byte_traits;
            at += 1;
        } else if byte_traits == BEYOND_ASCII {
            let Some(c) = run[at..].chars().next() else { break };
            if info(c).cut != CutClass::Inside {
                break;
            }
            seen |= SPECIAL;
            at += c.len_utf8();
        } else {
            break;
        }
    }
    (at, seen)
}

fn separator_at(run: &str, at: usize) -> Piece<'_> {
    let byte = run.as_bytes()[at];
    let next_is_space = run.as_bytes().get(at + 1) == Some(&b' ');
    let (len, separator) = match BYTES[usize::from(byte)] {
        HARD_BEFORE_SPACE if next_is_space => (2, Some(TokenKind::HardSeparator)),
        HARD => (1, Some(TokenKind::HardSeparator)),
        DROPPED => (1, None),
        BEYOND_ASCII => match run[at..].chars().next() {
            Some(c) => (
                c.len_utf8(),
                match info(c).cut {
                    CutClass::Hard => Some(TokenKind::HardSeparator),
                    CutClass::Soft => Some(TokenKind::SoftSeparator),
                    CutClass::Word | CutClass::Inside => None,
                },
            ),
            None => (1, None),
        },
        _ => (1, Some(TokenKind::SoftSeparator)),
    };
    let text = &run[at..at + len];
    let is_special = !byte.is_ascii() || is_control(byte);
    let (is_cut_by_table, is_listed, has_upper) = (true, true, false);
    Piece { text, start: at, separator, is_cut_by_table, is_listed, has_upper, is_special }
}

/// Cuts with an automaton of separators and dictionary words.
pub(crate) fn by_automaton<'t>(
    run: &'t str,
    automaton: &AhoCorasick,
    mut each: impl FnMut(Piece<'t>),
) {
    let mut end = 0;
    for found in automaton.find_iter(run) {
        if end < found.start() {
            each(Piece::unknown(run, end, found.start()));
        }
        each(Piece { is_listed: true, ..Piece::unknown(run, found.start(), found.end()) });
        end = found.end();
    }
    if end < run.len() {
        each(Piece::unknown(run, end, run.len()));
    }
}
