//! Decides which documents move where. Every member computes it from the ids of its documents.

use std::collections::{BTreeMap, BTreeSet};

use index::Snapshot;
use model::ServiceError;
use roaring::RoaringBitmap;
use transfer::failure::index_failure;

use crate::placement::Assignment;
use crate::replication::change::TopologyChange;

pub(super) struct Moves<'c> {
    old: Assignment,
    new: Assignment,
    /// For each old shard: its owners, and whether this member sends its documents.
    before: Vec<(&'c BTreeSet<String>, bool)>,
    /// For each new shard: its owners.
    after: Vec<&'c BTreeSet<String>>,
    own: &'c str,
}

impl<'c> Moves<'c> {
    pub fn new(change: &'c TopologyChange, own: &'c str) -> Self {
        // Maps and assignments are both ordered by name.
        let is_sender = |shard: &str| change.sender_of(shard) == Some(own);
        let before = change.previous_shards.iter();
        Self {
            old: Assignment::new(change.previous_shards.keys().map(String::as_str)),
            new: Assignment::new(change.shards.keys().map(String::as_str)),
            before: before.map(|(shard, owners)| (owners, is_sender(shard))).collect(),
            after: change.shards.values().collect(),
            own,
        }
    }

    /// Returns the members to which this one sends a document.
    pub fn targets(&self, id: &str) -> impl Iterator<Item = &'c str> {
        let (had, is_sender) = match self.old.place_of(id) {
            Some(place) => (Some(self.before[place].0), self.before[place].1),
            None => (None, false),
        };
        let gets = self.new.place_of(id).filter(|_| is_sender).map(|place| self.after[place]);
        let own = self.own;
        gets.into_iter()
            .flatten()
            .map(String::as_str)
            .filter(move |member| *member != own && had.is_none_or(|had| !had.contains(*member)))
    }

    /// Returns the documents of an index by the members they go to.
    pub fn of_index(
        &self,
        snapshot: &Snapshot,
    ) -> Result<BTreeMap<&'c str, RoaringBitmap>, ServiceError> {
        let mut found: BTreeMap<&str, RoaringBitmap> = BTreeMap::new();
        for segment in snapshot.segments() {
            let each = |id: &str, doc_id| {
                if !segment.deleted().contains(doc_id) {
                    for member in self.targets(id) {
                        found.entry(member).or_default().insert(doc_id);
                    }
                }
            };
            segment.documents().for_each_id(each).map_err(index_failure)?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::placement::Shards;

    fn shards(shards: &[(&str, &[&str])]) -> Shards {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        shards.iter().map(|(shard, owners)| ((*shard).to_owned(), names(owners))).collect()
    }

    fn change(before: &[(&str, &[&str])], after: &[(&str, &[&str])]) -> TopologyChange {
        let remotes = |shards: &Shards| {
            let remote = |name: &String| {
                let remote = crate::placement::Remote {
                    url: String::new(),
                    search_api_key: None,
                    write_api_key: None,
                };
                (name.clone(), remote)
            };
            shards.values().flatten().map(remote).collect()
        };
        let (before, after) = (shards(before), shards(after));
        TopologyChange {
            version: Uuid::nil(),
            leader: Some("a".to_owned()),
            remotes: remotes(&after),
            previous_remotes: remotes(&before),
            shards: after,
            previous_shards: before,
            before: None,
            takes_back: None,
        }
    }

    /// Checks that each document reaches exactly the new owners that lack it, once each.
    #[test]
    fn every_new_owner_gets_every_document_once() {
        let topologies: [&[(&str, &[&str])]; 6] = [
            &[("", &["a"])],
            &[("s", &["a"]), ("t", &["b"]), ("u", &["c"])],
            &[("s", &["a"]), ("t", &["b"]), ("u", &["c"]), ("v", &["d"])],
            &[("s", &["a", "b"]), ("t", &["b", "c"]), ("u", &["c", "a"])],
            &[("x", &["b", "d"])],
            &[("s", &["b"]), ("t", &["b"]), ("u", &["a", "d"])],
        ];
        for (before, after) in
            topologies.iter().flat_map(|before| topologies.iter().map(move |after| (before, after)))
        {
            let change = change(before, after);
            let (old, new) = (
                Assignment::new(before.iter().map(|(name, _)| *name)),
                Assignment::new(after.iter().map(|(name, _)| *name)),
            );
            for id in (0..200).map(|id| id.to_string()) {
                let had = &change.previous_shards[old.shard_of(&id).unwrap()];
                let gets = &change.shards[new.shard_of(&id).unwrap()];
                let mut got: Vec<String> = had.iter().cloned().collect();
                // Only its owners can send it.
                for holder in had {
                    let moves = Moves::new(&change, holder);
                    got.extend(moves.targets(&id).map(str::to_owned));
                }
                let distinct: BTreeSet<String> = got.iter().cloned().collect();
                assert_eq!(distinct.len(), got.len(), "{before:?} {after:?} {id}");
                assert!(gets.is_subset(&distinct), "{before:?} {after:?} {id}");
                for outsider in ["a", "b", "c", "d"].iter().filter(|name| !had.contains(**name)) {
                    assert_eq!(Moves::new(&change, outsider).targets(&id).count(), 0);
                }
            }
        }
    }
}
