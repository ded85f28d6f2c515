//! Finds words between separators: in most scripts the text there is one word, in some a dictionary
//! or a rule cuts it further.

use std::sync::Once;
use std::thread;

use charabia::segmenter::{
    ArabicSegmenter, ChineseSegmenter, GermanSegmenter, KhmerSegmenter, Segmenter as Cutter,
    ThaiSegmenter,
};
use charabia::{Language, Script};

use crate::japanese;

#[derive(Clone, Copy)]
pub(crate) enum Segmenter {
    None,
    /// The dictionary of ICU, see `japanese`.
    Japanese,
    Charabia(&'static dyn Cutter),
}

impl Segmenter {
    pub fn of(script: Script, language: Option<Language>) -> Self {
        match (script, language) {
            (Script::Latin, Some(Language::Deu)) => Self::Charabia(&GermanSegmenter),
            (Script::Cj, Some(Language::Cmn | Language::Zho)) => Self::Charabia(&ChineseSegmenter),
            (Script::Cj, Some(Language::Jpn)) => Self::Japanese,
            (Script::Arabic, Some(Language::Ara | Language::Pes)) => {
                Self::Charabia(&ArabicSegmenter)
            }
            (Script::Thai, _) => Self::Charabia(&ThaiSegmenter),
            (Script::Khmer, _) => Self::Charabia(&KhmerSegmenter),
            _ => Self::None,
        }
    }

    pub fn is_none(self) -> bool {
        matches!(self, Self::None)
    }

    /// Calls `each` with the start and end of each word of a piece without separators.
    #[inline]
    pub fn cut(self, piece: &str, mut each: impl FnMut(usize, usize)) {
        match self {
            Self::None => each(0, piece.len()),
            // Needs no dictionary, which takes a fifth of a second to load.
            _ if is_number(piece) || is_one_character(piece) => each(0, piece.len()),
            Self::Japanese => japanese::cut(piece, each),
            Self::Charabia(cutter) => {
                let mut start = 0;
                for word in cutter.segment_str(piece) {
                    let end = start + word.len();
                    if start < end {
                        each(start, end);
                    }
                    start = end;
                }
            }
        }
    }
}

/// Starts to load the dictionary for Chinese, unless that was done before. It takes a fifth of a
/// second, for which the first query in Chinese would otherwise wait.
pub fn load_chinese_dictionary() {
    static LOAD: Once = Once::new();
    LOAD.call_once(|| {
        let load = || {
            let _ = ChineseSegmenter.segment_str("中文").count();
        };
        // If no thread can be started, the first query loads the dictionary.
        let _ = thread::Builder::new().name("dictionary".to_owned()).spawn(load);
    });
}

fn is_one_character(piece: &str) -> bool {
    piece.chars().nth(1).is_none()
}

/// Returns whether a piece is of digits and ASCII punctuation, which are one word in every
/// language.
fn is_number(piece: &str) -> bool {
    piece.chars().all(|c| c.is_numeric() || c.is_ascii_punctuation())
}
