//! Documents that have given values. For a few values their sets are united; for many values it is
//! quicker to scan the values of all documents and mark matches.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::column::Column;
use crate::encoding::offsets::{BLOCK, Offsets};
use crate::encoding::postings;
use crate::encoding::union::{Union, set_of};
use crate::error::{Result, SegmentError};

/// Cost of operations, in relative units: measured, roughly, in nanoseconds.
mod cost {
    /// Finding the documents of a value.
    pub const VALUE: u64 = 30;
    /// Adding a byte of a list or a small set.
    pub const LIST_BYTE: u64 = 3;
    /// Adding a byte of a large set.
    pub const SET_BYTE: u64 = 1;
    /// Sets of at least this many bytes are large.
    pub const LARGE_SET: u64 = 8 * 1024;
    /// Comparing sixteen values with a range.
    pub const SIXTEEN_VALUES: u64 = 4;
    /// Looking up sixteen values in a table.
    pub const SIXTEEN_LOOKUPS: u64 = 14;
    /// Finding the documents of sixteen places, where many have several values or none.
    pub const SIXTEEN_PLACES: u64 = 60;
    /// Starting a scan.
    pub const SCAN: u64 = 2000;
}

impl Column {
    /// Returns the number of documents that have the value, including deleted ones.
    pub fn document_count(&self, ordinal: u32) -> Result<u32> {
        postings::count(self.posting(ordinal)?).ok_or_else(|| self.malformed_list(ordinal))
    }

    pub fn documents_of(&self, ordinal: u32) -> Result<RoaringBitmap> {
        postings::read_set(self.posting(ordinal)?).ok_or_else(|| self.malformed_list(ordinal))
    }

    /// Returns the documents that have one of the values.
    pub fn documents_of_range(&self, ordinals: Range<u32>) -> Result<RoaringBitmap> {
        let ordinals = ordinals.start..ordinals.end.min(self.value_count());
        if ordinals.is_empty() {
            return Ok(RoaringBitmap::new());
        }
        if ordinals == (0..self.value_count()) {
            return Ok(self.valued().clone());
        }
        if ordinals.len() == 1 {
            return self.documents_of(ordinals.start);
        }
        let start = self.posting_range(ordinals.start)?.start;
        let end = self.posting_range(ordinals.end - 1)?.end;
        let union = cost_of_union(ordinals.len(), end.saturating_sub(start));
        if union <= self.cost_of_scan(cost::SIXTEEN_VALUES) {
            return self.union(ordinals);
        }
        let marks = self.all_ordinals()?.marks_in(ordinals);
        self.documents_marked(marks)
    }

    /// Returns the documents that have one of the values, given in any order.
    pub fn documents_of_many(&self, ordinals: &[u32]) -> Result<RoaringBitmap> {
        let mut bytes = 0;
        for &ordinal in ordinals {
            bytes += self.posting_range(ordinal)?.len();
        }
        let union = cost_of_union(ordinals.len(), bytes);
        if union <= self.cost_of_scan(cost::SIXTEEN_LOOKUPS) {
            return self.union(ordinals.iter().copied());
        }
        let mut flags = vec![0; self.value_count() as usize];
        for &ordinal in ordinals {
            flags[ordinal as usize] = 1;
        }
        let marks = self.all_ordinals()?.marks_of(&flags);
        self.documents_marked(marks)
    }

    /// Returns the cost of a scan over all documents, given the cost of sixteen values.
    fn cost_of_scan(&self, sixteen_values: u64) -> u64 {
        let values = self.description.ordinals / 16 * sixteen_values;
        let is_loose = self.is_multi() || self.description.first.is_none();
        let places = if is_loose { self.description.places / 16 * cost::SIXTEEN_PLACES } else { 0 };
        cost::SCAN + values + places
    }

    fn union(&self, ordinals: impl IntoIterator<Item = u32>) -> Result<RoaringBitmap> {
        let mut union = Union::default();
        for ordinal in ordinals {
            if !postings::add_to(self.posting(ordinal)?, &mut union) {
                return Err(self.malformed_list(ordinal));
            }
        }
        Ok(union.finish())
    }

