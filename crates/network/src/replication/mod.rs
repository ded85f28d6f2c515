//! Sharded networks: the leader accepts every write and forwards it to all members, and each stores
//! the documents of the shards it owns.

mod answer;
mod arrivals;
mod change;
mod control;
mod delivery_tracker;
mod forwarder;
mod leader;
mod member;
mod network_change;
mod request;
mod taking_back;
mod topology;

use std::sync::Arc;
use std::time::Duration;

use model::{Code, ServiceError};
use outbound::Client;
use parking_lot::{Mutex, RwLock};
use tasks::{Content, NewTask, Origin, Query, Queue, Status, Task, TaskNetwork, TaskType};

pub use control::{ControlMessage, ControlNotice, ControlOrigin};
pub use member::{DeliveredChange, ImportedPart};
pub use network_change::{NetworkChange, RemoteChange, ShardChange};
pub use topology::TopologyContext;

use crate::placement::{
    Availability, Network, NetworkStore, Placements, PlannedNetwork, Remote, ShardPlan,
    random_index,
};
use arrivals::Arrivals;
use change::TopologyChange;
use forwarder::Forwarders;

#[derive(Debug)]
pub struct Replication {
    members: Members,
    queue: Queue,
    client: Client,
    availability: Arc<Availability>,
    forwarders: Forwarders,
    /// Held shared by writes while they are enqueued, and exclusively by a change of the network: a
    /// write goes to the members of the network in force at its place in the queue.
    gate: RwLock<()>,
    /// Held while a change is undone, and by the change when it begins and when it reaches the
    /// point after which it cannot be undone.
    undo_lock: Mutex<()>,
    arrivals: Arrivals,
    /// How long a change waits for a silent member.
    member_timeout: Duration,
}

/// Names and addresses of the members. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Members {
    pub store: Arc<NetworkStore>,
    pub placements: Arc<Placements>,
}

impl Members {
    pub fn network(&self) -> Arc<Network> {
        self.store.current()
    }

    /// Returns the address of a member, also of one that is about to leave.
    pub fn address(&self, name: &str) -> Option<Remote> {
        let placement = self.placements.current();
        let network = self.network();
        let known = network.remotes.get(name).or_else(|| placement.network.remotes.get(name));
        known.or_else(|| placement.former.get(name)).cloned()
    }
}

impl Replication {
    /// Resumes forwarding of tasks that members have not accepted yet.
    pub fn start(
        members: Members,
        queue: Queue,
        client: Client,
        availability: Arc<Availability>,
        member_timeout: Duration,
    ) -> Self {
        let available = Arc::clone(&availability);
        let forwarders = Forwarders::new(queue.clone(), client.clone(), members.clone(), available);
        forwarders.start();
        let (gate, undo_lock, arrivals) = Default::default();
        Self {
            members,
            queue,
            client,
            availability,
            forwarders,
            gate,
            undo_lock,
            arrivals,
            member_timeout,
        }
    }

    pub fn stop(&self) {
        self.forwarders.stop();
    }

    /// Returns the client by which other members are called.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns which members answer, as far as is known.
    pub fn availability(&self) -> &Arc<Availability> {
        &self.availability
    }

    /// Returns the address of a member, also of one that is about to leave.
    pub fn address(&self, name: &str) -> Option<Remote> {
        self.members.address(name)
    }

    /// Enqueues a task; one that all members run is forwarded to them, or came from one. Returns
    /// when the reachable members have it, so that the result shows what they made of it.
    pub fn enqueue(&self, task: NewTask, origin: Option<Origin>) -> Result<Task, ServiceError> {
        let task = {
            let _gate = self.gate.read();
            let network = match is_common(&task.content) {
                true => sharing(&self.members.network(), origin)?,
                false => None,
            };
            self.queue.enqueue(task.with_network(network))?
        };
        self.forwarders.hand_on(&task);
        Ok(task)
    }

    /// Refuses early what enqueueing would refuse, before more is read of it.
    pub fn check_writable(&self, origin: Option<&Origin>) -> Result<(), ServiceError> {
        sharing(&self.members.network(), origin.cloned()).map(drop)
    }

