//! Set of the nodes that may be results of a search, as a bitmap: quick to query, which a walk does
//! for every link, and quick to build from the documents that pass a filter.

use roaring::RoaringBitmap;

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
        // Roaring only iterates over numbers; its serialized form has words.
        let mut bytes = Vec::with_capacity(set.serialized_size());
        let is_written = set.serialize_into(&mut bytes).is_ok();
        if !is_written || self.insert_written(&bytes, shift).is_none() {
            set.iter().for_each(|number| self.insert(number.wrapping_add(shift)));
        }
    }

    /// Inserts a set in the portable Roaring format.
    fn insert_written(&mut self, mut bytes: &[u8], shift: u32) -> Option<()> {
        const WITHOUT_RUNS: u32 = 12346;
        const WITH_RUNS: u32 = 12347;
        /// With runs, sets of fewer containers than this have no offsets.
        const OFFSETS_FROM: usize = 4;
        /// A container of more numbers is a bitmap.
        const LONGEST_LIST: usize = 4096;

        let cookie = u32::from_le_bytes(take(&mut bytes)?);
        let (parts, is_run) = match (cookie, cookie & 0xffff) {
            (WITHOUT_RUNS, _) => (u32::from_le_bytes(take(&mut bytes)?) as usize, None),
            (_, WITH_RUNS) => {
                let parts = (cookie >> 16) as usize + 1;
                (parts, Some(bytes.split_off(..parts.div_ceil(8))?))
            }
            _ => return None,
        };
        let (heads, []) = bytes.split_off(..4 * parts)?.as_chunks::<4>() else {
            return None;
        };
        if is_run.is_none() || parts >= OFFSETS_FROM {
            bytes.split_off(..4 * parts)?;
        }
        for (part, &[low, high, count_low, count_high]) in heads.iter().enumerate() {
            let first = (u32::from(u16::from_le_bytes([low, high])) << 16).wrapping_add(shift);
            let count = usize::from(u16::from_le_bytes([count_low, count_high])) + 1;
            if is_run.is_some_and(|is_run| is_run[part / 8] >> (part % 8) & 1 == 1) {
                let runs = u16::from_le_bytes(take(&mut bytes)?);
                for _ in 0..runs {
                    let start = first.wrapping_add(u16::from_le_bytes(take(&mut bytes)?).into());
                    let length = u32::from(u16::from_le_bytes(take(&mut bytes)?)) + 1;
                    (0..length).for_each(|place| self.insert(start.wrapping_add(place)));
                }
            } else if count <= LONGEST_LIST {
                for number in bytes.split_off(..2 * count)?.as_chunks().0 {
                    self.insert(first.wrapping_add(u16::from_le_bytes(*number).into()));
                }
            } else {
                let words = bytes.split_off(..8192)?.as_chunks().0;
                for (place, word) in (0..).step_by(64).zip(words) {
                    self.insert_word(first.wrapping_add(place), u64::from_le_bytes(*word));
                }
            }
        }
        Some(())
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

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    bytes.split_off(..N)?.try_into().ok()
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

    #[test]
    fn damaged_bytes_are_refused() {
        let mut nodes = NodeSet::with_room(100);
        assert_eq!(nodes.insert_written(&[], 0), None);
        assert_eq!(nodes.insert_written(&[1, 2, 3, 4, 5], 0), None);
        assert_eq!(nodes.insert_written(&12346u32.to_le_bytes(), 0), None);
    }
}
