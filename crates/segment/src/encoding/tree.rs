//! Writes a finite-state map in the format of the `fst` crate (version 2), as a plain tree:
//! suffixes are not shared.
//!
//! The builder of that crate does share them, at a price: a megabyte of memory to begin with, and a
//! hash lookup for every byte that is not shared with the word before. For few words, or words with
//! different endings, that buys nothing.

use crate::error::{Result, SegmentError};

/// Version of the format without a checksum of its own; the file around it has one.
const VERSION: u64 = 2;
/// Address of the node that ends a word and has nothing after it.
const END_OF_WORD: usize = 0;
/// Nodes with more transitions have a lookup table.
const MOST_WITHOUT_TABLE: usize = 32;
/// Bytes that a node with one transition encodes in six bits, numbered from 1.
const COMMON: &[u8; 63] = b"te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG";

const COMMON_NUMBERS: [u8; 256] = {
    let mut numbers = [0; 256];
    let mut place = 0;
    while place < COMMON.len() {
        numbers[COMMON[place] as usize] = place as u8 + 1;
        place += 1;
    }
    numbers
};

/// Takes words in byte order; the value of a word is its position.
#[derive(Debug)]
pub struct TreeWriter {
    out: Vec<u8>,
    last: Vec<u8>,
    words: u64,
    /// Branching nodes on the path of the last word, the root first.
    branches: Vec<Branch>,
    /// Lists of transitions for reuse.
    spare: Vec<Vec<Transition>>,
}

/// A node on the path of the last word that is not part of a chain.
#[derive(Debug)]
struct Branch {
    depth: usize,
    /// True if a word ends here.
    is_final: bool,
    /// Number of words before those below it.
    first: u64,
    /// Transitions; the last one leads to the last word, and has no address yet.
    transitions: Vec<Transition>,
}

/// A way on from a node.
#[derive(Debug)]
struct Transition {
    byte: u8,
    /// Number of words of this node before those of the transition.
    output: u64,
    address: usize,
}

impl Default for TreeWriter {
    fn default() -> Self {
        let mut out = Vec::new();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&0_u64.to_le_bytes());
        // Without this byte the smallest maps would be too short to be valid.
        out.push(0);
        Self { out, last: Vec::new(), words: 0, branches: Vec::new(), spare: Vec::new() }
    }
}

impl TreeWriter {
    pub fn add(&mut self, word: &[u8]) -> Result<()> {
        if self.words > 0 {
            let common = self.last.iter().zip(word).take_while(|(last, new)| last == new).count();
            if self.last.get(common) >= word.get(common) {
                let what = "words are not in byte order";
                return Err(SegmentError::Inconsistent(what.to_owned()));
            }
            self.branch_off(common, word[common]);
        }
        self.last.clear();
        self.last.extend_from_slice(word);
        self.words += 1;
        Ok(())
    }

    /// Returns the number of words.
    pub fn len(&self) -> u64 {
        self.words
    }

    pub fn finish(mut self) -> Vec<u8> {
        let (depth, address) = self.close_below(None);
        let mut root = self.write_chain(0..depth, address);
        if root == END_OF_WORD {
            // No word, or only the empty one. The root must have an address all the same.
            self.write_node(&[], self.words > 0);
            root = self.out.len() - 1;
        }
        self.out.extend_from_slice(&self.words.to_le_bytes());
        self.out.extend_from_slice(&(root as u64).to_le_bytes());
        self.out
    }

    /// Prepares for a word that has `depth` bytes in common with the last one, and then `byte`.
    fn branch_off(&mut self, depth: usize, byte: u8) {
        let (below, address) = self.close_below(Some(depth));
        if self.branches.last().is_none_or(|branch| branch.depth < depth) {
            self.push_branch(depth);
        }
        // If the new word begins with the last one, nothing is below the last one.
        if below > depth {
            let address = self.write_chain(depth + 1..below, address);
            self.set_address(address);
        }
        let words = self.words;
        if let Some(branch) = self.branches.last_mut() {
            let output = words - branch.first;
            branch.transitions.push(Transition { byte, output, address: END_OF_WORD });
        }
    }

    /// Turns a node on the path of the last word into a branch.
    fn push_branch(&mut self, depth: usize) {
        let first = self.branches.last().map_or(0, |above| {
            above.first + above.transitions.last().map_or(0, |last| last.output)
        });
        let mut transitions = self.spare.pop().unwrap_or_default();
        transitions.clear();
        let next = self.last.get(depth);
        transitions.extend(next.map(|&byte| Transition { byte, output: 0, address: END_OF_WORD }));
        self.branches.push(Branch { depth, is_final: next.is_none(), first, transitions });
    }

    /// Sets the address of the path from the last branch to the last word.
    fn set_address(&mut self, address: usize) {
        if let Some(last) =
            self.branches.last_mut().and_then(|branch| branch.transitions.last_mut())
        {
            last.address = address;
        }
    }

