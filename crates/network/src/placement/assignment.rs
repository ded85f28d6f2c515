//! Assigns documents to shards by rendezvous hashing of the id against the names of the shards.
//! Every instance computes it and all agree, and a shard that is added or removed moves only the
//! documents that it gets or had.
//!
//! The weight of a shard for an id is the xxh3-64 hash of the id's bytes, seeded with the xxh3-64
//! hash of the shard's name. The highest weight wins; of two equal ones the name that comes first
//! in byte order. Changing any of this moves every document of every network.

use std::sync::Arc;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Assignment of documents to shards. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// Names in byte order, each with its seed.
    shards: Arc<[(Box<str>, u64)]>,
}

impl Assignment {
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut shards: Vec<(Box<str>, u64)> =
            names.into_iter().map(|name| (name.into(), xxh3_64(name.as_bytes()))).collect();
        shards.sort_unstable();
        shards.dedup();
        Self { shards: shards.into() }
    }

    /// Returns the place of the document's shard among the names; none without shards.
    pub fn place_of(&self, id: &str) -> Option<usize> {
        let mut best: Option<(u64, usize)> = None;
        for (place, (_, seed)) in self.shards.iter().enumerate() {
            let weight = xxh3_64_with_seed(id.as_bytes(), *seed);
            if best.is_none_or(|(highest, _)| weight > highest) {
                best = Some((weight, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Returns the names in byte order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.shards.iter().map(|(name, _)| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: u32 = 40_000;

    impl Assignment {
        pub(crate) fn shard_of(&self, id: &str) -> Option<&str> {
            self.place_of(id).map(|place| &*self.shards[place].0)
        }
    }

    fn counts(assignment: &Assignment, ids: impl Iterator<Item = String>) -> Vec<u32> {
        let mut counts = vec![0; assignment.names().len()];
        ids.for_each(|id| counts[assignment.place_of(&id).unwrap()] += 1);
        counts
    }

    #[test]
    fn documents_are_spread_evenly_whatever_their_ids_look_like() {
        let assignment = Assignment::new(["s0", "s1", "s2", "s3"]);
        let numbers = (0..IDS).map(|n| n.to_string());
        let names = (0..IDS).map(|n| format!("product-{n:08}-blue"));
        for counts in [counts(&assignment, numbers), counts(&assignment, names)] {
            for count in counts {
                assert!((9_600..10_400).contains(&count), "{count}");
            }
        }
    }

    #[test]
    fn one_more_shard_takes_its_part_and_moves_nothing_else() {
        let three = Assignment::new(["a", "b", "c"]);
        let four = Assignment::new(["d", "c", "b", "a"]);
        let mut moved = 0;
        for id in (0..IDS).map(|n| n.to_string()) {
            match (three.shard_of(&id), four.shard_of(&id)) {
                (before, after) if before == after => {}
                (_, Some("d")) => moved += 1,
                (before, after) => panic!("{id} moved from {before:?} to {after:?}"),
            }
        }
        let quarter = IDS / 4;
        assert!((quarter - quarter / 25..quarter + quarter / 25).contains(&moved), "{moved}");
    }

    /// Documents stay where they are from one version of the program to the next.
    #[test]
    fn the_choice_never_changes() {
        let assignment = Assignment::new(["s0", "s1", "s2"]);
        let chosen: Vec<&str> = ["0", "1", "2", "abc", "movie-42", "é"]
            .iter()
            .map(|id| assignment.shard_of(id).unwrap())
            .collect();
        assert_eq!(chosen, ["s0", "s1", "s1", "s1", "s2", "s1"]);
        assert_eq!(Assignment::new([]).shard_of("1"), None);
        assert_eq!(Assignment::new(["only", "only"]).shard_of("1"), Some("only"));
    }
}
