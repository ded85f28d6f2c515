//! Changes the network. Without sharding it is only stored; otherwise the change is a task, at the
//! same place among the writes of every member, and the network shows it at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use model::{Cancel, Code, Patch, ServiceError};
use outbound::Call;
use parking_lot::RwLockWriteGuard;
use tasks::{Content, NewTask, RegistryUpdate, Task, TaskNetwork};
use uuid::Uuid;

use super::Replication;
use super::change::TopologyChange;
use super::network_change::NetworkChange;
use crate::placement::{Network, NetworkStore, Remote};
use crate::placement::{Placement, Placements};

/// Time for a leaving member to answer whether it is reachable.
const LEAVING_TIMEOUT: Duration = Duration::from_secs(3);

impl Replication {
    /// Returns the network after the change, and the task that applies it if one is needed.
    pub fn change(
        &self,
        change: NetworkChange,
    ) -> Result<(Arc<Network>, Option<Task>), ServiceError> {
        let _one_at_a_time = self.members.store.lock();
        let old = self.members.network();
        let turns_off = matches!(change.leader, Patch::Clear);
        let mut new = change.applied_to(&old)?;
        new.version = later_version(new.version, &old);
        let new = Arc::new(new);
        let unfinished = self.unfinished_changes()?;
        let is_busy = !unfinished.is_empty();
        // A member that waits in a change that removes it is not sharded any more; this can free it
        // too.
        if !(old.is_sharded() || new.is_sharded() || turns_off && is_busy) {
            let stored = Arc::clone(&new);
            let write = RegistryUpdate::new(move |to| NetworkStore::write(&stored, to));
            self.queue.transact(write)?;
            self.members.store.publish(Arc::clone(&new));
            return Ok((new, None));
        }
        if new.is_sharded() && !is_same_topology(&old, &new) && is_busy {
            return Err(ServiceError::new(
                Code::UnprocessedNetworkTask,
                "The network is still changing: wait for its task of type \
                 `networkTopologyChange` to finish.\n - Hint: canceling it takes it back, and \
                 setting `leader` to `null` ends it.",
            ));
        }
        let own = new.name.clone().unwrap_or_default();
        let absent = match old.is_sharded() && new.is_sharded() {
            true => self.unreachable_members(&leaving(&old, &new)),
            false => BTreeSet::new(),
        };
        let change = TopologyChange::new(&old, &new, &absent);
        let mut recipients: BTreeSet<String> = new.remotes.keys().cloned().collect();
        if old.is_sharded() {
            recipients.extend(old.remotes.keys().cloned());
        }
        if !new.is_sharded() {
            // Members removed by a change that this one ends.
            let taken_out =
                unfinished.iter().flat_map(|(_, change)| change.previous_remotes.keys());
            recipients.extend(taken_out.cloned());
        }
        recipients.retain(|name| *name != own && !absent.contains(name));
        // A member that leaves on its own does not tell the others: the leader decides for them.
        if !new.is_sharded() && !old.is_led_here() {
            recipients.clear();
        }
        absent.iter().try_for_each(|name| self.queue.forget_recipient(name))?;
        let network = match recipients.is_empty() {
            true => None,
            false => Some(TaskNetwork::with_remotes(new.version, recipients)),
        };
        let gate = self.gate.write();
        let task = self.enqueue_change(&change, Arc::clone(&new), network, gate)?;
        Ok((new, Some(task)))
    }

    /// Enqueues the task of a change, and publishes the new network.
    pub(super) fn enqueue_change(
        &self,
        change: &TopologyChange,
        network: Arc<Network>,
        sharing: Option<TaskNetwork>,
        gate: RwLockWriteGuard<'_, ()>,
    ) -> Result<Task, ServiceError> {
        let content = Content::NetworkTopologyChange { change: change.to_value()? };
        let own = network.name.clone().unwrap_or_default();
        let next = placement_meanwhile(&self.members.placements.current(), change, &own);
        let next = next.map(Arc::new);
        let members = self.members.clone();
        let (stored, placement) = (Arc::clone(&network), next.clone());
        let registry = RegistryUpdate::new(move |transaction| {
            NetworkStore::write(&stored, transaction)?;
            placement.iter().try_for_each(|placement| Placements::write(placement, transaction))
        });
        let registry = registry.and_then(move || {
            members.store.publish(network);
            if let Some(placement) = next {
                members.placements.publish(placement);
            }
        });
        let task = NewTask::new(content).with_network(sharing).with_registry(registry);
        let task = self.queue.enqueue(task)?;
        drop(gate);
        self.forwarders.start();
        self.arrivals.notify();
        Ok(task)
    }

    /// Returns the members that do not answer, or that left already and accept nothing more.
    pub(super) fn unreachable_members(
        &self,
        members: &BTreeMap<String, Remote>,
    ) -> BTreeSet<String> {
        let answers = |remote: &Remote| {
            let call = Call::get(remote.address("/health"), LEAVING_TIMEOUT);
            self.client.send_blocking(call, &Cancel::default()).is_ok()
        };
        let gone = members
            .iter()
            .filter(|(name, remote)| self.forwarders.has_departed(name) || !answers(remote));
        gone.map(|(name, _)| name.clone()).collect()
    }
}

/// Returns the placement of documents until the change is made, if it differs from the current one.
fn placement_meanwhile(
    current: &Placement,
    change: &TopologyChange,
    own: &str,
) -> Option<Placement> {
    if !current.is_sharded() {
        // Sharding begins now, with all documents where they were.
        let before = || Placement::new(change.previous_network_of(own), true, BTreeMap::new());
        return change.leader.is_some().then(before);
    }
    change.takes_back?;
    // Members that would have joined must be notified, but no placement ever held them.
    let mut former = current.former.clone();
    for (name, remote) in &change.previous_remotes {
        if !change.remotes.contains_key(name) {
            former.insert(name.clone(), remote.clone());
        }
    }
    Some(Placement::new(current.network.clone(), current.is_clean, former))
}

/// Returns a version above the current one: the clock of another leader may have been ahead.
pub(super) fn later_version(version: Uuid, old: &Network) -> Uuid {
    version.max(Uuid::from_u128(old.version.as_u128().wrapping_add(1)))
}

/// Returns whether only addresses and keys differ.
fn is_same_topology(old: &Network, new: &Network) -> bool {
    old.leader == new.leader
        && old.shards == new.shards
        && old.remotes.keys().eq(new.remotes.keys())
}

fn leaving(old: &Network, new: &Network) -> BTreeMap<String, Remote> {
    let mut leaving = old.remotes.clone();
    leaving.retain(|name, _| !new.remotes.contains_key(name) && !old.is_self(name));
    leaving
}
