//! Reads the values of documents. Where most documents have values, every document has a place,
//! found by subtraction; else only documents with values do.

use std::ops::Range;

use super::column::Column;
use super::format;
use super::ordinals::Ordinals;
use crate::DocId;
use crate::encoding::runs::Runs;
use crate::error::Result;

/// Looks up the values of documents; quickest in ascending order.
#[derive(Debug, Clone)]
pub struct ValueCursor<'c> {
    column: &'c Column,
    places: Places<'c>,
}

impl<'c> ValueCursor<'c> {
    /// Returns the ordinals of a document's values, ascending; none for a document without values.
    #[inline]
    pub fn seek(&mut self, doc_id: DocId) -> Result<Values<'c>> {
        let column = self.column;
        let range = match self.places.of(doc_id) {
            None => 0..0,
            Some(place) => column.values_at(place)?,
        };
        let mut values =
            Values { ordinals: column.ordinals_at(range.clone())?, left: 0..range.len() };
        if column.value_offsets.is_none() && values.ordinals.get(0) == Some(column.value_count()) {
            // A place without a value.
            values.left = 0..0;
        }
        Ok(values)
    }
}

/// Ordinals of a document's values, ascending.
#[derive(Debug, Clone)]
pub struct Values<'c> {
    ordinals: Ordinals<'c>,
    left: Range<usize>,
}

impl Iterator for Values<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.ordinals.get(self.left.next()?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for Values<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<u32> {
        self.ordinals.get(self.left.next_back()?)
    }
}

impl ExactSizeIterator for Values<'_> {}

/// Mapping of documents to places.
#[derive(Debug, Clone)]
pub(super) enum Places<'c> {
    /// Every document from the first one on.
    Dense {
        first: DocId,
        count: u64,
    },
    Sparse {
        runs: &'c Runs,
        near: usize,
    },
}

impl Places<'_> {
    #[inline]
    pub fn of(&mut self, doc_id: DocId) -> Option<usize> {
        match self {
            Self::Dense { first, count } => {
                let place = doc_id.checked_sub(*first)?;
                (u64::from(place) < *count).then_some(place as usize)
            }
            Self::Sparse { runs, near } => runs.place(doc_id, near),
        }
    }
}

impl Column {
    /// Returns whether some document has several values.
    pub fn is_multi(&self) -> bool {
        self.value_offsets.is_some()
    }

    pub fn values(&self) -> ValueCursor<'_> {
        ValueCursor { column: self, places: self.places() }
    }

    pub(super) fn places(&self) -> Places<'_> {
        match self.description.first {
            Some(first) => Places::Dense { first, count: self.description.places },
            None => {
                let runs = self.runs.get_or_init(|| Runs::new(self.valued()));
                Places::Sparse { runs, near: 0 }
            }
        }
    }

    /// Returns the range of the ordinals of a place.
    #[inline]
    pub(super) fn values_at(&self, place: usize) -> Result<Range<usize>> {
        match &self.value_offsets {
            None => Ok(place..place + 1),
            Some(offsets) => offsets.range(place).ok_or_else(|| self.malformed("a place")),
        }
    }

    /// Returns some of the ordinals, checked.
    #[inline]
    pub(super) fn ordinals_at(&self, range: Range<usize>) -> Result<Ordinals<'_>> {
        let width = format::ordinal_width(self.value_count());
        let start = self.ordinals.start;
        let part = |start: usize, width: usize| {
            self.file.get(start + range.start * width..start + range.end * width)
        };
        let (bytes, upper) = if width == 3 {
            let count = self.description.ordinals as usize;
            (part(start, 2)?, part(start + 2 * count, 1)?)
        } else {
            (part(start, width)?, &[][..])
        };
        Ordinals::new(bytes, upper, width).ok_or_else(|| self.malformed("a place"))
    }

    /// Returns all ordinals, checked.
    pub(super) fn all_ordinals(&self) -> Result<Ordinals<'_>> {
        self.ordinals_at(0..self.description.ordinals as usize)
    }
}
