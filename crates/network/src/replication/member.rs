//! Receives data of other members: topology changes from the leader, parts of documents that move
//! here, and notices of the others' progress. All of it is stashed durably for the task of the
//! change, so the sender need not send it again.

use std::sync::Arc;

use model::{Code, ServiceError};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use tasks::{Content, NewTask, Origin, RegistryUpdate, Task, TaskNetwork, UnsealedPayload};
use uuid::Uuid;

use super::Replication;
use super::change::{TopologyChange, UndoneChange};
use super::control::{ControlMessage, ControlNotice};
use super::network_change::NetworkChange;
use crate::local_indexes::LocalIndexes;
use crate::placement::{LeftBehind, Network};

/// A forwarded change of the topology: the whole network after it, and before it.
#[derive(Debug)]
pub struct DeliveredChange {
    pub after: NetworkChange,
    pub before: NetworkChange,
    /// Version of the change that this one undoes.
    pub takes_back: Option<Uuid>,
}

/// Some of the documents of an index that move here, or the definition of the index for a newcomer.
#[derive(Debug)]
pub struct ImportedPart {
    pub index_uid: String,
    /// Number of indexes of which the sender sends parts.
    pub index_count: u64,
    /// Documents in this part, and in all parts of the index.
    pub documents: u64,
    pub total_documents: u64,
    /// Key of the part within its index.
    pub key: String,
    pub body: UnsealedPayload,
}

/// Stored metadata of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StashedPart {
    pub sender: String,
    pub index_uid: String,
    pub index_count: u64,
    pub documents: u64,
    pub total_documents: u64,
}

/// Stage of another member in a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Stage {
    /// It has nothing to send here.
    NothingToSend,
    /// It has imported all its documents.
    Imported,
    /// It uses the new topology.
    Switched,
}

/// Key prefix of stashed parts, of use only during their change.
const PARTS: &str = "import/";
const NOTICES: &str = "notice/";

impl Replication {
    /// Accepts a change forwarded by the leader.
    pub fn take_change(
        &self,
        origin: Origin,
        delivered: DeliveredChange,
        indexes: &dyn LocalIndexes,
    ) -> Result<Task, ServiceError> {
        let _one_at_a_time = self.members.store.lock();
        let own = self.members.network();
        let after = delivered.after.whole(origin.network_version)?;
        let before = delivered.before.whole(Uuid::nil())?;
        let mut change = TopologyChange {
            version: origin.network_version,
            leader: after.leader,
            remotes: after.remotes,
            shards: after.shards,
            previous_remotes: before.remotes,
            previous_shards: before.shards,
            before: None,
            takes_back: None,
        };
        if own.version == origin.network_version {
            // Already accepted; the queue returns its task.
            let content = Content::NetworkTopologyChange { change: change.to_value()? };
            let network = Some(TaskNetwork::Origin(origin));
            return self.queue.enqueue(NewTask::new(content).with_network(network));
        }
        let name = after.name.ok_or_else(|| {
            ServiceError::new(Code::InvalidNetworkSelf, "The change names no recipient.")
        })?;
        let is_waited_for = |(_, unfinished): &(Task, TopologyChange)| {
            unfinished.leader.as_ref() == Some(&origin.remote)
        };
        let has_led = own.leader.as_ref() == Some(&origin.remote)
            || self.unfinished_changes()?.iter().any(is_waited_for);
        check_sender(&own, &change, &origin, has_led)?;
        let undone = match delivered.takes_back {
            Some(version) => self.changes_from(version)?,
            None => Vec::new(),
        };
        change.takes_back = delivered.takes_back.map(|version| {
            let is_it = |(_, undone): &&(Task, TopologyChange)| undone.version == version;
            let was_newcomer =
                undone.iter().find(is_it).is_some_and(|(_, undone)| undone.is_newcomer(&name));
            UndoneChange { version, was_newcomer }
        });
        if change.takes_back.is_none() && change.is_newcomer(&name) && change.leader.is_some() {
            self.check_may_join(&own, &change, &name, indexes)?;
        }
        let network = Arc::new(change.network_of(&name));
        let sharing = Some(TaskNetwork::Origin(origin));
        let task = self.enqueue_change(&change, network, sharing, self.gate.write())?;
        self.cancel_undone(&undone)?;
        Ok(task)
    }

