//! Cuts a text into runs of one script, before anything else. Characters without a script belong to
//! the surrounding run; those at the very start belong to the first run.
//!
//! Armenian is a script when a run is judged but not when runs are cut, so a run may contain
//! Armenian and another script, and is then judged by the majority.

use charabia::{Language, Script, StrDetection};

use crate::chars::info;
use crate::japanese::is_kana;
use crate::normalize::Treatment;
use crate::segmenter::Segmenter;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'t> {
    pub text: &'t str,
    /// Start in the whole text, in bytes.
    pub start: usize,
    script: Script,
    has_armenian: bool,
    has_kana: bool,
}

impl Run<'_> {
    /// Creates the run of an ASCII text.
    pub fn ascii(text: &str) -> Run<'_> {
        let has_letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        let script = if has_letters { Script::Latin } else { Script::Other };
        Run { text, start: 0, script, has_armenian: false, has_kana: false }
    }

    /// Returns whether it may contain a separator of several characters that a table of characters
    /// cannot find. Khmer has one; full stop and comma before a space are in the table.
    pub fn has_long_separators(&self) -> bool {
        self.script == Script::Khmer
    }

    /// Returns how its words are found and normalised.
    pub fn judge(&self, languages: &[Language]) -> (Segmenter, Treatment) {
        let script = self.judged_script();
        let language = match script {
            Script::Latin if languages.iter().any(|l| changes_latin(*l)) => {
                self.language(languages)
            }
            // Without kana it can only be Chinese, unless the user rules that out.
            Script::Cj if languages.is_empty() && !self.has_kana => Some(Language::Cmn),
            Script::Cj | Script::Arabic => self.language(languages),
            _ => None,
        };
        match Segmenter::of(script, language) {
            Segmenter::Japanese if self.has_kana => (Segmenter::Japanese, Treatment::japanese()),
            Segmenter::Japanese => (Segmenter::None, Treatment::new(script, language)),
            segmenter => (segmenter, Treatment::new(script, language)),
        }
    }

    fn judged_script(&self) -> Script {
        if !self.has_armenian {
            self.script
        } else if self.script == Script::Other {
            Script::Armenian
        } else {
            StrDetection::new(self.text, None).script()
        }
    }

    fn language(&self, languages: &[Language]) -> Option<Language> {
        let allowed = if languages.is_empty() { None } else { Some(languages) };
        StrDetection::new(self.text, allowed).language()
    }
}

/// Returns whether a language in Latin letters needs special treatment: German is cut and Swedish
/// recomposed.
fn changes_latin(language: Language) -> bool {
    matches!(language, Language::Deu | Language::Swe)
}

/// The runs of a text in order.
#[derive(Debug)]
pub(crate) struct Runs<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Runs<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, start: 0 }
    }
}

impl<'t> Iterator for Runs<'t> {
    type Item = Run<'t>;

    fn next(&mut self) -> Option<Run<'t>> {
        let rest = self.text.get(self.start..).filter(|rest| !rest.is_empty())?;
        let mut run = Run {
            text: rest,
            start: self.start,
            script: Script::Other,
            has_armenian: false,
            has_kana: false,
        };
        let mut at = 0;
        while let Some(c) = rest[at..].chars().next() {
            let script = script_of(c);
            if script == Script::Armenian {
                run.has_armenian = true;
            } else if script != Script::Other && script != run.script {
                if run.script != Script::Other {
                    run.text = &rest[..at];
                    break;
                }
                run.script = script;
            }
            run.has_kana |= script == Script::Cj && is_kana(c);
            at += c.len_utf8();
            if run.script == Script::Latin {
                at += ascii_length(&rest.as_bytes()[at..]);
            }
        }
        self.start += run.text.len();
        Some(run)
    }
}

fn script_of(c: char) -> Script {
    if c.is_ascii_alphabetic() {
        Script::Latin
    } else if c.is_ascii() {
        Script::Other
    } else {
        info(c).script
    }
}

/// Returns the length of the ASCII text, which never ends a Latin run.
fn ascii_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len())
}
