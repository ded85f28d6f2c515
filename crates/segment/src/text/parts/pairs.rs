//! Documents in which two frequent words are close together: adjacent, or with one or two words
//! between them. If one of two words is rare, its few documents are quick to examine; if both are
//! frequent, only this tells which of their many documents are worth reading.
//!
//! Every pair of such words is stored, even of few documents: a missing pair occurs nowhere.

use std::ops::Range;

use crate::text::format::{FIRST_WORD, GAP};
use crate::varint;

/// Bit widths of an entry: left word, right word with the steps to it, and index of a document.
const RIGHT_BITS: u32 = 22;
const PLACE_BITS: u32 = 16;

const NOT_FREQUENT: u32 = u32::MAX;

/// A word is frequent if one in this many documents has it, within bounds: fewer documents are
/// quick to examine, and more take too long.
const SHARE: u64 = 20;
/// Share before version 4.
const OLDER_SHARE: u64 = 32;
const LEAST: u64 = 512;
const MOST: u64 = 4096;
/// Share in a very large file: smaller, but limited, so that frequent words are not too many.
const LARGE_SHARE: u64 = 400;

/// Share for pairs with words between them, of which there are more.
const NEAR_SHARE: u64 = 10;
const MOST_NEAR: u64 = 16_384;
const LARGE_NEAR_SHARE: u64 = 100;

/// Maximum number of frequent words, however many documents have them.
pub const MOST_WORDS: usize = 1 << 20;

/// Returns how many documents make a word frequent in a file of `documents`.
pub fn least_frequent(documents: u64) -> u64 {
    least_of_share(documents, SHARE)
}

/// Returns the value of [`least_frequent`] before version 4.
pub fn older_least_frequent(documents: u64) -> u64 {
    least_of_share(documents, OLDER_SHARE)
}

fn least_of_share(documents: u64, share: u64) -> u64 {
    if cfg!(test) {
        return (documents / 8).max(4);
    }
    (documents / share).clamp(LEAST, MOST).max(documents / LARGE_SHARE)
}

/// Returns how many documents make near pairs of a word stored. It is frequent then.
pub fn least_near(documents: u64) -> u64 {
    if cfg!(test) {
        return (documents / 6).max(4);
    }
    (documents / NEAR_SHARE).clamp(LEAST, MOST_NEAR).max(documents / LARGE_NEAR_SHARE)
}

/// Number of tokens from the left to the right word of a pair.
pub type Steps = u32;
/// Steps of adjacent words, and of words with others between them.
pub const ADJACENT: Range<Steps> = 1..2;
pub const NEAR: Range<Steps> = 2..4;
/// Most steps of any pair.
const LONGEST: usize = 3;

/// Pairs of words at some distances, in one part.
pub struct PairsOfPart {
    steps: Range<Steps>,
    /// Number of frequent words.
    frequent: usize,
    /// Position among the frequent words, by ordinal.
    numbers: Vec<u32>,
    /// Left word, right word with steps, and index of the document in this part.
    found: Vec<u64>,
    lists: Vec<u8>,
}

impl PairsOfPart {
    /// Creates an empty list for pairs of those frequent words that `is_taken` selects by position.
    pub fn new(
        steps: Range<Steps>,
        frequent: &[u32],
        words: u32,
        is_taken: impl Fn(usize) -> bool,
    ) -> Self {
        let mut numbers = vec![NOT_FREQUENT; if frequent.is_empty() { 0 } else { words as usize }];
        for (number, &ordinal) in
            frequent.iter().enumerate().filter(|(number, _)| is_taken(*number))
        {
            numbers[ordinal as usize] = number as u32;
        }
        Self { steps, frequent: frequent.len(), numbers, found: Vec::new(), lists: Vec::new() }
    }

    /// Adds the tokens of the document with this index in the part.
    pub fn add(&mut self, place: usize, fields: &[(u16, u32)], tokens: &[u32]) {
        if self.frequent == 0 {
            return;
        }
        let mut rest = tokens;
        for &(_, count) in fields {
            let (field, others) = rest.split_at(count as usize);
            rest = others;
            // The preceding words, the last one first.
            let mut before = [NOT_FREQUENT; LONGEST];
            for &token in field {
                if token == GAP {
                    before = [NOT_FREQUENT; LONGEST];
                    continue;
                }
                let right = match token.checked_sub(FIRST_WORD) {
                    Some(ordinal) => self.numbers[ordinal as usize],
                    None => NOT_FREQUENT,
                };
                if right != NOT_FREQUENT {
                    for steps in self.steps.clone() {
                        let left = before[steps as usize - 1];
                        if left != NOT_FREQUENT {
                            let right = right_key(right as usize, steps, &self.steps) as u64;
                            let pair = u64::from(left) << RIGHT_BITS | right;
                            self.found.push(pair << PLACE_BITS | place as u64);
                        }
                    }
                }
                before = [right, before[0], before[1]];
            }
        }
    }

