//! Rows of numbers in memory, read and written by many threads without locks: memory that has been
//! handed out never moves. It grows in chunks, each twice as large as the one before.
//!
//! Fresh memory is zeroed and costs nothing until it is touched.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

/// Rows of the first chunk, as a power of two.
const FIRST_BITS: u32 = 10;
const CHUNKS: usize = (33 - FIRST_BITS) as usize;

#[derive(Debug)]
pub struct Rows {
    width: usize,
    chunks: [OnceLock<Box<[AtomicU32]>>; CHUNKS],
}

impl Rows {
    pub fn new(width: usize) -> Self {
        Self { width, chunks: std::array::from_fn(|_| OnceLock::new()) }
    }

    /// Returns a row, if its memory has been allocated.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&[AtomicU32]> {
        let (chunk, place) = place(index);
        let start = place * self.width;
        self.chunks[chunk].get()?.get(start..start + self.width)
    }

    /// Returns a row, allocated and zeroed if it is new.
    pub fn get_or_new(&self, index: u32) -> &[AtomicU32] {
        let (chunk, place) = place(index);
        let rows = 1 << (chunk as u32 + FIRST_BITS);
        let new = || bytemuck::zeroed_slice_box(rows * self.width);
        let start = place * self.width;
        &self.chunks[chunk].get_or_init(new)[start..start + self.width]
    }
}

/// Returns the chunk of a row and its index there.
#[inline]
fn place(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << FIRST_BITS);
    let bits = shifted.ilog2();
    ((bits - FIRST_BITS) as usize, (shifted - (1 << bits)) as usize)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn every_row_has_its_own_memory() {
        let rows = Rows::new(3);
        assert!(rows.get(0).is_none());
        for index in 0..5000 {
            rows.get_or_new(index)[index as usize % 3].store(index + 1, Ordering::Relaxed);
        }
        for index in 0..5000 {
            let row = rows.get(index).unwrap();
            let sum: u32 = row.iter().map(|word| word.load(Ordering::Relaxed)).sum();
            assert_eq!(sum, index + 1);
        }
    }

    #[test]
    fn chunks_follow_each_other_up_to_the_last_number() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(1023), (0, 1023));
        assert_eq!(place(1024), (1, 0));
        assert_eq!(place(1024 + 2048), (2, 0));
        assert!(place(u32::MAX).0 < CHUNKS);
    }
}
