//! Undoes a topology change that is not in force yet, when its task is canceled at the leader. The
//! network is again as before, under a new version, and a task forwarded to all members says so;
//! each cancels its part of the change and deletes what had arrived for it.
//!
//! This is possible as long as the leader has not reported its imports: no member can have
//! switched, and nothing has been deleted. It is impossible once writes follow a change that
//! removes members, since those did not receive them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::{Code, ServiceError};
use roaring::RoaringBitmap;
use tasks::{Content, NewTask, Query, RunError, Status, Task, TaskNetwork, TaskType};
use uuid::Uuid;

use super::Replication;
use super::change::{TopologyChange, UndoneChange};
use super::leader::later_version;
use super::member::irreversible_key;
use crate::placement::{Network, Remote};

impl Replication {
    /// Undoes the oldest change among these tasks, and all later ones. Returns the tasks to cancel
    /// for it: none if nothing can be undone.
    pub fn take_back(&self, targets: &RoaringBitmap) -> Result<RoaringBitmap, ServiceError> {
        let _one_at_a_time = self.members.store.lock();
        let changes = self.unfinished_changes()?;
        let Some(oldest) = changes.iter().position(|(task, _)| targets.contains(task.uid)) else {
            return Ok(RoaringBitmap::new());
        };
        let undone = &changes[oldest..];
        let (task, change) = &undone[0];
        let network = self.members.network();
        let Some(before) = change.before.as_ref().filter(|_| network.is_led_here()) else {
            return Ok(RoaringBitmap::new());
        };
        let restored = restored(before, &network);
        let absent = self.absent(task, &network, &restored);
        let back = TopologyChange {
            version: restored.version,
            leader: restored.leader.clone(),
            remotes: restored.remotes.clone(),
            shards: restored.shards.clone(),
            previous_remotes: without(&network, &absent),
            previous_shards: network.shards.clone(),
            before: None,
            takes_back: Some(UndoneChange { version: change.version, was_newcomer: false }),
        };
        let mut recipients: BTreeSet<String> = network.remotes.keys().cloned().collect();
        if before.is_sharded() {
            recipients.extend(before.remotes.keys().cloned());
        }
        recipients.retain(|name| !network.is_self(name) && !absent.contains(name));
        let sharing = (!recipients.is_empty())
            .then(|| TaskNetwork::with_remotes(restored.version, recipients));

        let _until_it_is_done = self.undo_lock.lock();
        let gate = self.gate.write();
        if self.is_irreversible(change.version)?
            || self.has_excluded_writes(task, before, &network)?
        {
            return Ok(RoaringBitmap::new());
        }
        absent.iter().try_for_each(|name| self.queue.forget_recipient(name))?;
        self.enqueue_change(&back, Arc::new(restored), sharing, gate)?;
        Ok(undone.iter().map(|(task, _)| task.uid).collect())
    }

    /// Returns members that the change would have added and that need no notice: they have not
    /// accepted it, or do not answer.
    fn absent(&self, task: &Task, network: &Network, restored: &Network) -> BTreeSet<String> {
        let mut newcomers = network.remotes.clone();
        newcomers.retain(|name, _| !network.is_self(name) && !restored.remotes.contains_key(name));
        let has_taken = |name: &str| match &task.network {
            Some(TaskNetwork::Remotes { remote_tasks, .. }) => {
                remote_tasks.get(name).is_some_and(|taken| taken.task_uid.is_some())
            }
            _ => false,
        };
        let mut absent: BTreeSet<String> =
            newcomers.keys().filter(|name| !has_taken(name)).cloned().collect();
        newcomers.retain(|name, _| !absent.contains(name));
        absent.extend(self.unreachable_members(&newcomers));
        absent
    }

    /// Returns whether writes wait behind the change that the members it removes did not receive.
    fn has_excluded_writes(
        &self,
        task: &Task,
        before: &Network,
        network: &Network,
    ) -> Result<bool, ServiceError> {
        let stay = before.remotes.keys().all(|name| network.remotes.contains_key(name));
        if stay || !before.is_sharded() {
            return Ok(false);
        }
        let query = Query {
            statuses: Some(vec![Status::Enqueued]),
            from: Some(task.uid),
            reverse: true,
            ..Query::default()
        };
        let behind = self.queue.tasks(&query, None)?.results;
        Ok(behind.iter().any(|task| {
            task.network.is_some() && task.task_type() != TaskType::NetworkTopologyChange
        }))
    }

    fn is_irreversible(&self, version: Uuid) -> Result<bool, ServiceError> {
        Ok(!self.queue.stashed(&irreversible_key(version))?.is_empty())
    }

    /// Passes the point after which the change cannot be undone; fails if it was.
    pub(super) fn pass_point_of_no_return(&self, version: Uuid) -> Result<(), RunError> {
        let _not_meanwhile = self.undo_lock.lock();
        self.check_not_undone(version)?;
        Ok(self.queue.stash(&irreversible_key(version), serde_json::Value::Null, None)?)
    }

    pub(super) fn check_not_undone(&self, version: Uuid) -> Result<(), RunError> {
        let is_undoing = |(_, change): &(Task, TopologyChange)| {
            change.takes_back.is_some_and(|taken_back| taken_back.version <= version)
                && change.version > version
        };
        match self.unfinished_changes()?.iter().any(is_undoing) {
            true => Err(RunError::Failed(ServiceError::new(
                Code::NetworkVersionMismatch,
                "The change was taken back.",
            ))),
            false => Ok(()),
        }
    }

    /// Returns the unfinished changes of this version and later ones.
    pub(super) fn changes_from(
        &self,
        version: Uuid,
    ) -> Result<Vec<(Task, TopologyChange)>, ServiceError> {
        let mut changes = self.unfinished_changes()?;
        changes.retain(|(_, change)| change.version >= version);
        Ok(changes)
    }

    /// Cancels at a member what the leader has canceled.
    pub(super) fn cancel_undone(
        &self,
        undone: &[(Task, TopologyChange)],
    ) -> Result<(), ServiceError> {
        if undone.is_empty() {
            return Ok(());
        }
        let uids: Vec<String> = undone.iter().map(|(task, _)| task.uid.to_string()).collect();
        let content = Content::TaskCancelation {
            query: format!("?uids={}", uids.join(",")),
            tasks: undone.iter().map(|(task, _)| task.uid).collect(),
        };
        self.queue.enqueue(NewTask::new(content)).map(drop)
    }
}

/// Returns the previous network with current addresses.
fn restored(before: &Network, network: &Network) -> Network {
    let mut restored = before.clone();
    restored.name.clone_from(&network.name);
    restored.version = later_version(model::time_ordered_uuid(), network);
    for (name, remote) in &mut restored.remotes {
        if let Some(now) = network.remotes.get(name) {
            remote.clone_from(now);
        }
    }
    restored
}

fn without(network: &Network, absent: &BTreeSet<String>) -> BTreeMap<String, Remote> {
    let mut remotes = network.remotes.clone();
    remotes.retain(|name, _| !absent.contains(name));
    remotes
}
