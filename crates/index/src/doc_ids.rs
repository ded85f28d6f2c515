//! Assigns numbers to new documents: the lowest that no document had when the batch began.
//!
//! Numbers freed by a batch are only reused by the next one. So the list order of documents does
//! not depend on whether a deletion came before or after an addition of the same batch, and a
//! document deleted and added again keeps its position.
//!
//! If several instances share the documents of an index, numbers are counted over all of them
//! instead: a writer reserves a range for all documents of a request, keeps the documents it owns,
//! and each takes the number of its position in the range. So no number is used twice, on any
//! instance, and numbers grow in write order, however tasks are batched.

use std::fmt;

use roaring::{RoaringBitmap, bitmap};
use segment::DocId;

/// Returns the lowest number above all that are or were in use: `shared_out` over several
/// instances, `live` here.
pub(crate) fn next(shared_out: Option<u64>, live: &RoaringBitmap) -> u64 {
    let above_live = live.max().map_or(0, |highest| u64::from(highest) + 1);
    shared_out.unwrap_or(0).max(above_live)
}

pub(crate) struct FreeDocIds {
    /// Free numbers below the highest in use; computed once, so that a million additions to a
    /// fragmented index do not search the same gaps again.
    gaps: bitmap::IntoIter,
    /// Everything from here on is free; `None` when the last number is taken.
    above: Option<DocId>,
}

impl FreeDocIds {
    pub fn new(live: &RoaringBitmap) -> Self {
        let Some(highest) = live.max() else {
            return Self { gaps: RoaringBitmap::new().into_iter(), above: Some(0) };
        };
        let mut gaps = RoaringBitmap::new();
        if live.len() <= u64::from(highest) {
            gaps.insert_range(..highest);
            gaps -= live;
        }
        Self { gaps: gaps.into_iter(), above: highest.checked_add(1) }
    }

    /// Takes the lowest free number; `None` when all are taken.
    pub fn take(&mut self) -> Option<DocId> {
        if let Some(gap) = self.gaps.next() {
            return Some(gap);
        }
        let next = self.above?;
        self.above = next.checked_add(1);
        Some(next)
    }
}

impl fmt::Debug for FreeDocIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FreeDocIds").field("above", &self.above).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_of(live: impl IntoIterator<Item = DocId>, count: usize) -> Vec<DocId> {
        let mut free = FreeDocIds::new(&live.into_iter().collect());
        (0..count).map_while(|_| free.take()).collect()
    }

    #[test]
    fn gaps_come_first_and_then_the_end() {
        assert_eq!(first_of([], 3), [0, 1, 2]);
        assert_eq!(first_of(0..4, 2), [4, 5]);
        assert_eq!(first_of([1, 3, 4], 4), [0, 2, 5, 6]);
    }

    #[test]
    fn the_last_number_is_handed_out_once() {
        assert_eq!(first_of([u32::MAX], 1), [0]);
        let mut free = FreeDocIds { gaps: RoaringBitmap::new().into_iter(), above: Some(u32::MAX) };
        assert_eq!(free.take(), Some(u32::MAX));
        assert_eq!(free.take(), None);
    }
}
