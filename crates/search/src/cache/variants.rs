//! Cache of the words within some typos of another: finding them walks much of a dictionary.

use std::sync::Arc;

use segment::text::InstanceId;

use super::sharded::Sharded;
use crate::typos::Variants;

/// Everything that the variants depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct VariantKey {
    pub text: InstanceId,
    pub word: Box<str>,
    pub is_prefix: bool,
    /// Maximum number of typos.
    pub budget: u8,
    pub skip_numbers: bool,
}

pub(crate) struct VariantCache(Sharded<VariantKey, Arc<Variants>>);

impl VariantCache {
    pub fn new(limit_bytes: usize) -> Self {
        Self(Sharded::new(limit_bytes))
    }

    /// Returns the cached variants of the key, or calls `find` and caches its result.
    pub fn get_or_find(&self, key: VariantKey, find: impl FnOnce() -> Variants) -> Arc<Variants> {
        if let Some(known) = self.0.get(&key) {
            return known;
        }
        let found = Arc::new(find());
        let bytes = key.word.len() + bytes_of(&found);
        self.0.insert(key, Arc::clone(&found), bytes);
        found
    }
}

/// Returns the memory of lists of words, with the counters of their `Arc`.
fn bytes_of(variants: &Variants) -> usize {
    let ordinals = variants.one_typo.capacity() + variants.two_typos.capacity();
    2 * size_of::<usize>() + size_of::<Variants>() + ordinals * size_of::<u32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestIndex, one_attribute};

    #[test]
    fn words_are_told_apart_by_all_that_they_depend_on() {
        let index = TestIndex::of_texts(one_attribute(), &["word", "word"]);
        let snapshot = index.snapshot();
        let [one, other] = [0, 1].map(|place| snapshot.segments()[place].text().instance_id());
        let key = VariantKey {
            text: one,
            word: "word".into(),
            is_prefix: false,
            budget: 1,
            skip_numbers: false,
        };
        let keys = [
            key.clone(),
            VariantKey { text: other, ..key.clone() },
            VariantKey { word: "words".into(), ..key.clone() },
            VariantKey { is_prefix: true, ..key.clone() },
            VariantKey { budget: 2, ..key.clone() },
            VariantKey { skip_numbers: true, ..key },
        ];
        let cache = VariantCache::new(1 << 20);
        for (key, ordinal) in keys.iter().zip(0..) {
            let variants = || Variants { one_typo: vec![ordinal], two_typos: Vec::new() };
            assert_eq!(cache.get_or_find(key.clone(), variants).one_typo, [ordinal]);
        }
        for (key, ordinal) in keys.into_iter().zip(0..) {
            let found = cache.get_or_find(key, || unreachable!("it is cached"));
            assert_eq!(found.one_typo, [ordinal]);
        }
    }

    #[test]
    fn very_many_words_stay_within_the_limit() {
        let index = TestIndex::of_texts(one_attribute(), &["word"]);
        let text = index.snapshot().segments()[0].text().instance_id();
        let cache = VariantCache::new(1 << 16);
        for number in 0..1000 {
            let word = format!("word{number}").into();
            let key = VariantKey { text, word, is_prefix: true, budget: 2, skip_numbers: false };
            let found = cache.get_or_find(key, || Variants {
                one_typo: vec![number; 150],
                two_typos: vec![number; 100],
            });
            assert_eq!((found.one_typo[149], found.two_typos[99]), (number, number));
        }
        let bytes = cache.0.bytes();
        assert!(bytes <= 1 << 16 && bytes > 1 << 14, "{bytes} bytes");
    }
}
