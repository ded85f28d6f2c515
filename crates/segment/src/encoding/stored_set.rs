//! A set in the standard Roaring format, read in place without deserializing it.

use std::ops::ControlFlow;

use crate::DocId;
use crate::gallop::gallop;

/// Magic numbers of a set without runs, and of one with runs.
const WITHOUT_RUNS: u32 = 12_346;
const WITH_RUNS: u16 = 12_347;
/// Sets with runs have no offsets if they have fewer containers than this.
const FEWEST_WITH_OFFSETS: usize = 4;
/// Containers with more members are bitmaps.
const LARGEST_ARRAY: usize = 4096;
const BITMAP_LENGTH: usize = 8192;

#[derive(Debug)]
pub struct StoredSet<'b> {
    containers: Vec<Container<'b>>,
}

/// Members with the same upper half, given by their lower halves in ascending order.
#[derive(Debug)]
struct Container<'b> {
    key: DocId,
    count: usize,
    members: Members<'b>,
}

#[derive(Debug, Clone, Copy)]
enum Members<'b> {
    Bitmap(&'b [[u8; 8]]),
    Array(&'b [[u8; 2]]),
    /// The first member of each run, and how many follow it.
    Runs(&'b [[u8; 4]]),
}

impl<'b> StoredSet<'b> {
    /// Parses a set; `None` if the bytes are not one.
    pub fn parse(bytes: &'b [u8]) -> Option<Self> {
        let (first, mut rest) = bytes.split_first_chunk::<4>()?;
        let [a, b, c, d] = *first;
        let (count, runs) = if u16::from_le_bytes([a, b]) == WITH_RUNS {
            let count = usize::from(u16::from_le_bytes([c, d])) + 1;
            let (runs, others) = rest.split_at_checked(count.div_ceil(8))?;
            rest = others;
            (count, Some(runs))
        } else if u32::from_le_bytes(*first) == WITHOUT_RUNS {
            let (count, others) = rest.split_first_chunk::<4>()?;
            rest = others;
            (usize::try_from(u32::from_le_bytes(*count)).ok()?, None)
        } else {
            return None;
        };
        let (heads, mut rest) = rest.split_at_checked(count.checked_mul(4)?)?;
        if runs.is_none() || count >= FEWEST_WITH_OFFSETS {
            rest = rest.get(4 * count..)?;
        }
        let mut containers = Vec::with_capacity(count);
        for (number, &[a, b, c, d]) in heads.as_chunks::<4>().0.iter().enumerate() {
            let key = DocId::from(u16::from_le_bytes([a, b])) << 16;
            let count = usize::from(u16::from_le_bytes([c, d])) + 1;
            let is_run = runs.is_some_and(|runs| runs[number / 8] >> (number % 8) & 1 == 1);
            let length = match is_run {
                true => 2 + 4 * usize::from(u16::from_le_bytes(*rest.first_chunk()?)),
                false if count <= LARGEST_ARRAY => 2 * count,
                false => BITMAP_LENGTH,
            };
            let (bytes, others) = rest.split_at_checked(length)?;
            rest = others;
            let members = match is_run {
                true => Members::Runs(bytes[2..].as_chunks().0),
                false if count <= LARGEST_ARRAY => Members::Array(bytes.as_chunks().0),
                false => Members::Bitmap(bytes.as_chunks().0),
            };
            containers.push(Container { key, count, members });
        }
        rest.is_empty().then_some(Self { containers })
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.containers.iter().map(|container| container.count).sum()
    }

    /// Appends the members to a list, ascending.
    pub fn append_to(&self, out: &mut Vec<DocId>) {
        for container in &self.containers {
            let key = container.key;
            match container.members {
                // Extending by a slice is quicker than by single members.
                Members::Array(members) => {
                    let low = |low: &[u8; 2]| key | DocId::from(u16::from_le_bytes(*low));
                    out.extend(members.iter().map(low));
                }
                Members::Bitmap(_) | Members::Runs(_) => {
                    let _ = container.try_for_each(|doc_id| {
                        out.push(doc_id);
                        ControlFlow::<()>::Continue(())
                    });
                }
            }
        }
    }

    /// Visits each member in ascending order, until one of the calls breaks.
    pub fn try_for_each<B>(&self, mut each: impl FnMut(DocId) -> ControlFlow<B>) -> ControlFlow<B> {
        self.containers.iter().try_for_each(|container| container.try_for_each(&mut each))
    }

    /// Visits the members as words of 64 bits, the lowest of which is for the given number.
    pub fn for_each_word(&self, mut each: impl FnMut(DocId, u64)) {
        for container in &self.containers {
            if let Members::Bitmap(words) = container.members {
                for (number, word) in (0..).zip(words) {
                    each(container.key + 64 * number, u64::from_le_bytes(*word));
                }
            } else {
                let _ = container.try_for_each(|member| {
                    each(member, 1);
                    ControlFlow::<()>::Continue(())
                });
            }
        }
    }

    /// Returns the number of members before this one; `None` if it is not a member. Members must be
    /// looked up in ascending order, starting with a new cursor.
    #[inline]
    pub fn rank(&self, doc_id: DocId, cursor: &mut RankCursor) -> Option<usize> {
        let key = doc_id & !0xffff;
        while let Some(container) = self.containers.get(cursor.container)
            && container.key < key
        {
            let (container, before) = (cursor.container + 1, cursor.before + container.count);
            *cursor = RankCursor { container, before, place: 0, before_place: 0 };
        }
        let container = self.containers.get(cursor.container)?;
        let rank = container.rank((container.key == key).then_some(doc_id as u16)?, cursor)?;
        Some(cursor.before + rank)
    }
}

/// Position of the last member found.
#[derive(Debug, Clone, Copy, Default)]
pub struct RankCursor {
    container: usize,
    /// Number of members in the containers before.
    before: usize,
    /// A word, member or run of the container, and the number of members before it.
    place: usize,
    before_place: usize,
}

impl Container<'_> {
    #[inline]
    fn rank(&self, low: u16, cursor: &mut RankCursor) -> Option<usize> {
        match self.members {
            Members::Bitmap(words) => {
                let end = usize::from(low) / 64;
                for word in words.get(cursor.place..end).unwrap_or_default() {
                    cursor.before_place += u64::from_le_bytes(*word).count_ones() as usize;
                }
                cursor.place = cursor.place.max(end);
                let word = u64::from_le_bytes(*words.get(end)?);
                let bit = 1_u64 << (low % 64);
                let before = (word & (bit - 1)).count_ones() as usize;
                (word & bit != 0).then_some(cursor.before_place + before)
            }
            Members::Array(members) => {
                let is_before = |member: &[u8; 2]| u16::from_le_bytes(*member) < low;
                cursor.place = gallop(members, cursor.place, is_before);
                let found = members.get(cursor.place).map(|member| u16::from_le_bytes(*member));
                (found == Some(low)).then_some(cursor.place)
            }
            Members::Runs(runs) => {
                while let Some((first, more)) = runs.get(cursor.place).map(run_of)
                    && first.saturating_add(more) < low
                {
                    cursor.before_place += usize::from(more) + 1;
                    cursor.place += 1;
                }
                let (first, _) = run_of(runs.get(cursor.place)?);
                low.checked_sub(first).map(|after| cursor.before_place + usize::from(after))
            }
        }
    }

    #[inline]
    fn try_for_each<B>(&self, mut each: impl FnMut(DocId) -> ControlFlow<B>) -> ControlFlow<B> {
        let key = self.key;
        match self.members {
            Members::Bitmap(words) => {
                for (number, word) in (0..).zip(words) {
                    let start: DocId = key + 64 * number;
                    let mut bits = u64::from_le_bytes(*word);
                    while bits != 0 {
                        each(start + bits.trailing_zeros())?;
                        bits &= bits - 1;
                    }
                }
            }
            Members::Array(members) => {
                for low in members {
                    each(key | DocId::from(u16::from_le_bytes(*low)))?;
                }
            }
            Members::Runs(runs) => {
                for run in runs {
                    let (first, more) = run_of(run);
                    for low in first..=first.saturating_add(more) {
                        each(key | DocId::from(low))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

fn run_of(&[a, b, c, d]: &[u8; 4]) -> (u16, u16) {
    (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]))
}

#[cfg(test)]
mod tests {
    use roaring::RoaringBitmap;

    use super::*;

    fn check(set: &RoaringBitmap) {
        let mut bytes = Vec::new();
        set.serialize_into(&mut bytes).unwrap();
        let stored = StoredSet::parse(&bytes).unwrap();
        let mut found = Vec::new();
        stored.append_to(&mut found);
        assert!(set.iter().eq(found.iter().copied()));
        assert_eq!(stored.len() as u64, set.len());
        let mut few = Vec::new();
        let ended = stored.try_for_each(|doc_id| {
            few.push(doc_id);
            if few.len() == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((ended.is_break(), &few[..]), (found.len() > 4, &found[..found.len().min(5)]));
        for step in [1, 7, 100, 5000] {
            let mut cursor = RankCursor::default();
            for &doc_id in found.iter().step_by(step) {
                for asked in [doc_id, doc_id.saturating_add(1)] {
                    let expected = set.contains(asked).then(|| set.rank(asked) as usize - 1);
                    assert_eq!(stored.rank(asked, &mut cursor), expected, "{asked}");
                }
            }
        }
        for end in 0..bytes.len().min(5000) {
            assert!(StoredSet::parse(&bytes[..end]).is_none(), "{end}");
        }
        bytes.push(0);
        assert!(StoredSet::parse(&bytes).is_none());
    }

    #[test]
    fn every_kind_of_container_is_read() {
        let sparse = (0..3000_u32).map(|number| number * 97);
        let dense = (1_000_000..1_200_000).filter(|number| number % 3 != 0);
        let runs = (5_000_000..5_300_000).chain(u32::MAX - 70_000..=u32::MAX);
        check(&sparse.clone().take(1).collect());
        check(&sparse.clone().collect());
        check(&dense.clone().collect());
        let mut all: RoaringBitmap = sparse.chain(dense).chain(runs).collect();
        check(&all);
        all.optimize();
        check(&all);
        let mut few_runs: RoaringBitmap = (10..70_000).collect();
        few_runs.optimize();
        check(&few_runs);
    }

    #[test]
    fn nonsense_is_refused() {
        let no_count = &WITHOUT_RUNS.to_le_bytes();
        for bytes in
            [&[][..], &[1, 2, 3], &[1, 2, 3, 4, 5], &[0; 8], no_count, &[0x3b, 0x30, 0xff, 0xff, 1]]
        {
            assert!(StoredSet::parse(bytes).is_none());
        }
    }
}
