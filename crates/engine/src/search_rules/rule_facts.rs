//! Facts of a search that rules are matched against: its words, the values of its filter, the time.
//! Each is computed when a rule first needs it, and shared by all.

use std::cell::OnceCell;

use filter::Filter;
use time::OffsetDateTime;

use super::filter_values::FilterValues;
use super::limits::RuleLimits;
use super::words;

#[derive(Debug)]
pub(crate) struct RuleFacts<'a> {
    text: &'a str,
    filter: Option<&'a Filter>,
    pub now: OffsetDateTime,
    limits: RuleLimits,
    words: OnceCell<Vec<String>>,
    values: OnceCell<FilterValues<'a>>,
}

impl<'a> RuleFacts<'a> {
    pub fn new(
        text: Option<&'a str>,
        filter: Option<&'a Filter>,
        now: OffsetDateTime,
        limits: RuleLimits,
    ) -> Self {
        let text = text.unwrap_or_default();
        Self { text, filter, now, limits, words: OnceCell::new(), values: OnceCell::new() }
    }

    /// Returns whether the query has no words.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub fn has_word(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| {
            let mut words = Vec::new();
            let end = self.text.floor_char_boundary(self.limits.word_fuel);
            words::for_each(&self.text[..end], |word| {
                if words.len() < self.limits.counted_words {
                    words.push(word.to_owned());
                }
            });
            words
        });
        // For so few, comparing is faster than hashing.
        words.iter().any(|known| known == word)
    }

    pub(super) fn values(&self) -> &FilterValues<'a> {
        self.values.get_or_init(|| FilterValues::of(self.filter, self.limits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: Option<&str>, limits: RuleLimits) -> RuleFacts<'_> {
        RuleFacts::new(text, None, OffsetDateTime::UNIX_EPOCH, limits)
    }

    #[test]
    fn ten_words_are_looked_at() {
        let text = "one two three Four four six seven eight nine ten eleven";
        let asked = facts(Some(text), RuleLimits::default());
        assert!(["one", "four", "ten"].iter().all(|word| asked.has_word(word)));
        assert!(["eleven", "Four", "thre"].iter().all(|word| !asked.has_word(word)));
        assert!(!asked.is_blank());
        for blank in [None, Some(""), Some(" \t ")] {
            assert!(facts(blank, RuleLimits::default()).is_blank());
        }
    }

    #[test]
    fn other_limits_can_be_set() {
        let few = RuleLimits { counted_words: 1, ..RuleLimits::default() };
        let asked = facts(Some("one two"), few);
        assert!(asked.has_word("one") && !asked.has_word("two"));
        // Characters are not cut in half.
        let short = RuleLimits { word_fuel: 6, ..RuleLimits::default() };
        let asked = facts(Some("one éé two"), short);
        assert!(asked.has_word("one") && asked.has_word("e") && !asked.has_word("two"));
    }
}