    /// Refuses to join with indexes of its own: their documents would be neither where they belong
    /// nor numbered with the others. What it still has of this network is updated.
    fn check_may_join(
        &self,
        own: &Network,
        change: &TopologyChange,
        name: &str,
        indexes: &dyn LocalIndexes,
    ) -> Result<(), ServiceError> {
        let refused = |why: String| {
            let message = format!("The instance cannot join the network: {why}.");
            Err(ServiceError::new(Code::InvalidNetworkRemotes, message))
        };
        let placements = &self.members.placements;
        let mut left = placements.left_behind();
        if own.is_sharded() {
            if own.leader != change.leader {
                let why = "it shares the documents of a network already\n - Hint: set its \
                           `leader` to `null` first";
                return refused(why.to_owned());
            }
            // It was removed while it was unreachable.
            let of_now = LeftBehind::of(&placements.current(), indexes.snapshots()?, false);
            let of_now = Arc::new(of_now);
            let stored = Arc::clone(&of_now);
            let write = RegistryUpdate::new(move |to| LeftBehind::write(Some(&stored), to));
            self.queue.transact(write)?;
            placements.leave_behind(Some(Arc::clone(&of_now)));
            left = Some(of_now);
        }
        let all = indexes.all();
        let is_own = |uid: &str, id: Uuid| left.as_ref().is_none_or(|left| !left.has(uid, id));
        let foreign = all.iter().find(|(uid, id)| is_own(uid, *id)).map(|(uid, _)| uid.clone());
        let waiting = self.queue.waiting_indexes();
        let waiting =
            waiting.into_iter().find(|uid| left.as_ref().is_none_or(|left| !left.knows(uid)));
        if let Some(uid) = foreign.or(waiting) {
            return refused(format!(
                "it has indexes of its own, such as `{uid}`\n - Hint: it joins as soon as it has none"
            ));
        }
        match left.and_then(|left| left.objection(&change.shards, name)) {
            Some(why) => refused(why),
            None => Ok(()),
        }
    }

    /// Stashes a part of the documents that move here.
    pub fn take_part(&self, origin: &Origin, part: ImportedPart) -> Result<(), ServiceError> {
        let version = origin.network_version;
        let is_awaited = self.is_awaited(&origin.remote, version, Code::ImportTaskUnknownRemote)?;
        if !is_awaited || self.has_imported(version)? {
            return Ok(());
        }
        let key = part_key(version, &origin.remote, &part.index_uid, &part.key);
        let stashed = StashedPart {
            sender: origin.remote.clone(),
            index_uid: part.index_uid,
            index_count: part.index_count,
            documents: part.documents,
            total_documents: part.total_documents,
        };
        let value = serde_json::to_value(stashed).map_err(ServiceError::internal)?;
        self.queue.stash(&key, value, Some(part.body.seal()?))?;
        self.arrivals.notify();
        Ok(())
    }

    /// Returns whether all documents that move here with this version are imported.
    pub(super) fn has_imported(&self, version: Uuid) -> Result<bool, ServiceError> {
        Ok(!self.queue.stashed(&imported_key(version))?.is_empty())
    }

    /// Records that they are, and drops what was stashed for them.
    pub(super) fn note_imported(&self, version: Uuid) -> Result<(), ServiceError> {
        self.queue.stash(&imported_key(version), serde_json::Value::Null, None)?;
        self.queue.unstash(&parts_of(version))
    }

    /// Drops what was stashed for changes before this one. Data for later ones may have arrived
    /// already.
    pub(super) fn forget_older_changes(&self, version: Uuid) -> Result<(), ServiceError> {
        for kind in [PARTS, NOTICES] {
            // Versions begin with their time and sort by it, as text too.
            let own = format!("{kind}{version}/");
            for stashed in self.queue.stashed(kind)? {
                if stashed.key < own {
                    self.queue.unstash(&stashed.key)?;
                }
            }
        }
        Ok(())
    }

