//! Filter in front of the external ids: it answers "certainly not here" for all but about one in a
//! hundred of the ids that a segment does not have, with one memory access. An import of new
//! documents looks up every id in every segment, so this is what it costs.
//!
//! It is a split-block Bloom filter: an id picks one 32-byte block and sets one bit in each of
//! its eight words.

const BLOCK_LENGTH: usize = 32;
const BITS_PER_ID: u64 = 10;

/// Odd numbers that spread the same 32 bits differently over the eight words.
const SPREAD: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// Collects ids by their hash.
#[derive(Debug)]
pub struct IdFilterBuilder {
    bytes: Vec<u8>,
}

impl IdFilterBuilder {
    pub fn new(ids: u64) -> Self {
        let blocks = (ids * BITS_PER_ID).div_ceil(8 * BLOCK_LENGTH as u64);
        Self { bytes: vec![0; blocks as usize * BLOCK_LENGTH] }
    }

    pub fn insert(&mut self, hash: u64) {
        let Some(start) = block_start(hash, self.bytes.len()) else {
            return;
        };
        let block = &mut self.bytes[start..start + BLOCK_LENGTH];
        for (word, bit) in block.chunks_exact_mut(4).zip(bits(hash)) {
            word[bit / 8] |= 1 << (bit % 8);
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Returns whether the filter has a valid length.
pub fn is_well_formed(filter: &[u8]) -> bool {
    filter.len().is_multiple_of(BLOCK_LENGTH)
}

pub fn may_contain(filter: &[u8], hash: u64) -> bool {
    let Some(start) = block_start(hash, filter.len()) else {
        return false;
    };
    let block = &filter[start..start + BLOCK_LENGTH];
    block.chunks_exact(4).zip(bits(hash)).all(|(word, bit)| word[bit / 8] & (1 << (bit % 8)) != 0)
}

/// Picks the block by the upper half of the hash, without needing a power of two.
fn block_start(hash: u64, length: usize) -> Option<usize> {
    let blocks = (length / BLOCK_LENGTH) as u64;
    if blocks == 0 {
        return None;
    }
    Some((((hash >> 32) * blocks) >> 32) as usize * BLOCK_LENGTH)
}

/// Picks the bit (0 to 31) in each word by the lower half of the hash.
fn bits(hash: u64) -> impl Iterator<Item = usize> {
    SPREAD.iter().map(move |spread| ((hash as u32).wrapping_mul(*spread) >> 27) as usize)
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn hash(id: u32) -> u64 {
        xxh3_64(id.to_string().as_bytes())
    }

    #[test]
    fn every_id_is_found_and_few_others_are() {
        let mut builder = IdFilterBuilder::new(10_000);
        (0..10_000).for_each(|id| builder.insert(hash(id)));
        let filter = builder.bytes();
        assert!(is_well_formed(filter));
        assert!((0..10_000).all(|id| may_contain(filter, hash(id))));
        let wrong = (10_000..110_000).filter(|&id| may_contain(filter, hash(id))).count();
        assert!(wrong < 2_000, "{wrong} of 100,000");
    }

    #[test]
    fn an_empty_filter_has_nothing() {
        let builder = IdFilterBuilder::new(0);
        assert!(!may_contain(builder.bytes(), hash(1)));
    }
}
