//! Japanese, cut with the dictionary of ICU.
//!
//! The baseline cuts Japanese with a morphological dictionary that is far larger than the rest of
//! the program, and the recorded conversations were made without it. Here a run that is Japanese and contains kana is cut by ICU,
//! and its katakana count as hiragana. A run of ideographs alone is treated as recorded: whole when
//! Japanese is imposed, Chinese otherwise.

use std::sync::LazyLock;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

static SEGMENTER: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));

/// Calls `each` with the start and end of each word of a piece without separators.
pub(crate) fn cut(piece: &str, mut each: impl FnMut(usize, usize)) {
    let mut start = 0;
    for end in SEGMENTER.segment_str(piece) {
        if start < end {
            each(start, end);
        }
        start = end;
    }
}

pub(crate) fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}')
}

/// Returns the hiragana of a katakana; other characters are unchanged.
pub(crate) fn hiragana(c: char) -> char {
    match c {
        '\u{30A1}'..='\u{30F6}' | '\u{30FD}' | '\u{30FE}' => {
            char::from_u32(c as u32 - 0x60).unwrap_or(c)
        }
        _ => c,
    }
}
