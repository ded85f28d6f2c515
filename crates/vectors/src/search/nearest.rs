//! The nearest documents met so far, each with the nearest of its vectors.

use segment::DocId;

#[derive(Debug)]
pub struct Nearest {
    limit: usize,
    /// Sorted nearest first.
    found: Vec<(f32, DocId)>,
}

impl Nearest {
    pub fn new(limit: usize) -> Self {
        Self { limit, found: Vec::with_capacity(limit.min(1024) + 1) }
    }

    /// Returns whether a vector at this distance could still be among them.
    #[inline]
    pub fn wants(&self, distance: f32) -> bool {
        self.found.len() < self.limit
            || self.found.last().is_some_and(|&(farthest, _)| distance <= farthest)
    }

    pub fn push(&mut self, distance: f32, doc_id: DocId) {
        if let Some(place) = self.found.iter().position(|&(_, known)| known == doc_id) {
            if self.found[place].0 <= distance {
                return;
            }
            self.found.remove(place);
        }
        let nearer = |&(known, known_id): &(f32, DocId)| {
            known.total_cmp(&distance).then(known_id.cmp(&doc_id)).is_lt()
        };
        let place = self.found.partition_point(nearer);
        self.found.insert(place, (distance, doc_id));
        self.found.truncate(self.limit);
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    pub fn into_sorted(self) -> impl Iterator<Item = (f32, DocId)> {
        self.found.into_iter()
    }
}
