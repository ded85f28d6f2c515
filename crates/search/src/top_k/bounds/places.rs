//! Ranks of documents in a sorted list.

use segment::{DocId, gallop};

/// Lists with at least one document in this many numbers, on average, get a bitmap.
const CLOSE: usize = 256;

/// A sorted list of documents with fast rank lookups.
pub(super) struct Places<'d> {
    pub doc_ids: &'d [DocId],
    /// One entry for each 64 numbers, from the first document on: a bit for each document, and the
    /// count of documents before them. `None` for sparse lists.
    bits: Option<Vec<(u64, u32)>>,
}

impl<'d> Places<'d> {
    pub fn new(doc_ids: &'d [DocId]) -> Self {
        let span = match doc_ids {
            [first, .., last] => (last - first) as usize,
            _ => usize::MAX,
        };
        let bits = (span / CLOSE < doc_ids.len()).then(|| {
            let mut bits = vec![(0_u64, 0_u32); span / 64 + 1];
            for doc_id in doc_ids {
                let number = (doc_id - doc_ids[0]) as usize;
                bits[number / 64].0 |= 1 << (number % 64);
            }
            let mut before = 0;
            for (word, place) in &mut bits {
                *place = before;
                before += word.count_ones();
            }
            bits
        });
        Self { doc_ids, bits }
    }

    /// Looks up documents in ascending order.
    pub fn walk(&self) -> Walk<'_> {
        Walk { places: self, place: 0 }
    }
}

pub(super) struct Walk<'p> {
    places: &'p Places<'p>,
    /// The index of the last lookup in a sparse list.
    place: usize,
}

impl Walk<'_> {
    #[inline]
    pub fn find(&mut self, doc_id: DocId) -> Option<usize> {
        let Places { doc_ids, bits } = self.places;
        let Some(bits) = bits else {
            self.place = gallop(doc_ids, self.place, |other| *other < doc_id);
            return (doc_ids.get(self.place) == Some(&doc_id)).then_some(self.place);
        };
        let number = doc_id.checked_sub(*doc_ids.first()?)? as usize;
        let &(word, before) = bits.get(number / 64)?;
        let bit = 1_u64 << (number % 64);
        (word & bit != 0).then(|| before as usize + (word & (bit - 1)).count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_wherever_they_lie() {
        let far = (0..300).map(|number: DocId| number * number * 40 + 7);
        let close = (0..3000).filter(|number| number % 7 < 3).map(|number| number + 100);
        for doc_ids in [vec![], vec![9], far.collect::<Vec<_>>(), close.collect()] {
            let places = Places::new(&doc_ids);
            for step in [1, 2, 7, 50, 900] {
                let mut walk = places.walk();
                for doc_id in (0..5000).step_by(step) {
                    assert_eq!(walk.find(doc_id), doc_ids.binary_search(&doc_id).ok(), "{doc_id}");
                }
            }
        }
    }
}
