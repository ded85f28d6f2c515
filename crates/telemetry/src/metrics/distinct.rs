//! Counts distinct values. Only hashes are stored, and only their number is sent.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Limit of stored hashes; further values count as seen.
const MOST: usize = 1000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Distinct(HashSet<u64>);

impl Distinct {
    pub fn add(&mut self, hash: u64) {
        if self.0.len() < MOST {
            self.0.insert(hash);
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// Hashes a value whose text is private.
pub(crate) fn hash(value: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_count_once_and_memory_is_bounded() {
        let mut distinct = Distinct::default();
        for value in ["a", "b", "a"] {
            distinct.add(hash(value));
        }
        assert_eq!(distinct.len(), 2);
        (0..100_000_u64).for_each(|value| distinct.add(value));
        assert_eq!(distinct.len(), MOST);
    }
}
