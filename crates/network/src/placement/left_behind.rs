//! Data that an instance still holds of a network it left: which of its indexes were shared, and
//! whether the others have their documents too. With it the instance can rejoin as it is; the data
//! is then updated (`topology/rejoin.rs`) rather than deleted by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use index::Snapshot;
use redb::WriteTransaction;
use serde::{Deserialize, Serialize};
use tasks::instance_table;
use uuid::Uuid;

use super::network::Shards;
use super::placements::Placement;

const LEFT_BEHIND: &str = "leftBehind";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftBehind {
    /// All shards of the network.
    shards: BTreeSet<String>,
    /// Shards whose documents are here.
    held: BTreeSet<String>,
    /// True if all documents were sent to other members before it left.
    has_moved: bool,
    indexes: BTreeMap<String, LeftIndex>,
}

/// A shared index, as of leaving.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeftIndex {
    id: Uuid,
    updated_at_ns: i64,
}

impl LeftBehind {
    /// Describes what an instance has that leaves with this placement.
    pub fn of(
        placement: &Placement,
        indexes: Vec<(String, Uuid, Arc<Snapshot>)>,
        has_moved: bool,
    ) -> Self {
        let left = |(uid, id, snapshot): (_, _, Arc<Snapshot>)| {
            (uid, LeftIndex { id, updated_at_ns: changed_ns(&snapshot) })
        };
        Self {
            shards: placement.assignment.names().map(str::to_owned).collect(),
            // An instance without shards has copies at most.
            has_moved: has_moved || placement.own_shards().next().is_none(),
            held: placement.own_shards().map(str::to_owned).collect(),
            indexes: indexes.into_iter().map(left).collect(),
        }
    }

    /// Returns whether the index was shared. One that was created since, or renamed, is the
    /// instance's own.
    pub fn has(&self, uid: &str, id: Uuid) -> bool {
        self.indexes.get(uid).is_some_and(|left| left.id == id)
    }

    /// Returns whether an index of this name was shared.
    pub fn knows(&self, uid: &str) -> bool {
        self.indexes.contains_key(uid)
    }

    /// Returns whether documents that no other member sends may be the only copies: if they were
    /// never sent, or the index was changed since.
    pub fn may_have_the_only_copy(&self, uid: &str, snapshot: &Snapshot) -> bool {
        let left = self.indexes.get(uid);
        !self.has_moved || left.is_none_or(|left| left.updated_at_ns != changed_ns(snapshot))
    }

    /// Returns why the instance cannot join with these shards: documents that only it has would
    /// have no place. With rendezvous hashing a removed shard moves its own documents alone, and a
    /// new one takes some of every other.
    pub fn objection(&self, shards: &Shards, own: &str) -> Option<String> {
        if self.has_moved || self.indexes.is_empty() {
            return None;
        }
        let stays = |shard: &String| shards.get(shard).is_some_and(|owners| owners.contains(own));
        let has_no_more = shards.keys().all(|shard| self.shards.contains(shard));
        if has_no_more && self.held.iter().all(stays) {
            return None;
        }
        let held: Vec<String> = self.held.iter().map(|shard| format!("`{shard}`")).collect();
        Some(format!(
            "it may have the only copy of documents of the shards {} and would have to give some \
             away.\n - Hint: let it own these and add no shard now; change them when it is in",
            held.join(", ")
        ))
    }

    /// Returns the description for the indexes that have the names now.
    #[must_use]
    pub fn renewed(mut self, id_of: impl Fn(&str) -> Option<Uuid>) -> Self {
        for (uid, left) in &mut self.indexes {
            if let Some(id) = id_of(uid) {
                left.id = id;
            }
        }
        self
    }

    pub fn load(db: &redb::Database) -> Result<Option<Self>, String> {
        let stored = instance_table::get(db, LEFT_BEHIND).map_err(|error| error.to_string())?;
        let Some(text) = stored else { return Ok(None) };
        serde_json::from_str(&text)
            .map_err(|error| format!("the record of left-behind documents cannot be read: {error}"))
    }

    /// Stores what is left behind, if anything.
    pub fn write(left: Option<&Self>, transaction: &WriteTransaction) -> Result<(), redb::Error> {
        match left {
            Some(left) => {
                // Maps of strings always serialize.
                let text = serde_json::to_string(left).unwrap_or_default();
                instance_table::put(transaction, LEFT_BEHIND, &text)
            }
            None => instance_table::remove(transaction, LEFT_BEHIND),
        }
    }
}

fn changed_ns(snapshot: &Snapshot) -> i64 {
    snapshot.updated_at().unix_timestamp_nanos() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(shards: &[&str], held: &[&str], has_moved: bool) -> LeftBehind {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let index = LeftIndex { id: Uuid::nil(), updated_at_ns: 1 };
        LeftBehind {
            shards: names(shards),
            held: names(held),
            has_moved,
            indexes: BTreeMap::from([("books".to_owned(), index)]),
        }
    }

    #[test]
    fn an_owner_of_only_copies_joins_only_where_it_keeps_them() {
        let change = |shards: &[(&str, &[&str])]| -> Shards {
            let owners = |owners: &[&str]| owners.iter().map(ToString::to_string).collect();
            shards.iter().map(|(name, of)| ((*name).to_owned(), owners(of))).collect()
        };
        let kept = change(&[("s", &["a"]), ("t", &["a", "c"])]);
        let fewer = change(&[("t", &["c"])]);
        let taken = change(&[("s", &["a"]), ("t", &["a"])]);
        let more = change(&[("s", &["a"]), ("t", &["c"]), ("u", &["c"])]);
        let alone = left(&["s", "t"], &["t"], false);
        let objections =
            [&kept, &fewer, &taken, &more].map(|change| alone.objection(change, "c").is_some());
        assert_eq!(objections, [false, false, true, true]);
        let moved = left(&["s", "t"], &["t"], true);
        assert!([&taken, &more].iter().all(|change| moved.objection(change, "c").is_none()));
    }

    #[test]
    fn only_indexes_under_their_old_name_were_shared() {
        let left = left(&["s"], &["s"], false);
        assert!(left.has("books", Uuid::nil()));
        assert!(!left.has("books", Uuid::max()) && !left.has("teas", Uuid::nil()));
        let text = serde_json::to_string(&left).unwrap();
        assert_eq!(serde_json::from_str::<LeftBehind>(&text).unwrap(), left);
    }
}
