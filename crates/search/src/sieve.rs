//! Finds the tokens of a stream that may be among the wanted ones, many at a time. A stream holds
//! the lower halves of its tokens side by side, so a few wanted words are compared with a whole
//! chunk at once, in a form that compilers turn into vector instructions; what passes is looked
//! at in full. Many wanted words go through a table of bits instead.

use segment::text::{FieldTokens, GAP};

/// Tokens looked at together.
const CHUNK: usize = 16;
/// Beyond this many comparisons a chunk, the table of bits is quicker.
const MAX_COMPARISONS: usize = 12;
const BITS: usize = 1 << 14;

pub(crate) struct Sieve {
    /// Lower halves of single tokens.
    singles: Vec<u16>,
    /// Lower halves of ranges: first, and how many more.
    ranges: Vec<(u16, u16)>,
    /// A range so long that every lower half is in it.
    passes_all: bool,
    bits: Box<[u64; BITS / 64]>,
}

impl Default for Sieve {
    fn default() -> Self {
        let mut sieve = Self {
            singles: Vec::new(),
            ranges: Vec::new(),
            passes_all: false,
            bits: Box::new([0; BITS / 64]),
        };
        // Positions are counted by gaps.
        sieve.add(GAP);
        sieve
    }
}

impl Sieve {
    /// The same without ranges.
    pub fn without_ranges(&self) -> Self {
        Self {
            singles: self.singles.clone(),
            ranges: Vec::new(),
            passes_all: false,
            bits: self.bits.clone(),
        }
    }

    pub fn add(&mut self, token: u32) {
        let bit = token as usize % BITS;
        self.bits[bit / 64] |= 1 << (bit % 64);
        let low = token as u16;
        if self.singles.len() <= MAX_COMPARISONS && !self.singles.contains(&low) {
            self.singles.push(low);
        }
    }

    pub fn add_range(&mut self, start: u32, end: u32) {
        if end <= start {
            return;
        }
        let last = end - 1;
        match (last >> 16) - (start >> 16) {
            0 => self.ranges.push((start as u16, (last - start) as u16)),
            1 if last - start < 1 << 16 => {
                self.ranges.push((start as u16, u16::MAX - start as u16));
                self.ranges.push((0, last as u16));
            }
            _ => self.passes_all = true,
        }
    }

    /// Every token that may be wanted, with its place in the stream.
    #[inline]
    pub fn for_each_candidate(&self, field: FieldTokens<'_>, mut each: impl FnMut(usize, u32)) {
        if self.passes_all {
            field.iter().enumerate().for_each(|(place, token)| each(place, token));
        } else if self.singles.len() + self.ranges.len() > MAX_COMPARISONS {
            for (place, token) in field.iter().enumerate() {
                let bit = token as usize % BITS;
                let low = token as u16;
                if self.bits[bit / 64] >> (bit % 64) & 1 != 0
                    || self.ranges.iter().any(|&(first, more)| low.wrapping_sub(first) <= more)
                {
                    each(place, token);
                }
            }
        } else {
            self.compare_chunks(field, each);
        }
    }

    fn compare_chunks(&self, field: FieldTokens<'_>, mut each: impl FnMut(usize, u32)) {
        let (chunks, rest) = field.low().as_chunks::<CHUNK>();
        for (number, chunk) in chunks.iter().enumerate() {
            let passed = self.passed(&chunk.map(u16::from_le_bytes));
            for (start, eight) in passed.as_chunks::<8>().0.iter().enumerate() {
                // Eight answers at once; most often all are no.
                let mut left = u64::from_le_bytes(*eight);
                while left != 0 {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    let place = number * CHUNK + start * 8 + bit as usize / 8;
                    each(place, field.get(place));
                }
            }
        }
        for (place, bytes) in rest.iter().enumerate() {
            if self.may_want(u16::from_le_bytes(*bytes)) {
                let place = chunks.len() * CHUNK + place;
                each(place, field.get(place));
            }
        }
    }

    #[inline]
    fn may_want(&self, low: u16) -> bool {
        let mut wants = false;
        for &single in &self.singles {
            wants |= low == single;
        }
        for &(first, more) in &self.ranges {
            wants |= low.wrapping_sub(first) <= more;
        }
        wants
    }

    /// Which values may be wanted: 1 for yes.
    #[inline]
    fn passed(&self, values: &[u16; CHUNK]) -> [u8; CHUNK] {
        let mut passed = [0_u16; CHUNK];
        for &single in &self.singles {
            for (passed, value) in passed.iter_mut().zip(values) {
                *passed |= u16::from(*value == single);
            }
        }
        for &(first, more) in &self.ranges {
            for (passed, value) in passed.iter_mut().zip(values) {
                *passed |= u16::from(value.wrapping_sub(first) <= more);
            }
        }
        passed.map(|one| one as u8)
    }
}
