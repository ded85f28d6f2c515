//! The normalisation of the characters of a run. It follows from the script and language of the
//! run; scripts with the same treatment share a class.

use charabia::{Language, Script};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Decomposed, control characters dropped. Every other class starts from this form, which is
    /// also compared with stop words and separators.
    Plain,
    Latin,
    Greek,
    /// Lower-cased, marks kept: Cyrillic, Georgian, Armenian.
    Lower,
    /// Marks removed: Hebrew, Thai.
    Marks,
    Arabic,
    Persian,
    /// Variants of Chinese characters unified.
    Han,
    /// Katakana as hiragana.
    Kana,
}

impl Class {
    pub const ALL: [Self; 9] = [
        Self::Plain,
        Self::Latin,
        Self::Greek,
        Self::Lower,
        Self::Marks,
        Self::Arabic,
        Self::Persian,
        Self::Han,
        Self::Kana,
    ];

    pub fn of(script: Script, language: Option<Language>) -> Self {
        match script {
            Script::Latin => Self::Latin,
            Script::Greek => Self::Greek,
            Script::Cyrillic | Script::Georgian | Script::Armenian => Self::Lower,
            Script::Hebrew | Script::Thai => Self::Marks,
            Script::Arabic if language == Some(Language::Pes) => Self::Persian,
            Script::Arabic => Self::Arabic,
            Script::Cj if matches!(language, None | Some(Language::Cmn | Language::Zho)) => {
                Self::Han
            }
            _ => Self::Plain,
        }
    }

    /// Returns a script and language with this treatment; `None` for treatments of this crate only.
    pub fn example(self) -> Option<(Script, Option<Language>)> {
        match self {
            Self::Plain => Some((Script::Other, None)),
            Self::Latin => Some((Script::Latin, None)),
            Self::Greek => Some((Script::Greek, None)),
            Self::Lower => Some((Script::Cyrillic, None)),
            Self::Marks => Some((Script::Hebrew, None)),
            Self::Arabic => Some((Script::Arabic, None)),
            Self::Persian => Some((Script::Arabic, Some(Language::Pes))),
            Self::Han => Some((Script::Cj, None)),
            Self::Kana => None,
        }
    }

    pub fn lowers(self) -> bool {
        matches!(self, Self::Latin | Self::Greek | Self::Lower)
    }

    /// Returns whether a character of this script can get this treatment in a text of one script.
    pub fn applies_to(self, script: Script) -> bool {
        match self {
            Self::Plain => true,
            Self::Persian => script == Script::Arabic || script == Script::Other,
            Self::Kana => script == Script::Cj || script == Script::Other,
            _ => script == Script::Other || self == Self::of(script, None),
        }
    }
}
