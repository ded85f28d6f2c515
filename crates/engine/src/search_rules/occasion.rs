//! What a search offers to the conditions of rules: its words, the values its filter asks for,
//! the time. Each is made when the first rule asks for it, and then serves all.

use std::cell::OnceCell;

use filter::Filter;
use time::OffsetDateTime;

use super::asked_values::AskedValues;
use super::words;

/// Words of a query that are looked at.
const MAX_WORDS: usize = 10;

#[derive(Debug)]
pub(crate) struct Occasion<'a> {
    text: &'a str,
    filter: Option<&'a Filter>,
    pub now: OffsetDateTime,
    words: OnceCell<Vec<String>>,
    values: OnceCell<AskedValues<'a>>,
}

impl<'a> Occasion<'a> {
    pub fn new(text: Option<&'a str>, filter: Option<&'a Filter>, now: OffsetDateTime) -> Self {
        let text = text.unwrap_or_default();
        Self { text, filter, now, words: OnceCell::new(), values: OnceCell::new() }
    }

    /// Whether nothing is asked for by words.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub fn has_word(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| {
            let mut words = Vec::new();
            words::for_each(self.text, |word| {
                if words.len() < MAX_WORDS {
                    words.push(word.to_owned());
                }
            });
            words
        });
        // So few are compared sooner than one is hashed.
        words.iter().any(|known| known == word)
    }

    pub(super) fn values(&self) -> &AskedValues<'a> {
        self.values.get_or_init(|| AskedValues::of(self.filter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_words_are_looked_at() {
        let text = "one two three Four four six seven eight nine ten eleven";
        let occasion = Occasion::new(Some(text), None, OffsetDateTime::UNIX_EPOCH);
        assert!(["one", "four", "ten"].iter().all(|word| occasion.has_word(word)));
        assert!(["eleven", "Four", "thre"].iter().all(|word| !occasion.has_word(word)));
        assert!(!occasion.is_blank());
        for blank in [None, Some(""), Some(" \t ")] {
            assert!(Occasion::new(blank, None, OffsetDateTime::UNIX_EPOCH).is_blank());
        }
    }
}
