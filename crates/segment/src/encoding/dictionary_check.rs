//! Validates the bytes of a dictionary. Its library trusts them: invalid ones make it panic, or
//! loop practically forever. Checksums protect it from damage, but not from files crafted on
//! purpose, so those are validated here first.
//!
//! A dictionary is a graph of nodes, each written after its children:
//!
//! ```text
//! version (8), type (8), nodes, number of words (8), address of the root (8), checksum (4)
//! ```
//!
//! The checksum is there from version 3 on; dictionaries of few words, which we write ourselves
//! (`tree.rs`), are of version 2.
//!
//! The address of a node is that of its last byte. From there it is read backwards; the two upper
//! bits of the first byte select one of three forms:
//!
//! ```text
//! 11  one transition, to the node just before: [letter, unless the state byte says it]
//! 10  one transition: [letter, likewise], sizes, distance, value
//! 0f  any number: [number, unless the state byte says it], sizes, [a place for each of 256 letters
//!     where there are more than 32], letters, distances, values, [value of the end where f is 1]
//! ```
//!
//! `sizes` has the width of distances in its upper half and of values in its lower one. A distance
//! is counted back from the beginning of the node; 0 leads to the empty end.

use std::collections::HashMap;

use roaring::RoaringTreemap;

const HEAD: usize = 16;
/// Nodes with more transitions have a lookup table.
const LARGEST_WITHOUT_TABLE: usize = 32;

/// Values are ordinals, which are numbers of 32 bits.
const LARGEST_VALUE: u64 = u32::MAX as u64;

/// Returns whether the dictionary can be read safely, and has as many words as it says.
pub fn is_sound(bytes: &[u8]) -> bool {
    words(bytes).is_some()
}

fn words(bytes: &[u8]) -> Option<u64> {
    let tail = match number(bytes.get(..8)?) {
        2 => 16,
        3 => 20,
        _ => return None,
    };
    let nodes_end = bytes.len().checked_sub(tail).filter(|&end| end >= HEAD)?;
    let said = number(bytes.get(nodes_end..nodes_end + 8)?);
    let root = usize::try_from(number(bytes.get(nodes_end + 8..nodes_end + 16)?)).ok()?;
    let found = match root {
        0 if nodes_end == HEAD => 1,
        root if root + 1 == nodes_end => Graph { bytes: bytes.get(..nodes_end)? }.words(root)?,
        _ => return None,
    };
    (found == said).then_some(said)
}

/// Reads a little-endian number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

struct Graph<'b> {
    bytes: &'b [u8],
}

struct Node {
    /// Value of the word that ends here.
    end: Option<u64>,
    /// Target of each transition, 0 being the empty end, and its value.
    transitions: Vec<(usize, u64)>,
}

/// Words reachable from a node.
#[derive(Clone, Copy)]
struct ReachableWords {
    words: u64,
    /// The largest sum of values on any path.
    value: u64,
}

impl Graph<'_> {
    /// Counts the words below this node; `None` if anything below is invalid. Every step leads to a
    /// smaller address, so that there are no cycles.
    fn words(&self, root: usize) -> Option<u64> {
        let mut reachable = RoaringTreemap::new();
        let mut open = vec![root];
        while let Some(address) = open.pop() {
            if reachable.insert(address as u64) {
                let targets = self.node(address)?.transitions.into_iter();
                open.extend(targets.map(|(target, _)| target).filter(|&target| target != 0));
            }
        }
        let mut reached: HashMap<usize, ReachableWords> = HashMap::new();
        for address in reachable {
            let address = address as usize;
            let node = self.node(address)?;
            let mut all = ReachableWords { words: u64::from(node.end.is_some()), value: 0 };
            all.value = node.end.unwrap_or(0);
            for (target, value) in node.transitions {
                let behind = match target {
                    0 => ReachableWords { words: 1, value: 0 },
                    target => *reached.get(&target)?,
                };
                all.words = all.words.checked_add(behind.words)?;
                all.value = all.value.max(value.checked_add(behind.value)?);
            }
            if all.value > LARGEST_VALUE {
                return None;
            }
            reached.insert(address, all);
        }
        reached.get(&root).map(|all| all.words)
    }

    fn node(&self, address: usize) -> Option<Node> {
        let mut back = ReverseReader { bytes: self.bytes, at: address + 1 };
        let state = back.byte()?;
        match state >> 6 {
            0b11 => {
                back.letter(state)?;
                let before = back.at.checked_sub(1).filter(|&before| before >= HEAD)?;
                Some(Node { end: None, transitions: vec![(before, 0)] })
            }
            0b10 => {
                back.letter(state)?;
                let (distance, value) = sizes(back.byte()?, 1)?;
                let distance = number(back.take(distance)?);
                let value = number(back.take(value)?);
                let target = target(back.at, distance)?;
                Some(Node { end: None, transitions: vec![(target, value)] })
            }
            is_end => self.wide_node(state & 0b11_1111, is_end == 1, back),
        }
    }

    fn wide_node(&self, count: u8, is_end: bool, mut back: ReverseReader<'_>) -> Option<Node> {
        let count = match count {
            0 => match back.byte()? {
                1 => 256,
                count => usize::from(count),
            },
            count => usize::from(count),
        };
        let (distance, value) = sizes(back.byte()?, count)?;
        let table = if count > LARGEST_WITHOUT_TABLE { Some(back.take(256)?) } else { None };
        // All lists are written from the last transition to the first.
        let letters: Vec<u8> = back.take(count)?.iter().rev().copied().collect();
        if !letters.is_sorted_by(|left, right| left < right) {
            return None;
        }
        if let Some(table) = table {
            let place = |letter: u8| letters.binary_search(&letter).unwrap_or(usize::MAX);
            let is_right = |(letter, &said): (usize, &u8)| {
                let (said, found) = (usize::from(said), place(letter as u8));
                said == found || (said >= count && found == usize::MAX)
            };
            if !table.iter().enumerate().all(is_right) {
                return None;
            }
        }
        let distances = back.take(count * distance)?.chunks_exact(distance.max(1)).rev();
        let distances: Vec<u64> = distances.map(number).collect();
        let values = back.take(count * value)?.chunks_exact(value.max(1)).rev();
        let mut values: Vec<u64> = values.map(number).collect();
        values.resize(count, 0);
        let end = if is_end { Some(number(back.take(value)?)) } else { None };
        if distances.len() != count {
            return None;
        }
        let targets = distances.into_iter().map(|distance| target(back.at, distance));
        let targets: Vec<usize> = targets.collect::<Option<_>>()?;
        Some(Node { end, transitions: targets.into_iter().zip(values).collect() })
    }
}

