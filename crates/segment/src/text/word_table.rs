//! The words of a buffer, each once, numbered in order of their first use.
//!
//! It is used once for every word of every document. Words of up to 16 bytes, which nearly all are,
//! are stored in the table itself, so that one lookup is enough.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Debug, Default)]
pub struct WordTable {
    /// Concatenated words.
    arena: Vec<u8>,
    /// End of each word.
    ends: Vec<u32>,
    short: HashTable<Short>,
    /// Half of the hash beside the number, to reject other words without looking them up.
    long: HashTable<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Short {
    bytes: Packed,
    number: u32,
}

/// A short word: its first and last bytes, which may overlap and identify it with the length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed {
    start: u64,
    end: u64,
    length: u32,
}

impl Packed {
    #[inline]
    fn new(word: &[u8]) -> Option<Self> {
        let length = word.len() as u32;
        let (start, end) = match word.len() {
            8..=16 => {
                (u64::from_le_bytes(*word.first_chunk()?), u64::from_le_bytes(*word.last_chunk()?))
            }
            4..8 => (
                u64::from(u32::from_le_bytes(*word.first_chunk()?)),
                u64::from(u32::from_le_bytes(*word.last_chunk()?)),
            ),
            2..4 => (
                u64::from(u16::from_le_bytes(*word.first_chunk()?)),
                u64::from(u16::from_le_bytes(*word.last_chunk()?)),
            ),
            1 => (u64::from(word[0]), 0),
            _ => return None,
        };
        Some(Self { start, end, length })
    }

    /// Both halves of a product depend on every bit of both factors.
    #[inline]
    fn hash(self) -> u64 {
        let left = u128::from(self.start ^ 0x9e37_79b9_7f4a_7c15);
        let right =
            u128::from(self.end.rotate_left(32) ^ u64::from(self.length) ^ 0xd6e8_feb8_6659_fd93);
        let product = left * right;
        let folded = (product >> 64) as u64 ^ product as u64;
        (folded ^ folded >> 32).wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

impl WordTable {
    /// Limit of the total length of words: their offsets have 32 bits.
    pub const CAPACITY: usize = u32::MAX as usize;

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> &[u8] {
        get(&self.arena, &self.ends, number)
    }

    /// Returns whether one more word fits.
    #[inline]
    pub fn has_room(&self, word: &[u8]) -> bool {
        self.arena.len() + word.len() <= Self::CAPACITY
            && self.ends.len() < (u32::MAX >> 1) as usize
    }

    /// Returns the number of a word, and whether it is new.
    #[inline]
    pub fn intern(&mut self, word: &[u8]) -> (u32, bool) {
        let Some(bytes) = Packed::new(word) else {
            return self.intern_long(word);
        };
        let hash = bytes.hash();
        if let Some(found) = self.short.find(hash, |short| short.bytes == bytes) {
            return (found.number, false);
        }
        let number = push(&mut self.arena, &mut self.ends, word);
        self.short.insert_unique(hash, Short { bytes, number }, |short| short.bytes.hash());
        (number, true)
    }

    fn intern_long(&mut self, word: &[u8]) -> (u32, bool) {
        let Self { arena, ends, long, .. } = self;
        let hash = xxh3_64(word);
        let half = (hash >> 32) as u32;
        let is_it =
            |&(other, number): &(u32, u32)| other == half && get(arena, ends, number) == word;
        if let Some(&(_, number)) = long.find(hash, is_it) {
            return (number, false);
        }
        let number = push(arena, ends, word);
        long.insert_unique(hash, (half, number), |&(_, number)| xxh3_64(get(arena, ends, number)));
        (number, true)
    }

    /// Drops the lookup tables.
    pub fn close(&mut self) {
        self.short = HashTable::new();
        self.long = HashTable::new();
    }

    pub fn memory_used(&self) -> usize {
        self.arena.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.short.allocation_size()
            + self.long.allocation_size()
    }
}

#[inline]
fn get<'a>(arena: &'a [u8], ends: &[u32], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    &arena[start..ends[number] as usize]
}

fn push(arena: &mut Vec<u8>, ends: &mut Vec<u32>, word: &[u8]) -> u32 {
    let number = ends.len() as u32;
    arena.extend_from_slice(word);
    ends.push(arena.len() as u32);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_number() {
        let mut words = WordTable::default();
        // Of every length, and some that differ in one byte only.
        let all: Vec<String> = (0..3000_usize)
            .map(|number| format!("{number}{}", "ab".repeat(number % 11)))
            .chain((1..30).map(|length| "a".repeat(length)))
            .chain((0..30).map(|place| format!("{}b{}", "a".repeat(place), "a".repeat(29 - place))))
            .chain((0..9).map(|place| format!("{}b{}", "a".repeat(place), "a".repeat(8 - place))))
            .collect();
        for round in 0..2 {
            for (number, word) in (0..).zip(&all) {
                assert_eq!(words.intern(word.as_bytes()), (number, round == 0), "{word}");
            }
        }
        assert_eq!(words.len(), all.len());
        for (number, word) in (0..).zip(&all) {
            assert_eq!(words.get(number), word.as_bytes());
        }
        assert!(words.memory_used() > all.len() * 20);
    }
}