    /// Records the stage of another member.
    pub fn take_notice(&self, notice: &ControlNotice) -> Result<(), ServiceError> {
        let origin = &notice.origin;
        let stage = match &notice.message {
            ControlMessage::ExportNoIndex { .. } => Stage::NothingToSend,
            ControlMessage::ImportFinished { remote, .. } if *remote == origin.remote => {
                Stage::Switched
            }
            ControlMessage::ImportFinished { .. } => Stage::Imported,
            ControlMessage::StatusChange { .. } => return Ok(()),
        };
        let version = origin.network_version;
        let unknown = Code::ReceiveImportFinishedUnknownRemote;
        if self.is_awaited(&origin.remote, version, unknown)? {
            let value = serde_json::to_value(stage).map_err(ServiceError::internal)?;
            self.queue.stash(&notice_key(version, stage, &origin.remote), value, None)?;
            self.arrivals.notify();
        }
        Ok(())
    }

    /// Returns whether the task of this version exists and is unfinished. A future version is a
    /// transient error; data of a past one is useless.
    fn is_awaited(&self, sender: &str, version: Uuid, unknown: Code) -> Result<bool, ServiceError> {
        // A change publishes its network before it enqueues its task: in between it would look like
        // a past one.
        let _gate = self.gate.read();
        let unfinished = self.unfinished_changes()?;
        let is_it = |(_, change): &&(Task, TopologyChange)| change.version == version;
        let Some((_, change)) = unfinished.iter().find(is_it) else {
            if self.members.network().version >= version {
                return Ok(false);
            }
            return Err(ServiceError::new(
                Code::ImportTaskWithoutNetworkTask,
                "The change of the network has not arrived here yet.",
            ));
        };
        if change.address(sender).is_none() {
            let message = format!("`{sender}` is no member of the network.");
            return Err(ServiceError::new(unknown, message));
        }
        Ok(true)
    }
}

/// Checks that the sender leads or is about to lead. One that `has_led` can turn sharding off, also
/// for members on their way out.
fn check_sender(
    own: &Network,
    change: &TopologyChange,
    origin: &Origin,
    has_led: bool,
) -> Result<(), ServiceError> {
    if own.version > origin.network_version {
        let message = format!(
            "Version {} of the network is older than that of this instance, {}.",
            origin.network_version, own.version
        );
        return Err(ServiceError::new(Code::NetworkVersionTooOld, message));
    }
    let leads = change.leader.as_ref() == Some(&origin.remote);
    if leads || (change.leader.is_none() && has_led) {
        return Ok(());
    }
    let message = format!("`{}` is not the leader of the network.", origin.remote);
    Err(ServiceError::new(Code::NotLeader, message))
}

pub(super) fn parts_of(version: Uuid) -> String {
    format!("{PARTS}{version}/")
}

/// Escapes a name, which can hold anything, for use within a key.
fn in_key(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

fn part_key(version: Uuid, sender: &str, index_uid: &str, key: &str) -> String {
    let [sender, index_uid, key] = [sender, index_uid, key].map(in_key);
    format!("{}{sender}/{index_uid}/{key}", parts_of(version))
}

pub(super) fn notice_key(version: Uuid, stage: Stage, sender: &str) -> String {
    format!("{NOTICES}{version}/{stage:?}/{}", in_key(sender))
}

/// Key of the search rules that this instance had before it joined.
pub(super) fn own_rules_key(version: Uuid) -> String {
    format!("{NOTICES}{version}/own rules")
}

fn imported_key(version: Uuid) -> String {
    format!("{NOTICES}{version}/imported here")
}

/// Key recording that the others know of the imports here: the change cannot be undone any more.
pub(super) fn irreversible_key(version: Uuid) -> String {
    format!("{NOTICES}{version}/turned")
}