    /// Returns which member is asked for which shards, and the members' addresses; none without
    /// sharding.
    pub fn plan(&self) -> Option<(PlannedNetwork, ShardPlan)> {
        let placement = self.members.placements.current();
        if !placement.is_sharded() {
            return None;
        }
        let plan = ShardPlan::new(
            &placement,
            |remote| self.availability.is_available(remote),
            random_index,
        );
        let mut network = placement.network.clone();
        // Documents are where they were until they have moved, but addresses are current.
        for (name, remote) in &self.members.network().remotes {
            network.remotes.insert(name.clone(), remote.clone());
        }
        Some((PlannedNetwork::sharded(network, placement), plan))
    }

    /// Returns the unfinished topology changes known here, oldest first.
    fn unfinished_changes(&self) -> Result<Vec<(Task, TopologyChange)>, ServiceError> {
        let query = Query {
            types: Some(vec![TaskType::NetworkTopologyChange]),
            statuses: Some(vec![Status::Enqueued, Status::Processing]),
            limit: Some(u32::MAX),
            reverse: true,
            ..Query::default()
        };
        let mut changes = Vec::new();
        for task in self.queue.tasks(&query, None)?.results {
            if let Content::NetworkTopologyChange { change } = &task.content {
                let change = TopologyChange::read(change)?;
                changes.push((task, change));
            }
        }
        Ok(changes)
    }
}

/// Returns whether every member of a network runs the task.
fn is_common(content: &Content) -> bool {
    match content {
        Content::DocumentAdditionOrUpdate { .. }
        | Content::DocumentDeletion { .. }
        | Content::DocumentDeletionByFilter { .. }
        | Content::DocumentClear { .. }
        | Content::DocumentEdition { .. }
        | Content::SettingsUpdate { .. }
        | Content::IndexCreation { .. }
        | Content::IndexDeletion { .. }
        | Content::IndexUpdate { .. }
        | Content::IndexSwap { .. }
        | Content::DsrUpdate { .. }
        | Content::DsrClear => true,
        // Maintenance of one instance: its queue, its files.
        Content::TaskCancelation { .. }
        | Content::TaskDeletion { .. }
        | Content::DumpCreation { .. }
        | Content::SnapshotCreation
        | Content::Export { .. }
        | Content::UpgradeDatabase { .. }
        | Content::IndexCompaction { .. } => false,
        // Enqueued in its own way.
        Content::NetworkTopologyChange { .. } => false,
    }
}

/// Returns how a write is shared with others, or an error. `origin` is the member that forwarded
/// it.
fn sharing(network: &Network, origin: Option<Origin>) -> Result<Option<TaskNetwork>, ServiceError> {
    let refused = |code, message: String| Err(ServiceError::new(code, message));
    let Some(origin) = origin else {
        if !network.is_sharded() {
            return Ok(None);
        }
        if !network.is_led_here() {
            let leader = network.leader.as_deref().unwrap_or_default();
            let message = format!(
                "This instance does not take writes: they go to the leader of the network, `{leader}`."
            );
            return refused(Code::NotLeader, message);
        }
        let others: Vec<String> = network.others().map(|(name, _)| name.to_owned()).collect();
        let is_alone = others.is_empty();
        return Ok((!is_alone).then(|| TaskNetwork::with_remotes(network.version, others)));
    };
    if network.version > origin.network_version {
        let message = format!(
            "The write was sent for version {} of the network, and this instance has version {}.",
            origin.network_version, network.version
        );
        return refused(Code::NetworkVersionTooOld, message);
    }
    if network.version < origin.network_version {
        let message = format!(
            "Version {} of the network is not known here, only version {}.",
            origin.network_version, network.version
        );
        return refused(Code::NetworkVersionMismatch, message);
    }
    if network.leader.as_ref() != Some(&origin.remote) {
        let message = format!("`{}` is not the leader of the network.", origin.remote);
        return refused(Code::NotLeader, message);
    }
    Ok(Some(TaskNetwork::Origin(origin)))
}
