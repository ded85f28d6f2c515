//! Ranks of words in a dictionary, a finite-state map whose values are the positions of its words.

use std::ops::Range;

use fst::raw::{Fst, Node};

/// Returns the positions of the words with a prefix.
pub fn prefix_range<D: AsRef<[u8]>>(dictionary: &Fst<D>, prefix: &[u8]) -> Range<u32> {
    let mut node = dictionary.root();
    let mut before = 0;
    for &byte in prefix {
        let Some(number) = node.find_input(byte) else {
            return 0..0;
        };
        let transition = node.transition(number);
        before += transition.out.value();
        node = dictionary.node(transition.addr);
    }
    let first = first_behind(dictionary, node, before);
    let last = last_behind(dictionary, node, before);
    first.zip(last).map_or(0..0, |(first, last)| first as u32..(last as u32).saturating_add(1))
}

/// Returns the words that are prefixes of a word, including itself: lengths in bytes and positions.
pub fn beginnings<D: AsRef<[u8]>>(dictionary: &Fst<D>, word: &[u8]) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    let mut node = dictionary.root();
    let mut before = 0;
    for (length, &byte) in (1..).zip(word) {
        let Some(number) = node.find_input(byte) else {
            break;
        };
        let transition = node.transition(number);
        before += transition.out.value();
        node = dictionary.node(transition.addr);
        if node.is_final() {
            found.push((length, (before + node.final_output().value()) as u32));
        }
    }
    found
}

/// Counts the words before this one, which need not be in the dictionary.
pub fn rank<D: AsRef<[u8]>>(dictionary: &Fst<D>, word: &[u8]) -> u32 {
    let mut node = dictionary.root();
    let mut before = 0;
    for &byte in word {
        let Some(next) = node.transitions().find(|transition| transition.inp >= byte) else {
            return last_behind(dictionary, node, before).map_or(0, |last| last as u32 + 1);
        };
        before += next.out.value();
        node = dictionary.node(next.addr);
        if next.inp > byte {
            break;
        }
    }
    first_behind(dictionary, node, before).map_or(0, |first| first as u32)
}

/// Returns the position of the first word at or after a node, which has this many words before it.
fn first_behind<'d, D: AsRef<[u8]>>(
    dictionary: &'d Fst<D>,
    mut node: Node<'d>,
    mut place: u64,
) -> Option<u64> {
    while !node.is_final() {
        if node.is_empty() {
            return None;
        }
        let transition = node.transition(0);
        place += transition.out.value();
        node = dictionary.node(transition.addr);
    }
    Some(place + node.final_output().value())
}

fn last_behind<'d, D: AsRef<[u8]>>(
    dictionary: &'d Fst<D>,
    mut node: Node<'d>,
    mut place: u64,
) -> Option<u64> {
    while !node.is_empty() {
        let transition = node.transition(node.len() - 1);
        place += transition.out.value();
        node = dictionary.node(transition.addr);
    }
    node.is_final().then(|| place + node.final_output().value())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::encoding::dictionary::DictionaryWriter;
    use crate::encoding::tree::TreeWriter;

    fn check(words: &BTreeSet<String>, asked: &str) {
        let mut tree = TreeWriter::default();
        let mut shared = DictionaryWriter::default();
        for word in words {
            tree.add(word.as_bytes()).unwrap();
            shared.add(word.as_bytes()).unwrap();
        }
        for bytes in [tree.finish(), shared.finish().unwrap()] {
            let dictionary = Fst::new(bytes).unwrap();
            let before = words.iter().take_while(|word| word.as_str() < asked).count() as u32;
            assert_eq!(rank(&dictionary, asked.as_bytes()), before, "{asked}");
            let found = prefix_range(&dictionary, asked.as_bytes());
            let count = words.iter().filter(|word| word.starts_with(asked)).count() as u32;
            assert_eq!(found.len() as u32, count, "{asked}");
            assert!(count == 0 || found.start == before, "{asked}");
            let is_beginning =
                |(_, word): &(u32, &String)| !word.is_empty() && asked.starts_with(word.as_str());
            let expected: Vec<(usize, u32)> = (0..)
                .zip(words)
                .filter(is_beginning)
                .map(|(place, word)| (word.len(), place))
                .collect();
            assert_eq!(beginnings(&dictionary, asked.as_bytes()), expected, "{asked}");
        }
    }

    #[test]
    fn in_a_large_dictionary() {
        let words = (0..2000).map(|number: u32| number.to_string()).collect();
        for asked in ["", "0", "1", "10", "1999", "2", "20000", "5x", "9", "999", "a", "\0"] {
            check(&words, asked);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_words(words in prop::collection::btree_set("[a-cé]{0,5}", 0..30), asked in "[a-dé]{0,6}") {
            check(&words, &asked);
        }
    }
}
