//! Writes the dictionary, a finite-state map as the `fst` crate reads it.
//!
//! The builder of that crate shares the ends of words too, for which it sets up a megabyte of
//! memory: fine for a large dictionary, far too much for the few words of a small commit. Few
//! words are written here as a plain tree in the same format (its version 2).

use fst::raw::Builder;

use crate::error::{Result, SegmentError};

/// Up to so many words a tree is good enough.
const FEW_WORDS: usize = 1024;

/// Version of the format without a checksum of its own; the frame has one.
const TREE_VERSION: u64 = 2;
/// Address of the node that ends a word and has nothing after it.
const END_OF_WORD: usize = 0;
/// Nodes with more transitions have a table of them.
const MOST_WITHOUT_TABLE: usize = 32;

/// Takes words in byte order, none of them empty; their ordinals are their places.
#[derive(Default)]
pub struct DictionaryWriter {
    /// Words so far, one after the other, and where each ends.
    few: Vec<u8>,
    ends: Vec<usize>,
    many: Option<Builder<Vec<u8>>>,
    words: u64,
}

impl DictionaryWriter {
    pub fn add(&mut self, word: &[u8]) -> Result<()> {
        if self.many.is_none() && self.ends.len() == FEW_WORDS {
            let mut builder = Builder::memory();
            for (ordinal, word) in self.list().into_iter().enumerate() {
                builder.insert(word, ordinal as u64).map_err(out_of_order)?;
            }
            self.many = Some(builder);
        }
        if let Some(builder) = &mut self.many {
            builder.insert(word, self.words).map_err(out_of_order)?;
        } else {
            let last = self.list_from(self.ends.len().saturating_sub(1));
            if last.first().is_some_and(|last| *last >= word) {
                return Err(out_of_order("words come in another order than that of their bytes"));
            }
            self.few.extend_from_slice(word);
            self.ends.push(self.few.len());
        }
        self.words += 1;
        Ok(())
    }

    pub fn finish(self) -> Result<Vec<u8>> {
        match self.many {
            Some(builder) => builder.into_inner().map_err(out_of_order),
            None => Ok(tree(&self.list())),
        }
    }

    fn list(&self) -> Vec<&[u8]> {
        self.list_from(0)
    }

    fn list_from(&self, first: usize) -> Vec<&[u8]> {
        let mut start = if first == 0 { 0 } else { self.ends[first - 1] };
        let word = |&end: &usize| &self.few[std::mem::replace(&mut start, end)..end];
        self.ends[first..].iter().map(word).collect()
    }
}

fn out_of_order(error: impl ToString) -> SegmentError {
    SegmentError::Inconsistent(error.to_string())
}

fn tree(words: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&TREE_VERSION.to_le_bytes());
    out.extend_from_slice(&0_u64.to_le_bytes());
    if words.is_empty() {
        // No file may be shorter.
        out.push(0);
    }
    let root = node(words, 0, &mut out);
    out.extend_from_slice(&(words.len() as u64).to_le_bytes());
    out.extend_from_slice(&(root as u64).to_le_bytes());
    out
}

/// A way on from a node.
struct Transition {
    byte: u8,
    /// Words before those behind it.
    output: u64,
    address: usize,
}

/// Writes the node behind the first `depth` bytes, which all of these words share, and what is
/// behind it. Gives its address, which is that of its last byte.
fn node(words: &[&[u8]], depth: usize, out: &mut Vec<u8>) -> usize {
    let is_final = words.first().is_some_and(|word| word.len() == depth);
    let mut output = u64::from(is_final);
    let mut transitions = Vec::new();
    for behind in words[usize::from(is_final)..].chunk_by(|left, right| left[depth] == right[depth])
    {
        let address = node(behind, depth + 1, out);
        transitions.push(Transition { byte: behind[0][depth], output, address });
        output += behind.len() as u64;
    }
    match &transitions[..] {
        [] if is_final => return END_OF_WORD,
        [only] if !is_final => write_single(only, out),
        _ => write_node(&transitions, is_final, out),
    }
    out.len() - 1
}

