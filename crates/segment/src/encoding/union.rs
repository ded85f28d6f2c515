//! Union of many posting lists: numbers are collected unsorted and become a set at the end, by
//! marking bits if there are many and by sorting if there are few.

use roaring::RoaringBitmap;

use crate::DocId;

/// Sets of up to this size are added number by number.
const SMALL_SET: u64 = 4096;

#[derive(Debug, Default)]
pub struct Union {
    /// Concatenated small lists.
    pub loose: Vec<DocId>,
    sets: RoaringBitmap,
}

impl Union {
    pub fn add_set(&mut self, mut set: RoaringBitmap) {
        let kinds = set.statistics();
        if kinds.n_run_containers == kinds.n_containers {
            // Consecutive documents are added together, however many they are.
            let mut runs = set.iter();
            while let Some(run) = runs.next_range() {
                self.sets.insert_range(run);
            }
            return;
        }
        if kinds.cardinality <= SMALL_SET {
            self.loose.extend(set);
            return;
        }
        // Runs are for the disk: set operations are slow with them.
        set.remove_run_compression();
        if self.sets.is_empty() {
            self.sets = set;
        } else {
            self.sets |= set;
        }
    }

    pub fn finish(mut self) -> RoaringBitmap {
        let loose = set_of(&mut self.loose);
        if self.sets.is_empty() {
            return loose;
        }
        self.sets.remove_run_compression();
        self.sets |= loose;
        self.sets
    }
}

/// Returns the set of numbers in any order. May reorder them.
pub fn set_of(doc_ids: &mut [DocId]) -> RoaringBitmap {
    /// Below this, sorting is as quick.
    const WORTH_MARKING: usize = 256;
    /// Most bytes of marks per number.
    const MARKS_PER_NUMBER: usize = 16;

    if doc_ids.len() >= WORTH_MARKING {
        let (least, most) = doc_ids
            .iter()
            .fold((DocId::MAX, 0), |(least, most), &doc_id| (least.min(doc_id), most.max(doc_id)));
        let first = least & !7;
        let length = (most - first) as usize / 8 + 1;
        if length <= doc_ids.len() * MARKS_PER_NUMBER {
            let mut marks = vec![0_u8; length];
            for &doc_id in &*doc_ids {
                let place = doc_id - first;
                marks[place as usize / 8] |= 1 << (place % 8);
            }
            return RoaringBitmap::from_lsb0_bytes(first, &marks);
        }
    }
    if !doc_ids.is_sorted() {
        doc_ids.sort_unstable();
    }
    let mut set = RoaringBitmap::new();
    let mut last = None;
    // Ascending without duplicates, so that every number can be appended.
    let _ =
        set.append(doc_ids.iter().copied().filter(|&doc_id| last.replace(doc_id) != Some(doc_id)));
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_numbers_close_and_far() {
        for count in [0, 1, 10, 255, 256, 5000] {
            for factor in [1, 3, 1000, 800_000] {
                let mut numbers: Vec<DocId> = (0..count)
                    .map(|number: u32| number.wrapping_mul(7919) % 1000 * factor + 5)
                    .collect();
                let expected: RoaringBitmap = numbers.iter().copied().collect();
                assert_eq!(set_of(&mut numbers), expected, "{count} {factor}");
            }
        }
        let mut ends: Vec<DocId> = (DocId::MAX - 400..=DocId::MAX).collect();
        assert_eq!(set_of(&mut ends).len(), 401);
    }

    #[test]
    fn sets_and_loose_numbers_are_united() {
        let mut union = Union::default();
        union.loose.extend([9, 3, 9]);
        union.add_set((10..20).collect());
        union.add_set((15..8000).collect());
        union.add_set((7000..20_000).collect());
        let mut run: RoaringBitmap = (100_000..300_000).collect();
        run.optimize();
        union.add_set(run);
        let expected: RoaringBitmap = (10..20_000).chain([3, 9]).chain(100_000..300_000).collect();
        assert_eq!(union.finish(), expected);
        assert!(Union::default().finish().is_empty());
    }
}
