//! Counts how many of the counted documents have each value, in one segment. The cheapest method
//! depends on the number of documents and on how many values are needed.

use std::ops::Range;

use index::{Segment, Snapshot};
use roaring::RoaringBitmap;
use segment::columns::Column;

use crate::error::SearchError;

/// Reading the documents of one value costs about as much as counting this many documents.
const VALUE_COST: u64 = 256;

/// Sorting the values of a document costs about as much as reading this many counts.
const SORTING_COST: u64 = 40;

/// The counted documents of one segment.
#[derive(Debug)]
pub(super) struct CountedSegment<'s> {
    pub segment: &'s Segment,
    pub counted: RoaringBitmap,
}

/// Returns the counted documents of each segment. A replaced document keeps its number, so an older
/// segment may have values of its earlier version under the number of a candidate.
pub(super) fn parts<'s>(
    snapshot: &'s Snapshot,
    candidates: &RoaringBitmap,
) -> Vec<CountedSegment<'s>> {
    let part = |segment: &'s Segment| {
        let mut counted = candidates & segment.documents().doc_ids();
        counted -= segment.deleted();
        CountedSegment { segment, counted }
    };
    snapshot.segments().iter().map(part).collect()
}

/// Hint on how many values will be read.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadHint {
    /// About this many of the values that occur in counted documents, in order.
    First(usize),
    All,
}

#[derive(Debug)]
pub(super) struct Tally<'p> {
    pub part: &'p CountedSegment<'p>,
    pub column: &'p Column,
    counts: Counts,
}

#[derive(Debug)]
enum Counts {
    /// All documents of the segment are counted.
    Whole,
    /// Counts of every value.
    Dense(Vec<u32>),
    /// Counts of the values that occur, in order.
    Sparse(Vec<(u32, u32)>),
    /// LookedUp up one by one, as long as that is cheaper than counting all; the cost so far.
    LookedUp(u64),
}

/// Returns the tallies of an attribute, one for each segment with values of it.
pub(super) fn tallies<'p>(
    parts: &'p [CountedSegment<'p>],
    attribute: &str,
    hint: ReadHint,
) -> Result<Vec<Tally<'p>>, SearchError> {
    let mut tallies = Vec::new();
    for part in parts {
        if let Some(column) = part.segment.column(attribute)?
            && column.value_count() > 0
        {
            tallies.push(Tally::new(part, column, hint)?);
        }
    }
    Ok(tallies)
}

impl<'p> Tally<'p> {
    fn new(
        part: &'p CountedSegment<'p>,
        column: &'p Column,
        hint: ReadHint,
    ) -> Result<Self, SearchError> {
        let documents = part.counted.len();
        let values = u64::from(column.value_count());
        let look_up = match hint {
            ReadHint::All => false,
            ReadHint::First(values_wanted) => {
                let documents_each = column.exists().len() / values;
                let cost = (values_wanted as u64).saturating_mul(documents_each + VALUE_COST);
                cost < documents / 2
            }
        };
        let counts = if documents == part.segment.documents().len() {
            Counts::Whole
        } else if look_up {
            Counts::LookedUp(0)
        } else if documents * SORTING_COST < values {
            Counts::Sparse(sparse(part, column)?)
        } else {
            Counts::Dense(dense(part, column)?)
        };
        Ok(Self { part, column, counts })
    }

    pub fn numbers(&self) -> Range<u32> {
        0..self.column.number_count()
    }

    pub fn strings(&self) -> Range<u32> {
        self.column.number_count()..self.column.value_count()
    }

    /// Returns how many counted documents have the value.
    pub fn count(&mut self, ordinal: u32) -> Result<u32, SearchError> {
        Ok(match &mut self.counts {
            Counts::Whole => self.column.document_count(ordinal)?,
            Counts::Dense(counts) => counts.get(ordinal as usize).copied().unwrap_or(0),
            Counts::Sparse(counts) => {
                let place = counts.binary_search_by_key(&ordinal, |(ordinal, _)| *ordinal);
                place.map_or(0, |place| counts[place].1)
            }
            Counts::LookedUp(cost) => {
                *cost += u64::from(self.column.document_count(ordinal)?) + VALUE_COST;
                if *cost > self.part.counted.len() {
                    self.counts = Counts::Dense(dense(self.part, self.column)?);
                    return self.count(ordinal);
                }
                self.documents(ordinal)?.len() as u32
            }
        })
    }

    /// Returns the first value of a range that occurs, and its count.
    pub fn first(&mut self, range: Range<u32>) -> Result<Option<(u32, u32)>, SearchError> {
        if let Counts::Sparse(counts) = &self.counts {
            let place = counts.partition_point(|(ordinal, _)| *ordinal < range.start);
            return Ok(counts.get(place).filter(|(ordinal, _)| *ordinal < range.end).copied());
        }
        for ordinal in range {
            let count = self.count(ordinal)?;
            if count > 0 {
                return Ok(Some((ordinal, count)));
            }
        }
        Ok(None)
    }

    /// Returns the last value of a range that occurs.
    pub fn last(&mut self, range: Range<u32>) -> Result<Option<u32>, SearchError> {
        if let Counts::Sparse(counts) = &self.counts {
            let place = counts.partition_point(|(ordinal, _)| *ordinal < range.end);
            let (ordinal, _) = counts[..place].last().copied().unwrap_or((0, 0));
            return Ok((place > 0 && range.contains(&ordinal)).then_some(ordinal));
        }
        for ordinal in range.rev() {
            if self.count(ordinal)? > 0 {
                return Ok(Some(ordinal));
            }
        }
        Ok(None)
    }