    /// Returns the documents whose values have a mark.
    fn documents_marked(&self, mut marks: Vec<u64>) -> Result<RoaringBitmap> {
        if let Some(offsets) = &self.value_offsets {
            marks = marks_of_places(offsets, marks).ok_or_else(|| self.malformed("a place"))?;
        }
        let Some(first) = self.description.first else {
            return Ok(documents_at(self.valued(), &marks));
        };
        let bytes: Vec<u8> = marks.iter().flat_map(|word| word.to_le_bytes()).collect();
        // Beyond the last document there are no marks, and there must be no bytes.
        let length = (self.description.places as usize).div_ceil(8);
        Ok(RoaringBitmap::from_lsb0_bytes(first, &bytes[..length.min(bytes.len())]))
    }

    /// Returns the range of a posting list.
    fn posting_range(&self, ordinal: u32) -> Result<Range<usize>> {
        let offsets = self.posting_offsets.as_ref();
        let range = offsets.and_then(|offsets| offsets.range(ordinal as usize));
        let range = range.ok_or_else(|| self.no_value(ordinal))?;
        Ok(self.postings.start + range.start..self.postings.start + range.end)
    }

    /// Returns the bytes of a posting list.
    fn posting(&self, ordinal: u32) -> Result<&[u8]> {
        self.file.get(self.posting_range(ordinal)?)
    }

    pub(super) fn malformed_list(&self, ordinal: u32) -> SegmentError {
        self.malformed(&format!("the list of value {ordinal}"))
    }
}

/// Returns the cost of uniting this many lists of this many bytes.
fn cost_of_union(values: usize, bytes: usize) -> u64 {
    let (values, bytes) = (values as u64, bytes as u64);
    let is_large = bytes / values.max(1) >= cost::LARGE_SET;
    values * cost::VALUE + bytes * if is_large { cost::SET_BYTE } else { cost::LIST_BYTE }
}

/// Returns the documents of a set whose places have a mark.
fn documents_at(documents: &RoaringBitmap, marks: &[u64]) -> RoaringBitmap {
    let mut found = Vec::new();
    let mut documents = documents.iter();
    let mut some = [0; 64];
    for &word in marks {
        let some = documents.next_many(&mut some);
        let mut left = word;
        while let Some(&doc_id) = some.get(left.trailing_zeros() as usize) {
            found.push(doc_id);
            left &= left - 1;
        }
    }
    set_of(&mut found)
}

/// Converts marks at ordinals to marks at the places that have them.
fn marks_of_places(offsets: &Offsets, mut marks: Vec<u64>) -> Option<Vec<u64>> {
    // Guarantees a next word.
    marks.extend([0, 0]);
    let mut starts = [0; BLOCK + 1];
    let mut words = Vec::new();
    for block in 0.. {
        let things = offsets.block(block, &mut starts)?;
        let mut word = 0;
        for (place, range) in starts[..=things].windows(2).enumerate() {
            word |= u64::from(has_mark(&marks, range[0], range[1])?) << place;
        }
        words.push(word);
        if things < BLOCK {
            break;
        }
    }
    Some(words)
}

/// Returns whether there is a mark in a range. Few documents have more than 64 values, and for the
/// others this needs no branches.
#[inline]
fn has_mark(marks: &[u64], mut start: usize, end: usize) -> Option<bool> {
    let next_64 = |start: usize| {
        let (word, bit) = (start / 64, start % 64);
        Some(marks.get(word)? >> bit | marks.get(word + 1)? << 1 << (63 - bit))
    };
    while end - start >= 64 {
        if next_64(start)? != 0 {
            return Some(true);
        }
        start += 64;
    }
    Some(next_64(start)? & ((1 << (end - start)) - 1) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_wherever_they_are() {
        for mark in [0, 1, 62, 63, 64, 65, 127, 128, 200] {
            let mut marks = vec![0; 6];
            marks[mark / 64] |= 1 << (mark % 64);
            for start in 0..=210 {
                for end in start..=210 {
                    let expected = (start..end).contains(&mark);
                    assert_eq!(has_mark(&marks, start, end), Some(expected), "{start}..{end}");
                }
            }
            assert_eq!(has_mark(&marks, 0, 1000), (mark < 1000).then_some(true));
        }
        assert_eq!(has_mark(&[0; 4], 0, 1000), None);
    }
}