/// Returns the widths of distances and of values in a node with this many transitions.
fn sizes(byte: u8, count: usize) -> Option<(usize, usize)> {
    let (distance, value) = (usize::from(byte >> 4), usize::from(byte & 0b1111));
    let is_missing = distance == 0 && count > 0;
    (!is_missing && distance <= 8 && value <= 8).then_some((distance, value))
}

fn target(start: usize, distance: u64) -> Option<usize> {
    match distance {
        0 => Some(0),
        distance => {
            start.checked_sub(usize::try_from(distance).ok()?).filter(|&target| target >= HEAD)
        }
    }
}

struct ReverseReader<'b> {
    bytes: &'b [u8],
    /// One past the next byte.
    at: usize,
}

impl<'b> ReverseReader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let start = self.at.checked_sub(count).filter(|&start| start >= HEAD)?;
        let taken = self.bytes.get(start..self.at)?;
        self.at = start;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// Reads a letter. Frequent letters are part of the state byte; which one does not matter here.
    fn letter(&mut self, state: u8) -> Option<()> {
        match state & 0b11_1111 {
            0 => self.byte().map(drop),
            _ => Some(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fst::Streamer;
    use fst::raw::{Builder, Fst};
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    use super::*;
    use crate::encoding::dictionary::DictionaryWriter;

    fn dictionary(words: &BTreeSet<Vec<u8>>) -> Vec<u8> {
        let mut builder = Builder::memory();
        for (ordinal, word) in (0..).zip(words) {
            builder.insert(word, ordinal).unwrap();
        }
        builder.into_inner().unwrap()
    }

    /// Writes a dictionary as segments do: few words as our own tree.
    fn written(words: &BTreeSet<Vec<u8>>) -> Vec<u8> {
        let mut writer = DictionaryWriter::default();
        for word in words {
            writer.add(word).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn dictionaries_of_all_shapes_are_sound() {
        let text = |words: &[&str]| words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let all_letters: BTreeSet<Vec<u8>> = (0..=255).map(|letter| vec![b'x', letter]).collect();
        let many: BTreeSet<Vec<u8>> =
            (0..20_000).map(|number| format!("{:x}", number * 7919).into_bytes()).collect();
        let small: [BTreeSet<Vec<u8>>; 4] =
            [text(&[]), text(&[""]), text(&["a"]), text(&["", "salt", "salted", "solt"])];
        for words in small.iter().chain([&all_letters, &many]) {
            for bytes in [dictionary(words), written(words)] {
                assert!(is_sound(&bytes), "{} words", words.len());
                assert!((0..bytes.len()).step_by(7).all(|length| !is_sound(&bytes[..length])));
            }
        }
    }

    /// Few words, so that the graph is small and changes are likely to be met.
    fn some_words() -> impl Strategy<Value = BTreeSet<Vec<u8>>> {
        prop_oneof![
            btree_set("[a-c]{0,4}".prop_map(String::into_bytes), 0..12),
            btree_set(proptest::collection::vec(any::<u8>(), 0..3), 0..120),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// A dictionary that passes can be read to its end, and is no longer than it says.
        #[test]
        fn sound_dictionaries_can_be_read(
            words in some_words(),
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut bytes = dictionary(&words);
            prop_assert!(is_sound(&bytes));
            for (place, with) in changes {
                let place = place.index(bytes.len());
                bytes[place] = with;
            }
            if is_sound(&bytes) {
                let dictionary = Fst::new(&bytes[..]).expect("sound");
                let mut found = 0;
                let mut stream = dictionary.stream();
                while let Some((word, value)) = stream.next() {
                    found += 1;
                    let _ = dictionary.get(word);
                    prop_assert!(value.value() <= LARGEST_VALUE);
                }
                prop_assert_eq!(found, dictionary.len());
                for word in &words {
                    let _ = dictionary.get(word);
                }
            }
        }
    }
}
