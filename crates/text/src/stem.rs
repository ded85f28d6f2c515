//! Stemming of words by the Snowball algorithms.

use std::borrow::Cow;
use std::fmt;

use charabia::Language;
use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::locale;

/// Two letters (ISO 639-1), three letters (ISO 639-2/T, but Persian is `pes`), the algorithm.
const LANGUAGES: [(&str, &str, Algorithm); 35] = [
    ("ar", "ara", Algorithm::Arabic),
    ("ca", "cat", Algorithm::Catalan),
    ("cs", "ces", Algorithm::Czech),
    ("da", "dan", Algorithm::Danish),
    ("de", "deu", Algorithm::German),
    ("el", "ell", Algorithm::Greek),
    ("en", "eng", Algorithm::English),
    ("eo", "epo", Algorithm::Esperanto),
    ("es", "spa", Algorithm::Spanish),
    ("et", "est", Algorithm::Estonian),
    ("eu", "eus", Algorithm::Basque),
    ("fa", "pes", Algorithm::Persian),
    ("fi", "fin", Algorithm::Finnish),
    ("fr", "fra", Algorithm::French),
    ("ga", "gle", Algorithm::Irish),
    ("hi", "hin", Algorithm::Hindi),
    ("hu", "hun", Algorithm::Hungarian),
    ("hy", "hye", Algorithm::Armenian),
    ("id", "ind", Algorithm::Indonesian),
    ("it", "ita", Algorithm::Italian),
    ("lt", "lit", Algorithm::Lithuanian),
    ("nb", "nob", Algorithm::Norwegian),
    ("ne", "nep", Algorithm::Nepali),
    ("nl", "nld", Algorithm::Dutch),
    ("pl", "pol", Algorithm::Polish),
    ("pt", "por", Algorithm::Portuguese),
    ("ro", "ron", Algorithm::Romanian),
    ("ru", "rus", Algorithm::Russian),
    ("sr", "srp", Algorithm::Serbian),
    ("st", "sot", Algorithm::Sesotho),
    ("sv", "swe", Algorithm::Swedish),
    ("ta", "tam", Algorithm::Tamil),
    ("tr", "tur", Algorithm::Turkish),
    ("uk", "ukr", Algorithm::Ukrainian),
    ("yi", "yid", Algorithm::Yiddish),
];

/// A language with a stemmer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StemLanguage(u8);

impl StemLanguage {
    /// Returns the language of a code of two or three letters.
    pub fn parse(code: &str) -> Option<Self> {
        let place = LANGUAGES.iter().position(|(two, three, _)| *two == code || *three == code)?;
        Some(Self(place as u8))
    }

    pub fn of(language: Language) -> Option<Self> {
        Self::parse(locale::three_letter(language))
    }

    /// Returns every code: the two-letter ones in order, then the three-letter ones.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|row| row.0).chain(LANGUAGES.iter().map(|row| row.1))
    }

    pub fn code(self) -> &'static str {
        self.row().0
    }

    /// Returns the stem of a word, which is normalised like the words of an index.
    pub fn stem(self, word: &str) -> Cow<'_, str> {
        // Numbers and codes have no stem.
        if word.chars().all(char::is_alphabetic) {
            Stemmer::create(self.row().2).stem(word)
        } else {
            Cow::Borrowed(word)
        }
    }

    fn row(self) -> &'static (&'static str, &'static str, Algorithm) {
        &LANGUAGES[usize::from(self.0)]
    }
}

impl fmt::Debug for StemLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Returns the language of a text, if it is clear and has a stemmer.
pub fn stem_language_of_text(text: &str) -> Option<StemLanguage> {
    let found = whatlang::detect(text).filter(whatlang::Info::is_reliable)?;
    StemLanguage::parse(found.lang().code())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn language(code: &str) -> StemLanguage {
        StemLanguage::parse(code).unwrap()
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (code, forms) in [
            ("en", &["flow", "flows", "flowing", "flowed"][..]),
            ("eng", &["library", "libraries"]),
            ("de", &["buch", "buchern", "bucher"]),
            ("fr", &["chanter", "chantez", "chante"]),
            ("ru", &["книга", "книги", "книгами"]),
            ("es", &["gatos", "gato"]),
        ] {
            let stems: Vec<_> = forms.iter().map(|form| language(code).stem(form)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{code}: {stems:?}");
        }
        assert_eq!(language("en").stem("b2bs"), "b2bs");
        assert_eq!(language("de").stem("zeitungen"), "zeitung");
    }

    #[test]
    fn codes_name_languages() {
        assert_eq!(language("nob").code(), "nb");
        assert_eq!(StemLanguage::of(Language::Pes), Some(language("fa")));
        assert_eq!(StemLanguage::of(Language::Jpn), None);
        assert_eq!(StemLanguage::parse("xx"), None);
        let codes: Vec<_> = StemLanguage::codes().collect();
        assert!(codes[..35].is_sorted() && codes.len() == 70);
        assert!(codes.iter().all(|code| StemLanguage::parse(code).is_some()));
    }

    #[test]
    fn languages_of_texts() {
        let of = |text| stem_language_of_text(text).map(StemLanguage::code);
        let english =
            "The first edition was published in the year of the war, and it was a success.";
        assert_eq!(of(english), Some("en"));
        let german = "Das Buch wurde im Jahr des Krieges veröffentlicht und war sofort ein Erfolg.";
        assert_eq!(of(german), Some("de"));
        assert_eq!(of("12 34"), None);
    }

    proptest! {
        /// No text makes a stemmer panic.
        #[test]
        fn every_word_has_a_stem(word in "\\PC{0,12}|\\p{L}{1,20}|[a-zäöüßçéèñ]{1,30}") {
            for (two, _, _) in LANGUAGES {
                language(two).stem(&word);
            }
        }
    }
}
