//! Finds the tokens of a stream that may be among those searched for, many at a time. A stream
//! holds the lower halves of its tokens side by side, so that a few words are compared with a whole
//! chunk at once; candidates are then compared in full. Many words use a table of bits instead.

use segment::text::{FieldTokens, GAP};

use crate::lanes::{Lanes, WIDTH};

/// Tokens compared together.
const CHUNK: usize = 2 * WIDTH;
/// Beyond this many comparisons per chunk, the table of bits is faster.
const MAX_COMPARISONS: usize = 24;
const BITS: usize = 1 << 14;

pub(crate) struct Sieve {
    /// Lower halves of single tokens.
    singles: Vec<u16>,
    lanes_of_singles: Vec<Lanes>,
    /// Lower halves of ranges: first, and how many more.
    ranges: Vec<(u16, u16)>,
    lanes_of_ranges: Vec<(Lanes, Lanes)>,
    /// A range so long that it contains every lower half.
    passes_all: bool,
    bits: Box<[u64; BITS / 64]>,
}

impl Default for Sieve {
    fn default() -> Self {
        let mut sieve = Self {
            singles: Vec::new(),
            lanes_of_singles: Vec::new(),
            ranges: Vec::new(),
            lanes_of_ranges: Vec::new(),
            passes_all: false,
            bits: Box::new([0; BITS / 64]),
        };
        // Gaps are needed to count positions.
        sieve.add(GAP);
        sieve
    }
}

impl Sieve {
    pub fn add(&mut self, token: u32) {
        let low = token as u16;
        let bit = usize::from(low) % BITS;
        self.bits[bit / 64] |= 1 << (bit % 64);
        if self.singles.len() <= MAX_COMPARISONS && !self.singles.contains(&low) {
            self.singles.push(low);
            self.lanes_of_singles.push(Lanes::splat(low));
        }
    }

    pub fn add_range(&mut self, start: u32, end: u32) {
        if end <= start {
            return;
        }
        let last = end - 1;
        match (last >> 16) - (start >> 16) {
            0 => self.add_low_range(start as u16, (last - start) as u16),
            1 if last - start < 1 << 16 => {
                self.add_low_range(start as u16, u16::MAX - start as u16);
                self.add_low_range(0, last as u16);
            }
            _ => self.passes_all = true,
        }
    }

    fn add_low_range(&mut self, first: u16, more: u16) {
        self.ranges.push((first, more));
        self.lanes_of_ranges.push((Lanes::splat(first), Lanes::splat(more)));
    }

    /// Calls `each` with every token that may be searched for and its place in the stream.
    #[inline]
    pub fn for_each_candidate(&self, field: FieldTokens<'_>, mut each: impl FnMut(usize, u32)) {
        if self.passes_all {
            field.iter().enumerate().for_each(|(place, token)| each(place, token));
        } else if self.singles.len() + self.ranges.len() > MAX_COMPARISONS {
            for (place, low) in field.low().iter().enumerate() {
                if self.may_want(u16::from_le_bytes(*low)) {
                    each(place, field.get(place));
                }
            }
        } else {
            self.compare_chunks(field, each);
        }
    }

    fn compare_chunks(&self, field: FieldTokens<'_>, mut each: impl FnMut(usize, u32)) {
        let (chunks, rest) = field.low().as_chunks::<CHUNK>();
        let mut pass = |start: usize, mut passed: u32| {
            while passed != 0 {
                let place = start + passed.trailing_zeros() as usize;
                passed &= passed - 1;
                each(place, field.get(place));
            }
        };
        for (number, chunk) in chunks.iter().enumerate() {
            pass(number * CHUNK, self.passed(chunk));
        }
        if !rest.is_empty() {
            let mut chunk = [[0; 2]; CHUNK];
            chunk[..rest.len()].copy_from_slice(rest);
            pass(chunks.len() * CHUNK, self.passed(&chunk) & ((1 << rest.len()) - 1));
        }
    }

    /// Returns whether the table of bits or a range contains a token.
    #[inline]
    fn may_want(&self, low: u16) -> bool {
        let bit = usize::from(low) % BITS;
        self.bits[bit / 64] >> (bit % 64) & 1 != 0
            || self.ranges.iter().any(|&(first, more)| low.wrapping_sub(first) <= more)
    }

    /// Returns a bit for each token that may be searched for.
    #[inline]
    fn passed(&self, chunk: &[[u8; 2]; CHUNK]) -> u32 {
        let (halves, _) = chunk.as_chunks::<WIDTH>();
        let [low, high] = [Lanes::load(&halves[0]), Lanes::load(&halves[1])];
        let mut passed = [Lanes::none(); 2];
        for &single in &self.lanes_of_singles {
            passed[0] = passed[0].or(low.equal(single));
            passed[1] = passed[1].or(high.equal(single));
        }
        for &(first, more) in &self.lanes_of_ranges {
            passed[0] = passed[0].or(low.within(first, more));
            passed[1] = passed[1].or(high.within(first, more));
        }
        Lanes::bits(passed[0], passed[1])
    }
}
