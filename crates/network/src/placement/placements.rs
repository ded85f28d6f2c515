//! The topology by which documents are placed here. It follows the network one task at a time: a
//! change is in force for writes and searches only when the documents have moved, while the network
//! itself shows it at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use redb::WriteTransaction;
use serde::{Deserialize, Serialize};
use tasks::instance_table;
use uuid::Uuid;

use super::assignment::Assignment;
use super::left_behind::LeftBehind;
use super::network::{Network, Remote};
use super::shard_sets::ShardSets;

const PLACEMENT: &str = "placement";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredPlacement {
    network: Network,
    #[serde(rename = "isClean")]
    is_clean: bool,
    former: BTreeMap<String, Remote>,
}

/// Placement of documents by one topology.
#[derive(Debug)]
pub struct Placement {
    pub network: Network,
    /// True if this instance stores no document of a shard that it does not own.
    pub is_clean: bool,
    /// Former members that may still have to be notified.
    pub former: BTreeMap<String, Remote>,
    pub assignment: Assignment,
    /// For each shard, in the order of the names, true if this instance owns it.
    owned: Vec<bool>,
}

impl Placement {
    pub fn new(network: Network, is_clean: bool, former: BTreeMap<String, Remote>) -> Self {
        let shards = network.shards.iter().filter(|_| network.is_sharded());
        let assignment = Assignment::new(shards.map(|(name, _)| name.as_str()));
        let own = network.name.as_deref().unwrap_or_default();
        let owners = |shard: &str| network.shards.get(shard);
        let is_own = |shard| owners(shard).is_some_and(|owners| owners.contains(own));
        let owned = assignment.names().map(is_own).collect();
        Self { assignment, owned, network, is_clean, former }
    }

    /// Returns whether documents are sharded.
    pub fn is_sharded(&self) -> bool {
        self.network.is_sharded()
    }

    /// Returns whether the document is stored here.
    pub fn owns(&self, id: &str) -> bool {
        match self.assignment.place_of(id) {
            Some(place) => self.owned[place],
            None => true,
        }
    }

    /// Returns the shards whose documents are stored here.
    pub fn own_shards(&self) -> impl Iterator<Item = &str> {
        self.assignment.names().zip(&self.owned).filter(|(_, owned)| **owned).map(|(name, _)| name)
    }
}

/// The placement in force: in memory for lock-free readers, and on disk.
#[derive(Debug)]
pub struct Placements {
    current: ArcSwap<Placement>,
    /// Placements before and after a change in progress: members switch at different times, and
    /// each is answered by the topology it names. Documents are where either says.
    around: ArcSwap<Vec<Placement>>,
    /// Data of the network that this instance left, until it joins one.
    left_behind: ArcSwapOption<LeftBehind>,
    /// Replaced placements, by which queries may still be open.
    replaced: Mutex<Vec<Weak<Placement>>>,
    pub sets: ShardSets,
}

impl Placements {
    /// Reads the stored placement. Damage is an error, since documents would be stored where they
    /// do not belong.
    pub fn load(db: &redb::Database) -> Result<Self, String> {
        let stored = instance_table::get(db, PLACEMENT).map_err(|error| error.to_string())?;
        let placement = match stored {
            Some(text) => {
                let StoredPlacement { network, is_clean, former } = serde_json::from_str(&text)
                    .map_err(|error| format!("the stored placement cannot be read: {error}"))?;
                Placement::new(network, is_clean, former)
            }
            None => Placement::new(Network::default(), true, BTreeMap::new()),
        };
        Ok(Self {
            current: ArcSwap::from_pointee(placement),
            around: ArcSwap::default(),
            left_behind: ArcSwapOption::new(LeftBehind::load(db)?.map(Arc::new)),
            replaced: Mutex::default(),
            sets: ShardSets::default(),
        })
    }

    pub fn current(&self) -> Arc<Placement> {
        self.current.load_full()
    }

    pub fn left_behind(&self) -> Option<Arc<LeftBehind>> {
        self.left_behind.load_full()
    }

    pub fn leave_behind(&self, left: Option<Arc<LeftBehind>>) {
        self.left_behind.store(left);
    }

    /// Returns the assignment by which a member asks that names this version of the network.
    pub fn assignment_of(&self, version: Uuid) -> Assignment {
        let (current, around) = (self.current.load(), self.around.load());
        if version == current.network.version {
            return current.assignment.clone();
        }
        // A newcomer does not know the version before its own.
        let known = around.iter().find(|one| one.network.version == version || version.is_nil());
        known.map_or(&current.assignment, |one| &one.assignment).clone()
    }

    /// Records the placements before and after a change.
    pub fn remember(&self, before: Placement, after: Placement) {
        self.around.store(Arc::new(vec![before, after]));
    }

    pub fn write(placement: &Placement, transaction: &WriteTransaction) -> Result<(), redb::Error> {
        let Placement { network, is_clean, former, .. } = placement;
        let stored = StoredPlacement {
            network: network.clone(),
            is_clean: *is_clean,
            former: former.clone(),
        };
        // Maps of strings always serialize.
        let text = serde_json::to_string(&stored).unwrap_or_default();
        instance_table::put(transaction, PLACEMENT, &text)
    }

    pub fn publish(&self, placement: Arc<Placement>) {
        let before = self.current.swap(placement);
        self.replaced.lock().push(Arc::downgrade(&before));
    }

    /// Returns whether a query planned by a replaced placement is still open.
    pub fn has_older_queries(&self) -> bool {
        let mut replaced = self.replaced.lock();
        replaced.retain(|placement| placement.strong_count() > 0);
        !replaced.is_empty()
    }

    /// Like `publish`, at the end of a change: no query names another placement any more.
    pub fn settle(&self, placement: Arc<Placement>, left: Option<Arc<LeftBehind>>) {
        self.publish(placement);
        self.leave_behind(left);
        self.around.store(Arc::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::planned_network::PlannedNetwork;

    #[test]
    fn questions_of_before_are_known_until_they_are_answered() {
        let folder = tempfile::tempdir().unwrap();
        let database = redb::Database::create(folder.path().join("meta.redb")).unwrap();
        let placement = || Placement::new(Network::default(), true, BTreeMap::new());
        let write = database.begin_write().unwrap();
        Placements::write(&placement(), &write).unwrap();
        write.commit().unwrap();
        let placements = Placements::load(&database).unwrap();
        let ask = || PlannedNetwork::sharded(Network::default(), placements.current());

        let (first, again) = (ask(), ask());
        placements.publish(Arc::new(placement()));
        let second = ask();
        placements.publish(Arc::new(placement()));
        let of_now = ask();
        drop((first, second));
        assert!(placements.has_older_queries());
        drop(again);
        assert!(!placements.has_older_queries());
        drop(of_now);
    }
}
