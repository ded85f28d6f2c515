//! The nearest documents met so far, each with the nearest of its vectors.

use segment::DocId;

#[derive(Debug)]
pub struct Nearest {
    limit: usize,
    /// Sorted nearest first, as are the documents.
    distances: Vec<f32>,
    doc_ids: Vec<DocId>,
}

impl Nearest {
    pub fn new(limit: usize) -> Self {
        let capacity = limit.min(1024) + 1;
        Self {
            limit,
            distances: Vec::with_capacity(capacity),
            doc_ids: Vec::with_capacity(capacity),
        }
    }

    /// Returns whether a vector at this distance could still be among them.
    #[inline]
    pub fn wants(&self, distance: f32) -> bool {
        self.len() < self.limit || self.distances.last().is_some_and(|&last| distance <= last)
    }

    pub fn push(&mut self, distance: f32, doc_id: DocId) {
        // Without an early end, the comparisons are vectorised.
        let is_known = self.doc_ids.iter().fold(false, |found, &known| found | (known == doc_id));
        if is_known && let Some(place) = self.doc_ids.iter().position(|&known| known == doc_id) {
            if self.distances[place] <= distance {
                return;
            }
            self.distances.remove(place);
            self.doc_ids.remove(place);
        }
        let mut place = self.distances.partition_point(|known| known.total_cmp(&distance).is_lt());
        while self.distances.get(place).is_some_and(|known| known.total_cmp(&distance).is_eq())
            && self.doc_ids[place] < doc_id
        {
            place += 1;
        }
        if place == self.limit {
            return;
        }
        self.distances.insert(place, distance);
        self.doc_ids.insert(place, doc_id);
        self.distances.truncate(self.limit);
        self.doc_ids.truncate(self.limit);
    }

    pub fn len(&self) -> usize {
        self.doc_ids.len()
    }

    pub fn into_sorted(self) -> impl Iterator<Item = (f32, DocId)> {
        self.distances.into_iter().zip(self.doc_ids)
    }
}
