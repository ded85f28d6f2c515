//! Changing the network. As long as documents are not shared out it is only remembered; else it is
//! a task, at the same place among the writes of every member, and the network shows it at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use model::{Code, ServiceError};
use outbound::Call;
use tasks::{Content, NewTask, RegistryUpdate, Task, TaskNetwork};
use uuid::Uuid;

use super::change::TopologyChange;
use super::{Placement, Placements, Sharding};
use crate::network::{Network, NetworkChange, NetworkStore, Remote};

/// How long a member that leaves may take to say that it is there.
const LEAVING_TIMEOUT: Duration = Duration::from_secs(3);

impl Sharding {
    pub fn change(&self, change: NetworkChange) -> Result<Arc<Network>, ServiceError> {
        let _one_at_a_time = self.members.store.lock();
        let old = self.members.network();
        let mut new = change.applied_to(&old)?;
        if new.version <= old.version {
            // The clock of another leader was ahead.
            new.version = Uuid::from_u128(old.version.as_u128().wrapping_add(1));
        }
        let new = Arc::new(new);
        if !old.is_sharded() && !new.is_sharded() {
            let stored = Arc::clone(&new);
            let write = RegistryUpdate::new(move |to| NetworkStore::write(&stored, to));
            self.queue.transact(write)?;
            self.members.store.publish(Arc::clone(&new));
            return Ok(new);
        }
        let is_busy = !self.unfinished_changes()?.is_empty();
        if new.is_sharded() && !is_same_topology(&old, &new) && is_busy {
            return Err(ServiceError::new(
                Code::UnprocessedNetworkTask,
                "The network is still changing: wait for its task of type \
                 `networkTopologyChange` to finish.\n - Hint: setting `leader` to `null` ends it.",
            ));
        }
        let own = new.name.clone().unwrap_or_default();
        let absent = match old.is_sharded() && new.is_sharded() {
            true => self.unreachable(&leaving(&old, &new)),
            false => BTreeSet::new(),
        };
        let change = TopologyChange::new(&old, &new, &absent);
        let mut recipients: BTreeSet<String> = new.remotes.keys().cloned().collect();
        if old.is_sharded() {
            recipients.extend(old.remotes.keys().cloned());
        }
        recipients.retain(|name| *name != own && !absent.contains(name));
        // A member that leaves on its own tells nobody: the leader decides for the others.
        if !new.is_sharded() && !old.is_led_here() {
            recipients.clear();
        }
        absent.iter().try_for_each(|name| self.queue.forget_recipient(name))?;
        let network = match recipients.is_empty() {
            true => None,
            false => Some(TaskNetwork::with_remotes(new.version, recipients)),
        };
        self.enqueue_change(&change, Arc::clone(&new), network)?;
        Ok(new)
    }

    /// Enqueues the task of a change, and shows the network as it will be. Where documents were not
    /// shared out before, they are from now on, and all are where they were.
    pub(super) fn enqueue_change(
        &self,
        change: &TopologyChange,
        network: Arc<Network>,
        sharing: Option<TaskNetwork>,
    ) -> Result<Task, ServiceError> {
        let _gate = self.gate.write();
        let content = Content::NetworkTopologyChange { change: change.to_value()? };
        let own = network.name.clone().unwrap_or_default();
        let first = (!self.members.placements.current().is_sharded() && change.leader.is_some())
            .then(|| {
                Arc::new(Placement::new(change.previous_network_of(&own), true, BTreeMap::new()))
            });
        let members = self.members.clone();
        let (stored, placement) = (Arc::clone(&network), first.clone());
        let registry = RegistryUpdate::new(move |transaction| {
            NetworkStore::write(&stored, transaction)?;
            placement.iter().try_for_each(|placement| Placements::write(placement, transaction))
        });
        let registry = registry.and_then(move || {
            members.store.publish(network);
            if let Some(placement) = first {
                members.placements.publish(placement);
            }
        });
        let task = NewTask::new(content).with_network(sharing).with_registry(registry);
        let task = self.queue.enqueue(task)?;
        self.forwarders.attend();
        self.arrivals.ring();
        Ok(task)
    }

    /// Those of the members that do not answer.
    fn unreachable(&self, members: &BTreeMap<String, Remote>) -> BTreeSet<String> {
        let answers = |remote: &Remote| {
            let call = Call::get(remote.address("/health"), LEAVING_TIMEOUT);
            self.client.send_blocking(call, &|| false).is_ok()
        };
        let silent = members.iter().filter(|(_, remote)| !answers(remote));
        silent.map(|(name, _)| name.clone()).collect()
    }
}

/// Whether only addresses and keys differ.
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