    /// Prepares for reading all counts.
    pub fn gather(&mut self) -> Result<(), SearchError> {
        if let Counts::Whole = self.counts {
            let counts = (0..self.column.value_count()).map(|it| self.column.document_count(it));
            self.counts = Counts::Dense(counts.collect::<segment::Result<_>>()?);
        }
        Ok(())
    }

    /// Returns the number of values that occur, if it is known to be small.
    pub fn few_values(&self) -> Option<usize> {
        match &self.counts {
            Counts::Sparse(counts) => Some(counts.len()),
            _ => None,
        }
    }

    /// Returns the counted documents with the value.
    pub fn documents(&self, ordinal: u32) -> Result<RoaringBitmap, SearchError> {
        Ok(self.column.documents_of(ordinal)? & &self.part.counted)
    }

    /// Returns the live documents with the value, counted or not.
    pub fn live_documents(&self, ordinal: u32) -> Result<RoaringBitmap, SearchError> {
        Ok(self.column.documents_of(ordinal)? - self.part.segment.deleted())
    }

    /// Returns whether most values occur, so that they are best read sequentially.
    pub fn is_dense(&self) -> bool {
        matches!(self.counts, Counts::Whole | Counts::Dense(_))
    }
}

fn dense(part: &CountedSegment<'_>, column: &Column) -> Result<Vec<u32>, SearchError> {
    let mut counts = vec![0; column.value_count() as usize];
    column.count_values(&part.counted, &mut counts)?;
    Ok(counts)
}

fn sparse(part: &CountedSegment<'_>, column: &Column) -> Result<Vec<(u32, u32)>, SearchError> {
    let mut ordinals = Vec::with_capacity(part.counted.len() as usize);
    let mut values = column.values();
    for doc_id in &part.counted {
        ordinals.extend(values.seek(doc_id)?);
    }
    ordinals.sort_unstable();
    let groups = ordinals.chunk_by(|a, b| a == b);
    Ok(groups.map(|group| (group[0], group.len() as u32)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::facets::tests::Shelf;

    const DOCUMENTS: u32 = 3000;

    fn shelf() -> Shelf {
        let shelf = Shelf::new(&json!({ "filterableAttributes": ["id", "kind"] }));
        let kind = |id: u32| ["a", "b", "c"][id as usize % 3];
        let documents: Vec<Value> =
            (0..DOCUMENTS).map(|id| json!({ "id": id, "kind": kind(id) })).collect();
        shelf.write(&documents);
        shelf
    }

    #[test]
    fn the_cheapest_way_to_count_is_chosen() {
        let shelf = shelf();
        let snapshot = shelf.snapshot();
        let chosen = |facet: &str, documents: u32, hint: ReadHint| {
            let candidates = shelf.candidates(0..documents);
            let parts = parts(&snapshot, &candidates);
            match tallies(&parts, facet, hint).unwrap()[0].counts {
                Counts::Whole => "whole",
                Counts::Dense(_) => "dense",
                Counts::Sparse(_) => "sparse",
                Counts::LookedUp(_) => "looked up",
            }
        };
        assert_eq!(chosen("id", DOCUMENTS, ReadHint::All), "whole");
        assert_eq!(chosen("id", DOCUMENTS - 1, ReadHint::All), "dense");
        assert_eq!(chosen("id", 10, ReadHint::All), "sparse");
        assert_eq!(chosen("id", DOCUMENTS - 1, ReadHint::First(3)), "looked up");
        assert_eq!(chosen("id", DOCUMENTS - 1, ReadHint::First(30)), "dense");
        assert_eq!(chosen("kind", DOCUMENTS - 1, ReadHint::First(3)), "dense");
        assert_eq!(chosen("kind", 10, ReadHint::All), "dense");
    }

    #[test]
    fn looking_up_ends_when_counting_is_cheaper() {
        let shelf = shelf();
        let snapshot = shelf.snapshot();
        let candidates = shelf.candidates(1000..DOCUMENTS);
        let parts = parts(&snapshot, &candidates);
        let mut tallies = tallies(&parts, "id", ReadHint::First(1)).unwrap();
        let tally = &mut tallies[0];
        assert!(matches!(tally.counts, Counts::LookedUp(_)));
        assert_eq!(tally.count(1000).unwrap(), 1);
        assert!(matches!(tally.counts, Counts::LookedUp(_)));
        assert_eq!(tally.first(tally.numbers()).unwrap(), Some((1000, 1)));
        assert!(matches!(tally.counts, Counts::Dense(_)));
        assert_eq!(tally.last(0..1500).unwrap(), Some(1499));
        assert_eq!(tally.last(0..1000).unwrap(), None);
    }

    #[test]
    fn few_documents_are_counted_like_many() {
        let shelf = shelf();
        shelf.delete([7]);
        let snapshot = shelf.snapshot();
        let candidates = shelf.candidates([5, 7, 11]);
        let parts = parts(&snapshot, &candidates);
        let mut tallies = tallies(&parts, "id", ReadHint::All).unwrap();
        let tally = &mut tallies[0];
        assert!(matches!(tally.counts, Counts::Sparse(_)));
        assert_eq!([4, 5, 7, 11, 12].map(|id| tally.count(id).unwrap()), [0, 1, 0, 1, 0]);
        assert_eq!(tally.first(0..5).unwrap(), None);
        assert_eq!(tally.first(6..3000).unwrap(), Some((11, 1)));
        assert_eq!(tally.last(0..3000).unwrap(), Some(11));
        assert_eq!(tally.last(6..11).unwrap(), None);
        assert_eq!(tally.last(0..5).unwrap(), None);
        assert_eq!(tally.documents(7).unwrap().len(), 0);
        assert_eq!(tally.live_documents(8).unwrap().len(), 1);
    }
}
