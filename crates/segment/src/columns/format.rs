//! Section names and column descriptions of a columns file. FORMAT.md has the diagrams.

use std::ops::Range;

use crate::DocId;
use crate::frame::Tag;
use crate::varint;

pub const KIND: Tag = Tag(*b"COLS");
pub const VERSION: u16 = 2;

/// Number of columns.
pub const META: Tag = Tag(*b"META");
/// Concatenated names of the columns, in byte order, and their offsets.
pub const NAMES: Tag = Tag(*b"NAME");
pub const NAME_OFFSETS: Tag = Tag(*b"NOFF");
/// Descriptions of the columns, in name order, and their offsets.
pub const DESCRIPTIONS: Tag = Tag(*b"DESC");
pub const DESCRIPTION_OFFSETS: Tag = Tag(*b"DOFF");
/// The parts of all columns, and checksums of their pages.
pub const DATA: Tag = Tag(*b"DATA");
pub const DATA_PAGES: Tag = Tag(*b"DPAG");

/// Longest spelling stored, in bytes; longer ones are only in the documents.
pub const LONGEST_SPELLING: usize = 468;

/// Parts of a column, in their order in `DATA`. Any part may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnPart {
    /// Numbers, ascending, 8 bytes each.
    Numbers,
    /// The documents of each value.
    Postings,
    /// The values of each document.
    Ordinals,
    /// Spellings of the strings.
    Spellings,
    /// Strings of each form without accents.
    Groups,
    PostingOffsets,
    /// Start of each document's values, if some have several.
    ValueOffsets,
    SpellingOffsets,
    GroupOffsets,
    /// String → position among the strings.
    Dictionary,
    /// Form without accents → group.
    Folded,
    Exists,
    Null,
    Empty,
    /// Documents that have values; missing if all documents with the attribute do.
    Valued,
}

pub const PARTS: usize = ColumnPart::Valued as usize + 1;
/// First part that is checked and read together with the column; those before are read on access.
pub const FIRST_AT_ONCE: ColumnPart = ColumnPart::PostingOffsets;

/// Alignment of the first DocId if every DocId has a place, so that marks are bits of a set.
pub const ALIGNMENT: DocId = 64;

/// Every DocId has a place if that takes at most this many places per document with a value. Such
/// places are found without a search and marked many at a time.
pub const PLACES_PER_DOCUMENT: u64 = 4;

/// Description of a column: everything outside `DATA`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Description {
    pub numbers: u32,
    pub strings: u32,
    /// True if a document may have several values.
    pub is_multi: bool,
    /// DocId of the first place, if every DocId from there on has one; otherwise only documents
    /// with values have places.
    pub first: Option<DocId>,
    pub places: u64,
    /// Number of values of all documents, plus the empty places if there is one value per place.
    pub ordinals: u64,
    /// Start of the parts in `DATA`.
    pub start: u64,
    pub lengths: [u64; PARTS],
}

const IS_MULTI: u64 = 1;
const HAS_FIRST: u64 = 2;

impl Description {
    pub fn write(&self, out: &mut Vec<u8>) {
        let flags =
            u64::from(self.is_multi) * IS_MULTI + u64::from(self.first.is_some()) * HAS_FIRST;
        for number in [
            flags,
            self.numbers.into(),
            self.strings.into(),
            self.first.unwrap_or_default().into(),
            self.places,
            self.ordinals,
            self.start,
        ] {
            varint::write(out, number);
        }
        self.lengths.iter().for_each(|&length| varint::write(out, length));
    }

    pub fn parse(mut bytes: &[u8]) -> Option<Self> {
        let mut next = || varint::read(&mut bytes);
        let flags = next()?;
        let (numbers, strings, first) = (next()?, next()?, next()?);
        let (places, ordinals, start) = (next()?, next()?, next()?);
        let mut lengths = [0; PARTS];
        for length in &mut lengths {
            *length = next()?;
        }
        if !bytes.is_empty() || flags > IS_MULTI + HAS_FIRST {
            return None;
        }
        let first = u32::try_from(first).ok()?;
        Some(Self {
            numbers: u32::try_from(numbers).ok()?,
            strings: u32::try_from(strings).ok()?,
            is_multi: flags & IS_MULTI != 0,
            first: (flags & HAS_FIRST != 0).then_some(first),
            places,
            ordinals,
            start,
            lengths,
        })
    }

    /// Returns the number of values; `None` if their ordinals would exceed 32 bits.
    pub fn values(&self) -> Option<u32> {
        self.numbers.checked_add(self.strings).filter(|&values| values < u32::MAX)
    }

    /// Returns the range of a part in `DATA`; `None` on overflow.
    pub fn part(&self, part: ColumnPart) -> Option<Range<usize>> {
        let start = self.end_of(part as usize)?;
        let end = start.checked_add(self.lengths[part as usize])?;
        Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// Returns the end of all parts.
    pub fn end(&self) -> Option<u64> {
        self.end_of(PARTS)
    }

    /// Returns the end of the first `parts` parts.
    fn end_of(&self, parts: usize) -> Option<u64> {
        self.lengths[..parts].iter().try_fold(self.start, |end, &length| end.checked_add(length))
    }
}

/// Returns the width of an ordinal in bytes, for this many values. The number after the last
/// ordinal must fit too: it stands for no value.
pub fn ordinal_width(values: u32) -> usize {
    match values {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_comes_back() {
        let mut description = Description {
            numbers: 3,
            strings: 70_000,
            is_multi: true,
            first: Some(64),
            places: 1 << 32,
            ordinals: 1 << 40,
            start: 5,
            lengths: [7; PARTS],
        };
        let mut bytes = Vec::new();
        description.write(&mut bytes);
        assert_eq!(Description::parse(&bytes), Some(description));
        assert_eq!(Description::parse(&bytes[..bytes.len() - 1]), None);
        bytes.push(0);
        assert_eq!(Description::parse(&bytes), None);

        assert_eq!(description.part(ColumnPart::Numbers), Some(5..12));
        assert_eq!(description.part(ColumnPart::Valued), Some(5 + 7 * 14..5 + 7 * 15));
        assert_eq!(description.end(), Some(5 + 7 * 15));
        assert_eq!(description.values(), Some(70_003));
        description.start = u64::MAX - 8;
        assert_eq!((description.part(ColumnPart::Postings), description.end()), (None, None));
        description.strings = u32::MAX - 3;
        assert_eq!(description.values(), None);
    }
}
