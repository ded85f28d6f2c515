//! Set of distinct texts, up to a number of bytes. Further ones are dropped, so that clients that
//! use a new name for each request cannot fill the memory.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::scrub::scrubbed;

/// A text is cut to this many bytes.
const LONGEST: usize = 200;
/// Bytes around a text in a JSON array.
const AROUND: usize = 3;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextSet<const MOST_BYTES: usize> {
    texts: BTreeSet<Box<str>>,
    bytes: usize,
}

impl<const MOST_BYTES: usize> TextSet<MOST_BYTES> {
    pub fn add(&mut self, text: &str) {
        // Most requests bring a known text, which needs no cleaning.
        if self.texts.contains(text) {
            return;
        }
        let text = scrubbed(text);
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let bytes = text.len() + AROUND;
        if text.is_empty() || self.texts.contains(text) || self.bytes + bytes > MOST_BYTES {
            return;
        }
        self.texts.insert(text.into());
        self.bytes += bytes;
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn joined(&self, between: &str) -> String {
        let texts: Vec<&str> = self.texts.iter().map(AsRef::as_ref).collect();
        texts.join(between)
    }
}

impl<const MOST_BYTES: usize> From<&TextSet<MOST_BYTES>> for Value {
    fn from(set: &TextSet<MOST_BYTES>) -> Self {
        set.texts.iter().map(AsRef::as_ref).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_count_once_and_are_cut_between_letters() {
        let mut set = TextSet::<1000>::default();
        let long = "é".repeat(LONGEST);
        for text in ["b", " a ", "a", "b", "", "x@y.example", &long] {
            set.add(text);
        }
        assert_eq!(Value::from(&set), json!(["a", "b", "é".repeat(LONGEST / 2)]));
        assert_eq!(set.bytes(), 1 + 1 + LONGEST + 3 * AROUND);
    }

    #[test]
    fn a_million_names_take_no_more_than_a_few() {
        let mut set = TextSet::<4096>::default();
        for number in 0..1_000_000 {
            set.add(&format!("client {number}"));
        }
        assert!(set.bytes() <= 4096 && set.bytes() > 4000, "{}", set.bytes());
        assert_eq!(set.texts.iter().map(|text| text.len() + AROUND).sum::<usize>(), set.bytes());
    }
}