/// A node with one transition; the output of the only way on is always 0.
fn write_single(transition: &Transition, out: &mut Vec<u8>) {
    let start = out.len();
    if transition.address != END_OF_WORD && transition.address + 1 == start {
        // Right before this one: the address goes without saying.
        out.extend_from_slice(&[transition.byte, 0b1100_0000]);
        return;
    }
    let distance = distance(start, transition.address);
    let width = width(distance);
    push(out, distance, width);
    out.extend_from_slice(&[(width as u8) << 4, transition.byte, 0b1000_0000]);
}

/// Numbers of a node are of the same width and stand in descending order of their bytes.
fn write_node(transitions: &[Transition], is_final: bool, out: &mut Vec<u8>) {
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
        // A count of 256 does not fit and is written as 1, which never stands here otherwise.
        256 => out.extend_from_slice(&[1, final_bit]),
        count => out.extend_from_slice(&[count as u8, final_bit]),
    }
}

fn distance(from: usize, address: usize) -> u64 {
    if address == END_OF_WORD { END_OF_WORD as u64 } else { (from - address) as u64 }
}

/// Bytes that a number needs.
fn width(number: u64) -> usize {
    (8 - number.leading_zeros() as usize / 8).max(1)
}

fn push(out: &mut Vec<u8>, number: u64, width: usize) {
    out.extend_from_slice(&number.to_le_bytes()[..width]);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fst::Streamer;
    use fst::raw::Fst;
    use proptest::prelude::*;

    use super::*;

    fn dictionary(words: &BTreeSet<Vec<u8>>) -> Fst<Vec<u8>> {
        let mut writer = DictionaryWriter::default();
        words.iter().for_each(|word| writer.add(word).unwrap());
        Fst::new(writer.finish().unwrap()).unwrap()
    }

    fn check(words: &BTreeSet<Vec<u8>>) {
        let dictionary = dictionary(words);
        assert_eq!(dictionary.len(), words.len());
        for (ordinal, word) in (0..).zip(words) {
            assert_eq!(dictionary.get(word).map(fst::raw::Output::value), Some(ordinal));
            assert_eq!(dictionary.get_key(ordinal).as_ref(), Some(word));
            let mut longer = word.clone();
            longer.push(b'x');
            assert_eq!(dictionary.get(&longer).is_some(), words.contains(&longer));
        }
        let mut stream = dictionary.stream();
        for (ordinal, word) in (0..).zip(words) {
            let (found, output) = stream.next().unwrap();
            assert_eq!((found, output.value()), (&word[..], ordinal));
        }
        assert!(stream.next().is_none());
    }

    #[test]
    fn few_and_many_words() {
        for count in [0, 1, 2, 1023, 1024, 1025, 3000] {
            check(&(0..count).map(|number: u32| number.to_string().into_bytes()).collect());
        }
        check(&["a", "ab", "abc", "b"].iter().map(|word| word.as_bytes().to_vec()).collect());
    }

    #[test]
    fn nodes_with_many_ways_on() {
        for count in [32, 33, 63, 64, 65, 255, 256_u16] {
            let words = |suffix: &'static [u8]| {
                (0..count).map(move |byte| [&[b'p', byte as u8], suffix].concat())
            };
            check(&words(b"").collect());
            check(&words(b"").chain(words(b"and more")).chain([b"p".to_vec()]).collect());
        }
    }

    #[test]
    fn words_out_of_order_are_refused() {
        for count in [1, 2000] {
            let mut writer = DictionaryWriter::default();
            for number in 0..count {
                writer.add(format!("{number:05}").as_bytes()).unwrap();
            }
            assert!(writer.add(b"00000").is_err());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_words(words in prop::collection::btree_set("[a-cé]{1,6}", 0..60)) {
            check(&words.into_iter().map(String::into_bytes).collect());
        }
    }
}
