//! Tasks shared between instances: one accepts a write, numbers it, and ensures that the others
//! take it too. This is only what a task shows of that; to the queue, names of instances are
//! opaque.

use std::collections::BTreeMap;

use model::ServiceError;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::ids::TaskUid;

/// The other instances that have the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TaskNetwork {
    /// Another instance accepted it.
    Origin(Origin),
    /// It was accepted here; recipients are to take it too.
    Remotes { network_version: Uuid, remote_tasks: BTreeMap<String, RemoteTask> },
}

/// The original of which a task of this queue is a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    pub remote: String,
    pub task_uid: TaskUid,
    /// Uids of one sender are compared within one version only.
    pub network_version: Uuid,
}

/// The result of a delivery to another instance; empty before it was reached.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteTask {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_uid: Option<TaskUid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ServiceError>,
}

impl TaskNetwork {
    /// Creates the entry of a task with these recipients.
    pub fn with_remotes(network_version: Uuid, remotes: impl IntoIterator<Item = String>) -> Self {
        let pending = remotes.into_iter().map(|remote| (remote, RemoteTask::default()));
        TaskNetwork::Remotes { network_version, remote_tasks: pending.collect() }
    }

    pub fn network_version(&self) -> Uuid {
        match self {
            TaskNetwork::Origin(origin) => origin.network_version,
            TaskNetwork::Remotes { network_version, .. } => *network_version,
        }
    }

    /// Returns the instances that are to take it too.
    pub fn recipients(&self) -> impl Iterator<Item = &str> {
        let remotes = match self {
            TaskNetwork::Origin(_) => None,
            TaskNetwork::Remotes { remote_tasks, .. } => Some(remote_tasks.keys()),
        };
        remotes.into_iter().flatten().map(String::as_str)
    }
}
