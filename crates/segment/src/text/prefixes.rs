//! Table of the ranges of words that have a stored union, and its location. Ranges are those of
//! prefixes: any two are nested or disjoint.

use std::ops::Range;

use crate::directory::FileBytes;

/// first ordinal 4 | ordinal after the last 4 | end of its bytes 8
const ENTRY_LENGTH: usize = 16;

#[derive(Debug, Clone)]
pub struct PrefixTable {
    /// Entries by first ordinal; among equal ones, the longest range first.
    bytes: FileBytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub start: u32,
    pub end: u32,
    /// End of its set, which starts where the one before ends.
    pub bytes_end: u64,
}

impl Entry {
    fn read(bytes: &[u8; ENTRY_LENGTH]) -> Self {
        let [a, b, c, d, e, f, g, h, bytes_end @ ..] = *bytes;
        Self {
            start: u32::from_le_bytes([a, b, c, d]),
            end: u32::from_le_bytes([e, f, g, h]),
            bytes_end: u64::from_le_bytes(bytes_end),
        }
    }

    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.start.to_le_bytes());
        out.extend_from_slice(&self.end.to_le_bytes());
        out.extend_from_slice(&self.bytes_end.to_le_bytes());
    }
}

impl PrefixTable {
    /// Opens the table; `None` if it does not match its sets.
    pub fn new(bytes: FileBytes, sets_length: usize) -> Option<Self> {
        if !bytes.len().is_multiple_of(ENTRY_LENGTH) {
            return None;
        }
        let table = Self { bytes };
        let last = table.len().checked_sub(1).and_then(|last| table.entry(last));
        (last.map_or(0, |last| last.bytes_end) == sets_length as u64).then_some(table)
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / ENTRY_LENGTH
    }

    pub fn entry(&self, place: usize) -> Option<Entry> {
        let (entries, _) = self.bytes.as_chunks::<ENTRY_LENGTH>();
        entries.get(place).map(Entry::read)
    }

    /// Returns the range of the set of an entry.
    pub fn bytes(&self, place: usize) -> Option<Range<usize>> {
        let start = match place.checked_sub(1) {
            Some(before) => self.entry(before)?.bytes_end,
            None => 0,
        };
        let end = self.entry(place)?.bytes_end;
        (start <= end).then_some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// Finds the longest range that starts here and does not exceed `limit`: its end and its index.
    pub fn longest(&self, start: u32, limit: u32) -> Option<(u32, usize)> {
        let (entries, _) = self.bytes.as_chunks::<ENTRY_LENGTH>();
        let key = |entry: &[u8; ENTRY_LENGTH]| {
            let entry = Entry::read(entry);
            (entry.start, std::cmp::Reverse(entry.end))
        };
        let wanted = (start, std::cmp::Reverse(limit));
        let place = entries.partition_point(|entry| key(entry) < wanted);
        let entry = self.entry(place)?;
        // A range that ends before it starts is damage; it must not stop the caller.
        (entry.start == start && entry.end > start).then_some((entry.end, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(ranges: &[(u32, u32)]) -> PrefixTable {
        let mut bytes = Vec::new();
        for (place, &(start, end)) in ranges.iter().enumerate() {
            Entry { start, end, bytes_end: (place as u64 + 1) * 10 }.write(&mut bytes);
        }
        PrefixTable::new(FileBytes::from(bytes), ranges.len() * 10).unwrap()
    }

    #[test]
    fn the_longest_range_that_fits_is_taken() {
        let table = table(&[(0, 100), (0, 50), (10, 40), (60, 90)]);
        assert_eq!(table.longest(0, 200), Some((100, 0)));
        assert_eq!(table.longest(0, 100), Some((100, 0)));
        assert_eq!(table.longest(0, 99), Some((50, 1)));
        assert_eq!(table.longest(0, 49), None);
        assert_eq!(table.longest(10, 40), Some((40, 2)));
        assert_eq!(table.longest(11, 40), None);
        assert_eq!(table.longest(60, 1000), Some((90, 3)));
        assert_eq!(table.longest(90, 1000), None);
        assert_eq!(table.bytes(0), Some(0..10));
        assert_eq!(table.bytes(3), Some(30..40));
        assert_eq!(table.bytes(4), None);
    }

    #[test]
    fn a_table_that_does_not_fit_is_refused() {
        assert!(PrefixTable::new(FileBytes::from(vec![0; 15]), 0).is_none());
        assert!(PrefixTable::new(FileBytes::from(vec![0; 16]), 1).is_none());
        assert!(PrefixTable::new(FileBytes::from(Vec::new()), 0).is_some());
        assert!(PrefixTable::new(FileBytes::from(Vec::new()), 4).is_none());
    }
}
