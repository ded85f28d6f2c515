//! Offsets of consecutive items: ascending numbers in few bytes each, with random access. Blocks of
//! 64 have a full number; each of the 64 is the difference to it, in as many bytes as the largest
//! difference of the file needs.

use std::ops::Range;

use super::pages::Pages;
use crate::directory::FileBytes;
use crate::error::Result;
use crate::frame::Frame;

pub const BLOCK: usize = 64;
const BASE_LENGTH: usize = 8;

/// Starts of `count` items, and the end of the last.
pub struct Offsets {
    bytes: FileBytes,
    count: usize,
    width: usize,
    end: usize,
}

impl Offsets {
    /// Opens the offsets; `None` if the bytes are not those of so many items.
    pub fn new(bytes: FileBytes, count: usize) -> Option<Self> {
        let width = usize::from(*bytes.first()?);
        let numbers = count.checked_add(1)?;
        let blocks = numbers.div_ceil(BLOCK);
        let length = numbers.checked_mul(width)?.checked_add(blocks.checked_mul(BASE_LENGTH)?)?;
        if !(1..=8).contains(&width) || bytes.len() != length.checked_add(1)? {
            return None;
        }
        let mut offsets = Self { bytes, count, width, end: 0 };
        offsets.end = offsets.number(count)?;
        Some(offsets)
    }

    /// Returns start and end of an item.
    #[inline]
    pub fn range(&self, number: usize) -> Option<Range<usize>> {
        if number >= self.count {
            return None;
        }
        let (start, end) = (self.number(number)?, self.number(number + 1)?);
        (start <= end && end <= self.end).then_some(start..end)
    }

    /// Returns the end of the last item.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Reads the starts of a block of 64 items and the end of its last. Returns the number of
    /// items: fewer in the last block, 0 after it. Quicker than reading them one by one.
    pub fn block(&self, block: usize, starts: &mut [usize; BLOCK + 1]) -> Option<usize> {
        let first = block.checked_mul(BLOCK)?;
        let things = self.count.saturating_sub(first).min(BLOCK);
        let (place, _) = self.places(first);
        let (base, rest) = self.bytes.get(place..)?.split_first_chunk()?;
        let base = usize::try_from(u64::from_le_bytes(*base)).ok()?;
        let differences = rest.get(..(things + 1).min(BLOCK) * self.width)?;
        match self.width {
            1 => add_to_base::<1>(base, differences, starts),
            2 => add_to_base::<2>(base, differences, starts),
            3 => add_to_base::<3>(base, differences, starts),
            _ => {
                for (start, number) in starts.iter_mut().zip(first..=first + things) {
                    *start = self.number(number)?;
                }
            }
        }
        if things == BLOCK {
            starts[BLOCK] = self.number(first + BLOCK)?;
        }
        starts[..=things].is_sorted().then_some(things)
    }

    /// Returns where the base and the difference of a number start.
    #[inline]
    fn places(&self, number: usize) -> (usize, usize) {
        let block_length = BASE_LENGTH + BLOCK * self.width;
        let block = 1 + number / BLOCK * block_length;
        (block, block + BASE_LENGTH + number % BLOCK * self.width)
    }

    #[inline]
    fn number(&self, number: usize) -> Option<usize> {
        let (block, place) = self.places(number);
        let base = u64::from_le_bytes(*self.bytes.get(block..)?.first_chunk()?);
        let bytes = self.bytes.get(place..place + self.width)?;
        // Two bytes are the most frequent, and a copy of constant length needs no call.
        let difference = match *bytes {
            [one, two] => u64::from(u16::from_le_bytes([one, two])),
            [one, two, three] => u64::from(u32::from_le_bytes([one, two, three, 0])),
            _ => {
                let mut difference = [0; 8];
                difference[..self.width].copy_from_slice(bytes);
                u64::from_le_bytes(difference)
            }
        };
        usize::try_from(base.checked_add(difference)?).ok()
    }
}

/// Offsets that are checked in pages, each on first access.
pub struct PagedOffsets {
    offsets: Offsets,
    pages: Pages,
}

impl PagedOffsets {
    /// Opens the offsets; `None` if the bytes are not those of so many items.
    pub fn new(pages: Pages, count: usize, frame: &Frame) -> Result<Option<Self>> {
        /// Upper bound of the length of a block.
        const LONGEST_BLOCK: usize = BASE_LENGTH + BLOCK * 8;
        // The width of differences, and the block of the last number.
        pages.get(0..pages.len().min(1), frame)?;
        pages.get(pages.len().saturating_sub(LONGEST_BLOCK)..pages.len(), frame)?;
        let offsets = Offsets::new(pages.unchecked().clone(), count);
        Ok(offsets.map(|offsets| Self { offsets, pages }))
    }

