//! By which topology documents are placed here. It follows the network one task at a time: a
//! change is in force for writes and searches only when the documents have been moved, while the
//! network itself shows it at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use redb::WriteTransaction;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::assignment::Assignment;
use super::left_behind::LeftBehind;
use super::network::{Network, Remote};
use super::shard_sets::ShardSets;
use crate::storage::instance_table;

const PLACEMENT: &str = "placement";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredPlacement {
    network: Network,
    #[serde(rename = "isClean")]
    is_clean: bool,
    former: BTreeMap<String, Remote>,
}

/// Where documents belong.
#[derive(Debug)]
pub(crate) struct Placement {
    pub network: Network,
    /// Whether nothing is here that belongs elsewhere.
    pub is_clean: bool,
    /// Members that left, who may have something to be told still.
    pub former: BTreeMap<String, Remote>,
    pub assignment: Assignment,
    /// By the place of a shard among the names.
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

    /// Whether documents are shared out at all.
    pub fn is_sharded(&self) -> bool {
        self.network.is_sharded()
    }

    /// Whether the document is stored here.
    pub fn owns(&self, id: &str) -> bool {
        match self.assignment.place_of(id) {
            Some(place) => self.owned[place],
            None => true,
        }
    }

    /// The shards whose documents are stored here.
    pub fn own_shards(&self) -> impl Iterator<Item = &str> {
        self.assignment.names().zip(&self.owned).filter(|(_, owned)| **owned).map(|(name, _)| name)
    }
}

/// The placement in force: in memory for readers, who take no lock, and on disk.
#[derive(Debug)]
pub(crate) struct Placements {
    current: ArcSwap<Placement>,
    /// The ones before and after, while the topology changes: members do not switch at the same
    /// moment, and each is answered by the topology it asks by. Documents are where either says.
    around: ArcSwap<Vec<Placement>>,
    /// Of the network that this instance left, until it is in one again.
    left_behind: ArcSwapOption<LeftBehind>,
    /// Those of before, by which questions may still be open.
    replaced: Mutex<Vec<Weak<Placement>>>,
    pub sets: ShardSets,
}

impl Placements {
    /// What is stored; damage is told, since documents would be stored where they do not belong.
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

    /// Into which shards a member cuts that asks by this version of the network.
    pub fn assignment_of(&self, version: Uuid) -> Assignment {
        let (current, around) = (self.current.load(), self.around.load());
        if version == current.network.version {
            return current.assignment.clone();
        }
        // A newcomer does not know the version before its own.
        let known = around.iter().find(|one| one.network.version == version || version.is_nil());
        known.map_or(&current.assignment, |one| &one.assignment).clone()
    }

    /// Remembers what was and what will be, in this order.
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
        // Maps of strings: nothing that JSON cannot hold.
        let text = serde_json::to_string(&stored).unwrap_or_default();
        instance_table::put(transaction, PLACEMENT, &text)
    }

    pub fn publish(&self, placement: Arc<Placement>) {
        let before = self.current.swap(placement);
        self.replaced.lock().push(Arc::downgrade(&before));
    }

    /// Whether a question that was planned by a placement of before has no answer yet.
    pub fn has_older_queries(&self) -> bool {
        let mut replaced = self.replaced.lock();
        replaced.retain(|placement| placement.strong_count() > 0);
        !replaced.is_empty()
    }

    /// The same at the end of a change: nobody asks by another any more.
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