    /// Appends the pairs of this part, which has this many documents.
    pub fn write(&mut self, documents: usize, out: &mut Vec<u8>) {
        if self.frequent == 0 {
            return;
        }
        self.found.sort_unstable();
        self.found.dedup();
        let start = out.len();
        out.resize(start + 4 * (self.frequent + 1), 0);
        let mut rest = &self.found[..];
        for left in 0..self.frequent {
            note_end(out, start, left);
            let of_left = |entry: &&u64| **entry >> (PLACE_BITS + RIGHT_BITS) == left as u64;
            let (mut pairs, others) = rest.split_at(rest.iter().take_while(of_left).count());
            rest = others;
            self.lists.clear();
            let mut next_right = 0;
            while let Some(first) = pairs.first() {
                let pair = first >> PLACE_BITS;
                let of_pair = |entry: &&u64| **entry >> PLACE_BITS == pair;
                let (entries, others) = pairs.split_at(pairs.iter().take_while(of_pair).count());
                pairs = others;
                let right = pair & ((1 << RIGHT_BITS) - 1);
                let list_start = self.lists.len();
                let is_bitmap = write_places(&mut self.lists, entries, documents);
                varint::write(out, (right - next_right) << 1 | u64::from(is_bitmap));
                varint::write(out, (self.lists.len() - list_start) as u64);
                next_right = right + 1;
            }
            // No list is empty.
            out.extend_from_slice(&[0, 0]);
            out.extend_from_slice(&self.lists);
        }
        note_end(out, start, self.frequent);
        self.found.clear();
    }
}

/// Returns the key of a right word with the steps to it, among all of the same table.
pub fn right_key(right: usize, steps: Steps, all: &Range<Steps>) -> usize {
    right * all.len() + (steps - all.start) as usize
}

/// Records the start of the pairs of a left word, or the end of the last one.
fn note_end(bytes: &mut [u8], start: usize, left: usize) {
    let end = (bytes.len() - start) as u32;
    bytes[start + 4 * left..][..4].copy_from_slice(&end.to_le_bytes());
}

/// Writes indexes as differences, or as a bitmap where that is shorter. Returns true for a bitmap.
fn write_places(out: &mut Vec<u8>, entries: &[u64], documents: usize) -> bool {
    let places = entries.iter().map(|entry| entry & ((1 << PLACE_BITS) - 1));
    if entries.len() >= documents.div_ceil(8) {
        let start = out.len();
        out.resize(start + documents.div_ceil(8), 0);
        for place in places {
            out[start + place as usize / 8] |= 1 << (place % 8);
        }
        return true;
    }
    let mut next = 0;
    for place in places {
        varint::write(out, place - next);
        next = place + 1;
    }
    false
}

/// Visits the lists of some right words, given by ascending keys, among the pairs of a left one.
/// `each` gets the index of a key in `keys` and the index of a document in the part. `None` if the
/// bytes are invalid, or if `each` returns `None`.
pub fn for_each_place(
    bytes: &[u8],
    keys: &[usize],
    mut each: impl FnMut(usize, usize) -> Option<()>,
) -> Option<()> {
    let mut rest = bytes;
    let (mut next_right, mut before) = (0, 0_usize);
    let mut wanted = 0;
    let mut found: Vec<(usize, Range<usize>, bool)> = Vec::with_capacity(keys.len());
    loop {
        let head = varint::read(&mut rest)?;
        let length = usize::try_from(varint::read(&mut rest)?).ok()?;
        if length == 0 {
            break;
        }
        let this = usize::try_from(head >> 1).ok()?.checked_add(next_right)?;
        next_right = this.checked_add(1)?;
        let end = before.checked_add(length)?;
        while keys.get(wanted).is_some_and(|key| *key < this) {
            wanted += 1;
        }
        if keys.get(wanted) == Some(&this) {
            found.push((wanted, before..end, head & 1 == 1));
        }
        before = end;
    }
    for (place, list, is_bitmap) in found {
        read_places(rest.get(list)?, is_bitmap, |document| each(place, document))?;
    }
    Some(())
}

fn read_places(
    mut bytes: &[u8],
    is_bitmap: bool,
    mut each: impl FnMut(usize) -> Option<()>,
) -> Option<()> {
    if is_bitmap {
        for (number, &byte) in bytes.iter().enumerate() {
            let mut bits = byte;
            while bits != 0 {
                each(8 * number + bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
            }
        }
        return Some(());
    }
    let mut next = 0_usize;
    while !bytes.is_empty() {
        let place = next.checked_add(usize::try_from(varint::read(&mut bytes)?).ok()?)?;
        each(place)?;
        next = place.checked_add(1)?;
    }
    Some(())
}
