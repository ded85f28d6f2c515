//! Builds the set of documents of every top-level field. Documents come in DocId order.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::run_set::RunSet;
use super::shapes::{Shape, Shapes};
use crate::DocId;

#[derive(Debug)]
pub struct FieldSets {
    sets: Vec<RunSet>,
}

impl FieldSets {
    pub fn new(names: usize) -> Self {
        Self { sets: vec![RunSet::default(); names] }
    }

    pub fn add(&mut self, doc_id: DocId, shape: Shape, shapes: &Shapes) {
        for name in shapes.fields(shape) {
            // A name may be listed twice for the same document; once is enough.
            self.sets[name].push(doc_id);
        }
    }

    /// Returns the sets by name; names without documents are left out.
    pub fn finish(self, names: Vec<String>) -> BTreeMap<String, RoaringBitmap> {
        names
            .into_iter()
            .zip(self.sets)
            .map(|(name, runs)| (name, runs.finish()))
            .filter(|(_, set)| !set.is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_gaps_and_repeats() {
        let mut shapes = Shapes::default();
        let both = shapes.shape_of(["a", "b", "a"]);
        let one = shapes.shape_of(["a"]);
        shapes.shape_of(["unused"]);
        let mut sets = FieldSets::new(shapes.name_count());
        for doc_id in [0, 1, 2, 7, u32::MAX] {
            sets.add(doc_id, if doc_id == 1 { one } else { both }, &shapes);
        }
        let sets = sets.finish(shapes.into_names());
        assert_eq!(sets.len(), 2);
        assert_eq!(sets["a"], RoaringBitmap::from_iter([0, 1, 2, 7, u32::MAX]));
        assert_eq!(sets["b"], RoaringBitmap::from_iter([0, 2, 7, u32::MAX]));
    }
}
