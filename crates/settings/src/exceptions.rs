//! Stem exceptions, found by word and by stem.

use std::collections::BTreeMap;

/// Words with stems of their own; words and stems are normalised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StemExceptions {
    stems: BTreeMap<String, String>,
    words: BTreeMap<String, Vec<String>>,
}

impl StemExceptions {
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    pub fn stem_of(&self, word: &str) -> Option<&str> {
        self.stems.get(word).map(String::as_str)
    }

    /// Returns the words that are given this stem.
    pub fn words_of(&self, stem: &str) -> &[String] {
        self.words.get(stem).map(Vec::as_slice).unwrap_or_default()
    }
}

impl FromIterator<(String, String)> for StemExceptions {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        let stems: BTreeMap<String, String> = pairs.into_iter().collect();
        let mut words: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (word, stem) in &stems {
            words.entry(stem.clone()).or_default().push(word.clone());
        }
        Self { stems, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_found_by_word_and_by_stem() {
        let pairs = [("mice", "mouse"), ("mouses", "mouse"), ("news", "news")];
        let exceptions: StemExceptions =
            pairs.iter().map(|(word, stem)| ((*word).to_owned(), (*stem).to_owned())).collect();
        assert_eq!(exceptions.stem_of("mice"), Some("mouse"));
        assert_eq!(exceptions.stem_of("mouse"), None);
        assert_eq!(exceptions.words_of("mouse"), ["mice", "mouses"]);
        assert!(exceptions.words_of("mice").is_empty());
    }
}
