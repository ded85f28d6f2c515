//! Set of the nodes that may be results of a search, as a bitmap: quick to query, which a walk does
//! for every link, and quick to build from the documents that pass a filter.

use roaring::RoaringBitmap;
use segment::for_each_word;

#[derive(Debug)]
pub struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// Creates an empty set for nodes before `end`.
    pub fn with_room(end: u32) -> Self {
        Self { words: vec![0; end.div_ceil(64) as usize] }
    }

    #[inline(always)]
    pub fn contains(&self, node: u32) -> bool {
        self.words.get((node / 64) as usize).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Inserts a node, unless it is beyond the end.
    #[inline]
    pub fn insert(&mut self, node: u32) {
        self.insert_word(node, 1);
    }

    /// Inserts all numbers of a set, each plus `shift`, which wraps around.
    pub fn insert_all(&mut self, set: &RoaringBitmap, shift: u32) {
        for_each_word(set, |first, bits| self.insert_word(first.wrapping_add(shift), bits));
    }

    /// Inserts the nodes of a word of 64 bits, which starts at `first`.
    #[inline]
    fn insert_word(&mut self, first: u32, bits: u64) {
        let (place, shift) = ((first / 64) as usize, first % 64);
        if let Some(word) = self.words.get_mut(place) {
            *word |= bits << shift;
        }
        let rest = bits.checked_shr(64 - shift).unwrap_or(0);
        if rest != 0 {
            // Numbers wrap around.
            let next = (first.wrapping_add(64) / 64) as usize;
            if let Some(word) = self.words.get_mut(next) {
                *word |= rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(set: &RoaringBitmap, shift: u32, end: u32) {
        let mut nodes = NodeSet::with_room(end);
        nodes.insert_all(set, shift);
        for node in 0..end {
            let expected = set.contains(node.wrapping_sub(shift));
            assert_eq!(nodes.contains(node), expected, "{node}, shifted by {shift}");
        }
    }

    #[test]
    fn sets_of_every_kind_come_over_whole() {
        let mut mixed: RoaringBitmap = (0..3000).map(|n| n * 7).collect();
        mixed.extend((70_000..300_000).filter(|n| n % 3 > 0));
        mixed.insert_range(330_000..390_000);
        let mut with_runs = mixed.clone();
        with_runs.optimize();
        let mut few_parts: RoaringBitmap = (10..60_000).collect();
        few_parts.optimize();
        for set in [RoaringBitmap::new(), mixed, with_runs, few_parts] {
            for shift in [0, 64, 17, 100_003, 5_u32.wrapping_neg()] {
                check(&set, shift, 500_000);
            }
            check(&set, 0, 200_000);
        }
    }

    #[test]
    fn numbers_below_zero_are_left_out() {
        let set: RoaringBitmap = (1000..90_000).collect();
        check(&set, 2000_u32.wrapping_neg(), 90_000);
    }
}
