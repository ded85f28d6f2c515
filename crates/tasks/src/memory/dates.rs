//! Dates of tasks or batches by uid, for filters: plain numbers in blocks, so that a million
//! entries take some tens of megabytes and a filter is one pass over the candidates.

use std::collections::HashMap;

use roaring::RoaringBitmap;
use time::OffsetDateTime;

use crate::task::query::DateBounds;

const BLOCK: u32 = 1024;
const NONE: i64 = i64::MIN;

/// Table of `N` dates per uid; a date is `None` until it is reached.
#[derive(Debug, Default)]
pub(crate) struct Dates<const N: usize> {
    blocks: HashMap<u32, Box<[[i64; N]]>>,
}

impl<const N: usize> Dates<N> {
    pub fn set(&mut self, uid: u32, dates: [Option<OffsetDateTime>; N]) {
        let block = self.blocks.entry(uid / BLOCK).or_insert_with(|| {
            let empty: Vec<[i64; N]> = vec![[NONE; N]; BLOCK as usize];
            empty.into_boxed_slice()
        });
        block[(uid % BLOCK) as usize] = dates.map(|date| date.map_or(NONE, nanoseconds));
    }

    /// Removes the dates of `uid`; frees a block once it has no entry left in `still_known`.
    pub fn remove(&mut self, uid: u32, still_known: &RoaringBitmap) {
        let number = uid / BLOCK;
        let Some(block) = self.blocks.get_mut(&number) else { return };
        block[(uid % BLOCK) as usize] = [NONE; N];
        let start = number * BLOCK;
        if still_known.range_cardinality(start..=start + (BLOCK - 1)) == 0 {
            self.blocks.remove(&number);
        }
    }

    /// Returns whether date number `which` of `uid` lies strictly inside the bounds.
    pub fn inside(&self, uid: u32, which: usize, bounds: &Bounds) -> bool {
        let block = self.blocks.get(&(uid / BLOCK));
        let date = block.map_or(NONE, |block| block[(uid % BLOCK) as usize][which]);
        date != NONE && bounds.hold(date)
    }
}

/// Date bounds as numbers, for repeated comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    after: i64,
    before: i64,
}

impl Bounds {
    /// Returns none for unbounded queries, which also match dates that are not reached.
    pub fn of(bounds: &DateBounds) -> Option<Self> {
        if bounds.is_unbounded() {
            return None;
        }
        Some(Self {
            after: bounds.after.map_or(i64::MIN, nanoseconds),
            before: bounds.before.map_or(i64::MAX, nanoseconds),
        })
    }

    pub fn hold_date(&self, date: OffsetDateTime) -> bool {
        self.hold(nanoseconds(date))
    }

    fn hold(&self, date: i64) -> bool {
        self.after < date && date < self.before
    }
}

/// Converts with full precision from 1678 to 2262; dates beyond are clamped.
fn nanoseconds(date: OffsetDateTime) -> i64 {
    let exact = date.unix_timestamp_nanos();
    // The lowest value means "no date".
    exact.clamp(i128::from(i64::MIN) + 1, i128::from(i64::MAX)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn bounds_are_strict_and_exact_to_the_nanosecond() {
        let date = datetime!(2024-02-03 10:00:00.123456789 UTC);
        let mut dates = Dates::<1>::default();
        dates.set(5000, [Some(date)]);
        dates.set(5001, [None]);
        let inside = |after, before| {
            let bounds = Bounds::of(&DateBounds { after, before }).unwrap();
            dates.inside(5000, 0, &bounds)
        };
        let tick = time::Duration::nanoseconds(1);
        assert!(inside(Some(date - tick), Some(date + tick)));
        assert!(!inside(Some(date), None));
        assert!(!inside(None, Some(date)));
        assert!(inside(None, Some(datetime!(9999-12-31 0:00 UTC))));
        assert!(!inside(Some(datetime!(9999-12-30 0:00 UTC)), None));
        assert!(Bounds::of(&DateBounds::default()).is_none());

        let all = Bounds::of(&DateBounds { after: None, before: Some(date + tick) }).unwrap();
        assert!(!dates.inside(5001, 0, &all), "a date that is not reached is outside");
        assert!(!dates.inside(77, 0, &all));
    }

    #[test]
    fn empty_blocks_are_freed() {
        let mut dates = Dates::<1>::default();
        let mut known: RoaringBitmap = [10, 11].into_iter().collect();
        for uid in &known {
            dates.set(uid, [Some(OffsetDateTime::UNIX_EPOCH)]);
        }
        known.remove(10);
        dates.remove(10, &known);
        assert_eq!(dates.blocks.len(), 1);
        known.remove(11);
        dates.remove(11, &known);
        assert!(dates.blocks.is_empty());
    }
}
