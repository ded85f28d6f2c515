//! Documents in which two frequent words stand next to each other. Where one of two words is rare,
//! its few documents are quickly looked into; where both are frequent, only this tells which of
//! their many documents are worth a look.
//!
//! Every pair of frequent words is stored, however few documents have it: a pair that is missing
//! stands nowhere.

use crate::text::format::FIRST_WORD;
use crate::varint;

/// Words and documents of a part are told apart by so many bits in the making.
const WORD_BITS: u32 = 20;
const PLACE_BITS: u32 = 16;

const NOT_FREQUENT: u32 = u32::MAX;

/// A word is frequent if this share of the documents has it, within bounds: fewer documents are
/// quickly looked into, and more take too long.
const SHARE: u64 = 32;
const LEAST: u64 = 512;
const MOST: u64 = 4096;
/// In a very large file the share is smaller, but there is one, so that words are not too many.
const LARGE_SHARE: u64 = 400;

/// More words than this are not frequent, however many documents have them.
pub const MOST_WORDS: usize = 1 << WORD_BITS;

/// From how many documents on a word of a file of so many is frequent.
pub fn least_frequent(documents: u64) -> u64 {
    match cfg!(test) {
        true => (documents / 8).max(4),
        false => (documents / SHARE).clamp(LEAST, MOST).max(documents / LARGE_SHARE),
    }
}

pub struct PairsOfPart {
    /// How many words are frequent.
    frequent: usize,
    /// By ordinal: the place among the frequent words.
    numbers: Vec<u32>,
    /// Left word, right word, place of the document in this part.
    found: Vec<u64>,
    lists: Vec<u8>,
}

impl PairsOfPart {
    pub fn new(frequent: &[u32], words: u32) -> Self {
        let mut numbers = vec![NOT_FREQUENT; if frequent.is_empty() { 0 } else { words as usize }];
        for (number, &ordinal) in (0..).zip(frequent) {
            numbers[ordinal as usize] = number;
        }
        Self { frequent: frequent.len(), numbers, found: Vec::new(), lists: Vec::new() }
    }

    /// Takes the tokens of the document with this place in the part.
    pub fn add(&mut self, place: usize, fields: &[(u16, u32)], tokens: &[u32]) {
        if self.frequent == 0 {
            return;
        }
        let mut rest = tokens;
        for &(_, count) in fields {
            let (field, others) = rest.split_at(count as usize);
            rest = others;
            let mut left = NOT_FREQUENT;
            for &token in field {
                let right = match token.checked_sub(FIRST_WORD) {
                    Some(ordinal) => self.numbers[ordinal as usize],
                    None => NOT_FREQUENT,
                };
                if left != NOT_FREQUENT && right != NOT_FREQUENT {
                    let pair = u64::from(left) << WORD_BITS | u64::from(right);
                    self.found.push(pair << PLACE_BITS | place as u64);
                }
                left = right;
            }
        }
    }

    /// Adds the pairs of this part, which has so many documents.
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
            let of_left = |entry: &&u64| **entry >> (PLACE_BITS + WORD_BITS) == left as u64;
            let (mut pairs, others) = rest.split_at(rest.iter().take_while(of_left).count());
            rest = others;
            self.lists.clear();
            let mut next_right = 0;
            while let Some(first) = pairs.first() {
                let pair = first >> PLACE_BITS;
                let of_pair = |entry: &&u64| **entry >> PLACE_BITS == pair;
                let (entries, others) = pairs.split_at(pairs.iter().take_while(of_pair).count());
                pairs = others;
                let right = pair & ((1 << WORD_BITS) - 1);
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

/// Notes where the pairs of a left word start, or those of the last one end.
fn note_end(bytes: &mut [u8], start: usize, left: usize) {
    let end = (bytes.len() - start) as u32;
    bytes[start + 4 * left..][..4].copy_from_slice(&end.to_le_bytes());
}

/// Writes places as differences, or as a bitmap where that is shorter. True for a bitmap.
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

/// Each document in which the right word follows the left one, whose pairs these are, as a place in
/// the part. Nothing when the bytes make no sense, or `each` says so.
pub fn for_each_place(
    bytes: &[u8],
    right: usize,
    each: impl FnMut(usize) -> Option<()>,
) -> Option<()> {
    match find_list(bytes, right)? {
        Some((list, is_bitmap)) => read_places(list, is_bitmap, each),
        None => Some(()),
    }
}

/// The list of a right word among the pairs of a left one, and whether it is a bitmap.
#[expect(clippy::option_option, reason = "malformed and missing are different things")]
fn find_list(bytes: &[u8], right: usize) -> Option<Option<(&[u8], bool)>> {
    let mut rest = bytes;
    let (mut next_right, mut before) = (0, 0_usize);
    let mut wanted: Option<(usize, usize, bool)> = None;
    loop {
        let head = varint::read(&mut rest)?;
        let length = usize::try_from(varint::read(&mut rest)?).ok()?;
        if length == 0 {
            break;
        }
        let this = usize::try_from(head >> 1).ok()?.checked_add(next_right)?;
        next_right = this.checked_add(1)?;
        if this == right {
            wanted = Some((before, length, head & 1 == 1));
        }
        before = before.checked_add(length)?;
    }
    let Some((start, length, is_bitmap)) = wanted else {
        return Some(None);
    };
    Some(Some((rest.get(start..start.checked_add(length)?)?, is_bitmap)))
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