    /// Writes the branches below a depth, or all of them. Returns the depth of the last node that
    /// was written, and its address.
    fn close_below(&mut self, depth: Option<usize>) -> (usize, usize) {
        let (mut below, mut address) = (self.last.len(), END_OF_WORD);
        while let Some(mut branch) =
            self.branches.pop_if(|branch| depth.is_none_or(|depth| branch.depth > depth))
        {
            address = self.write_chain(branch.depth + 1..below, address);
            if let Some(last) = branch.transitions.last_mut() {
                last.address = address;
            }
            self.write_node(&branch.transitions, branch.is_final);
            self.spare.push(branch.transitions);
            (below, address) = (branch.depth, self.out.len() - 1);
        }
        (below, address)
    }

    /// Writes a chain of single-transition nodes for these bytes of the last word.
    fn write_chain(&mut self, bytes: std::ops::Range<usize>, mut address: usize) -> usize {
        let out = &mut self.out;
        for &byte in self.last[bytes].iter().rev() {
            let start = out.len();
            let common = COMMON_NUMBERS[usize::from(byte)];
            // The address of the node just before is implied.
            let is_next = address != END_OF_WORD && address + 1 == start;
            if !is_next {
                let distance = distance(start, address);
                let width = width(distance);
                push(out, distance, width);
                out.push((width as u8) << 4);
            }
            if common == 0 {
                out.push(byte);
            }
            out.push(0b1000_0000 | u8::from(is_next) << 6 | common);
            address = out.len() - 1;
        }
        address
    }

    /// Writes a node. Its numbers have the same width and come in descending order of their bytes.
    fn write_node(&mut self, transitions: &[Transition], is_final: bool) {
        let out = &mut self.out;
        let start = out.len();
        let distance_of = |transition: &Transition| distance(start, transition.address);
        let distance_width = transitions.iter().map(|it| width(distance_of(it))).max().unwrap_or(0);
        let last_output = transitions.last().map_or(0, |last| last.output);
        let output_width = if last_output == 0 { 0 } else { width(last_output) };
        if output_width > 0 {
            if is_final {
                push(out, 0, output_width);
            }
            transitions.iter().rev().for_each(|it| push(out, it.output, output_width));
        }
        transitions.iter().rev().for_each(|it| push(out, distance_of(it), distance_width));
        out.extend(transitions.iter().rev().map(|transition| transition.byte));
        if transitions.len() > MOST_WITHOUT_TABLE {
            let mut table = [255; 256];
            for (place, transition) in transitions.iter().enumerate() {
                table[usize::from(transition.byte)] = place as u8;
            }
            out.extend_from_slice(&table);
        }
        out.push((distance_width << 4 | output_width) as u8);
        let final_bit = u8::from(is_final) << 6;
        match transitions.len() {
            count @ 1..64 => out.push(final_bit | count as u8),
            // A count of 256 does not fit and is written as 1, which is unused otherwise.
            256 => out.extend_from_slice(&[1, final_bit]),
            count => out.extend_from_slice(&[count as u8, final_bit]),
        }
    }
}

fn distance(from: usize, address: usize) -> u64 {
    if address == END_OF_WORD { END_OF_WORD as u64 } else { (from - address) as u64 }
}

/// Returns the number of bytes that a number needs.
fn width(number: u64) -> usize {
    (8 - number.leading_zeros() as usize / 8).max(1)
}

fn push(out: &mut Vec<u8>, number: u64, width: usize) {
    out.extend_from_slice(&number.to_le_bytes()[..width]);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::encoding::dictionary::tests::check_fst;

    fn check(words: &BTreeSet<Vec<u8>>) {
        let mut writer = TreeWriter::default();
        words.iter().for_each(|word| writer.add(word).unwrap());
        check_fst(writer.finish(), words);
    }

    fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> BTreeSet<Vec<u8>> {
        words.into_iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    #[test]
    fn few_and_many_words() {
        for count in [0, 1, 2, 1023, 3000, 70_000] {
            check(&(0..count).map(|number: u32| number.to_string().into_bytes()).collect());
        }
        check(&words(["a", "ab", "abc", "b"]));
        check(&words(["abc"]));
    }

    #[test]
    fn the_empty_word() {
        check(&words([""]));
        check(&words(["", "a"]));
        check(&words(["", "abc", "abd"]));
    }

    #[test]
    fn every_byte_at_every_kind_of_node() {
        for count in [32, 33, 63, 64, 65, 255, 256_u16] {
            let words = |suffix: &'static [u8]| {
                (0..count).map(move |byte| [&[b'p', byte as u8], suffix].concat())
            };
            check(&words(b"").collect());
            check(&words(b"").chain(words(b"and more")).chain([b"p".to_vec()]).collect());
        }
        check(&(0..=255_u8).map(|byte| vec![byte, byte, byte]).collect());
    }

    #[test]
    fn long_words() {
        let long = "é long ".repeat(60);
        check(&words([&long[..], &long[..468], &long[1 + 'é'.len_utf8()..]]));
    }

    #[test]
    fn words_out_of_order_are_refused() {
        let mut writer = TreeWriter::default();
        writer.add(b"ab").unwrap();
        for word in ["ab", "a", "", "aa"] {
            assert!(writer.add(word.as_bytes()).is_err(), "{word}");
        }
        writer.add(b"abc").unwrap();
        assert_eq!(writer.len(), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_words(words in prop::collection::btree_set("[a-cé]{0,6}", 0..60)) {
            check(&words.into_iter().map(String::into_bytes).collect());
        }
    }
}