    /// Returns start and end of an item; `None` if it is out of range.
    #[inline]
    pub fn range(&self, number: usize, frame: &Frame) -> Result<Option<Range<usize>>> {
        if number >= self.offsets.count {
            return Ok(None);
        }
        let (start, (_, end)) = (self.offsets.places(number).0, self.offsets.places(number + 1));
        self.pages.get(start..end + self.offsets.width, frame)?;
        Ok(self.offsets.range(number))
    }

    /// Returns the end of the last item.
    pub fn end(&self) -> usize {
        self.offsets.end
    }
}

#[inline]
fn add_to_base<const WIDTH: usize>(base: usize, differences: &[u8], starts: &mut [usize]) {
    let (differences, _) = differences.as_chunks::<WIDTH>();
    for (start, difference) in starts.iter_mut().zip(differences) {
        let mut bytes = [0; 8];
        bytes[..WIDTH].copy_from_slice(difference);
        *start = base.saturating_add(u64::from_le_bytes(bytes) as usize);
    }
}

/// Collects offsets. Differences take 32 bits as long as they fit.
#[derive(Debug, Default)]
pub struct OffsetsBuilder {
    bases: Vec<u64>,
    differences: Vec<u32>,
    /// The few differences that do not fit, with their number.
    large: Vec<(usize, u64)>,
    largest: u64,
}

impl OffsetsBuilder {
    /// Adds the start of the next item, or the end of the last.
    pub fn push(&mut self, offset: u64) {
        let number = self.differences.len();
        if number.is_multiple_of(BLOCK) {
            self.bases.push(offset);
        }
        let base = self.bases[number / BLOCK];
        let difference = offset.saturating_sub(base);
        self.largest = self.largest.max(difference);
        self.differences.push(u32::try_from(difference).unwrap_or_else(|_| {
            self.large.push((number, difference));
            0
        }));
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let width = (8 - self.largest.leading_zeros() as usize / 8).max(1);
        let mut out =
            Vec::with_capacity(1 + self.differences.len() * width + self.bases.len() * BASE_LENGTH);
        out.push(width as u8);
        let mut large = self.large.iter().peekable();
        for (block, differences) in self.differences.chunks(BLOCK).enumerate() {
            out.extend_from_slice(&self.bases[block].to_le_bytes());
            for (place, &difference) in differences.iter().enumerate() {
                let mut difference = u64::from(difference);
                if let Some((_, full)) =
                    large.next_if(|(number, _)| *number == block * BLOCK + place)
                {
                    difference = *full;
                }
                out.extend_from_slice(&difference.to_le_bytes()[..width]);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(offsets: &[u64]) -> usize {
        let mut builder = OffsetsBuilder::default();
        for &offset in offsets {
            builder.push(offset);
        }
        let bytes = builder.to_bytes();
        let length = bytes.len();
        let read = Offsets::new(FileBytes::from(bytes.clone()), offsets.len() - 1).unwrap();
        for (number, pair) in offsets.windows(2).enumerate() {
            assert_eq!(read.range(number), Some(pair[0] as usize..pair[1] as usize));
        }
        assert_eq!(read.range(offsets.len() - 1), None);
        let mut starts = [0; BLOCK + 1];
        let mut things = 0;
        for block in 0..offsets.len().div_ceil(BLOCK) {
            let found = read.block(block, &mut starts).unwrap();
            for (place, start) in starts[..=found].iter().enumerate() {
                assert_eq!(*start, offsets[block * BLOCK + place] as usize);
            }
            things += found;
        }
        assert_eq!(things, offsets.len() - 1);
        assert_eq!(read.block(offsets.len().div_ceil(BLOCK), &mut starts), None);
        assert_eq!(Some(read.end()), offsets.last().map(|&end| end as usize));
        assert!(Offsets::new(FileBytes::from(bytes.clone()), offsets.len()).is_none());
        assert!(Offsets::new(FileBytes::from(bytes[1..].to_vec()), offsets.len() - 1).is_none());
        length
    }

    #[test]
    fn offsets_come_back_in_few_bytes() {
        assert_eq!(check(&[0]), 1 + 8 + 1);
        assert_eq!(check(&[0, 0, 3]), 1 + 8 + 3);
        for count in [63, 64, 65, 128] {
            check(&(0..count).collect::<Vec<u64>>());
        }
        check(&(0..300).map(|number| number * 3000).collect::<Vec<u64>>());
        let even: Vec<u64> = (0..=1000).map(|number| number * 500).collect();
        assert_eq!(check(&even), 1 + 16 * 8 + 1001 * 2);
        let far: Vec<u64> = (0..200).map(|number| number * 700_000_000).collect();
        check(&far);
    }
}
