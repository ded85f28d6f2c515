//! Stop words by language: the lists of NLTK, most of which come from Snowball.
//!
//! The words of an index depend on the lists, so that another version of them would require every
//! index to be rebuilt: the workspace pins exactly one version of the crate.

use std::fmt;

use charabia::Normalize;

use crate::options::PLAIN;
use crate::separators::default_separator;

/// Two letters (ISO 639-1), three letters (ISO 639-2/T), the name of the list.
const LANGUAGES: [(&str, &str, &str); 32] = [
    ("ar", "ara", "ar"),
    ("az", "aze", "az"),
    ("be", "bel", "be"),
    ("bn", "ben", "bn"),
    ("ca", "cat", "ca"),
    ("da", "dan", "da"),
    ("de", "deu", "de"),
    ("el", "ell", "el"),
    ("en", "eng", "en"),
    ("es", "spa", "es"),
    ("eu", "eus", "eu"),
    ("fi", "fin", "fi"),
    ("fr", "fra", "fr"),
    ("he", "heb", "he"),
    ("hu", "hun", "hu"),
    ("id", "ind", "id"),
    ("it", "ita", "it"),
    ("kk", "kaz", "kk"),
    ("nb", "nob", "no"),
    ("ne", "nep", "ne"),
    ("nl", "nld", "nl"),
    ("pt", "por", "pt"),
    ("ro", "ron", "ro"),
    ("ru", "rus", "ru"),
    ("sl", "slv", "sl"),
    ("sq", "sqi", "sq"),
    ("sv", "swe", "sv"),
    ("ta", "tam", "ta"),
    ("tg", "tgk", "tg"),
    ("tr", "tur", "tr"),
    ("uz", "uzb", "uz"),
    ("zh", "zho", "zh"),
];

/// A language with a list of stop words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StopLanguage(u8);

impl StopLanguage {
    /// Returns the language of a code of two or three letters.
    pub fn parse(code: &str) -> Option<Self> {
        let place = LANGUAGES.iter().position(|(two, three, _)| *two == code || *three == code)?;
        Some(Self(place as u8))
    }

    /// Returns every code: the two-letter ones in order, then the three-letter ones.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|row| row.0).chain(LANGUAGES.iter().map(|row| row.1))
    }

    pub fn code(self) -> &'static str {
        self.row().0
    }

    /// Returns the words of the list in lower case, decomposed like stop words. Entries that are
    /// cut into several words, such as `don't`, are left out; the lists contain their parts too.
    pub fn words(self) -> impl Iterator<Item = String> {
        let list = stop_words::lookup(self.row().2).unwrap_or_default();
        let entries = list.iter().map(|entry| entry.trim());
        let words = entries.filter(|entry| !entry.is_empty() && !is_cut(entry));
        words.map(|word| word.normalize(&PLAIN).to_lowercase())
    }

    fn row(self) -> &'static (&'static str, &'static str, &'static str) {
        &LANGUAGES[usize::from(self.0)]
    }
}

fn is_cut(entry: &str) -> bool {
    let separates =
        |character: char| default_separator(character.encode_utf8(&mut [0; 4])).is_some();
    entry.chars().any(|character| character.is_whitespace() || separates(character))
}

impl fmt::Debug for StopLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(code: &str) -> Vec<String> {
        StopLanguage::parse(code).unwrap().words().collect()
    }

    #[test]
    fn lists_have_the_words_of_their_language() {
        for (code, word) in
            [("en", "the"), ("eng", "which"), ("de", "und"), ("fra", "dans"), ("ru", "что")]
        {
            assert!(words(code).iter().any(|other| other == word), "{code}: {word}");
        }
        assert_eq!(StopLanguage::parse("nob").unwrap().code(), "nb");
        assert_eq!(StopLanguage::parse("ja"), None);
    }

    #[test]
    fn stop_word_lists_are_complete_and_unchanged() {
        let mut count = 0;
        for code in StopLanguage::codes().take(LANGUAGES.len()) {
            let words = words(code);
            assert!(words.len() > 30, "{code}: {} words", words.len());
            assert!(words.iter().all(|word| !word.contains([' ', '\'', ','])), "{code}");
            count += words.len();
        }
        assert_eq!(count, 10_022);
        let codes: Vec<_> = StopLanguage::codes().collect();
        assert!(codes[..LANGUAGES.len()].is_sorted());
    }
}
