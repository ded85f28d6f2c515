//! A batch: the tasks of one run, and the object shown to users.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use time::{Duration, OffsetDateTime};

use super::Task;
use super::ids::BatchUid;
use super::progress::ProgressView;
use super::run_stats::RunStats;
use super::task_type::{Status, TaskType};

/// The combined work of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Work {
    /// Additions, with or without deletions among them.
    Documents,
    /// Deletions by id or filter, no addition.
    DocumentDeletion,
    /// Leaves no document; earlier additions and deletions are dropped.
    DocumentClear,
    Settings,
    /// Settings and delete-all in any order; deletions among them are dropped.
    SettingsAndClear,
    DocumentEdition,
    IndexCreation,
    /// Removes the index; all earlier tasks of the batch are dropped.
    IndexDeletion,
    IndexUpdate,
    IndexSwap,
    IndexCompaction,
    DsrUpdate,
    DsrClear,
    Dump,
    Snapshot,
    Export,
    Upgrade,
    NetworkTopologyChange,
    TaskCancelation,
    TaskDeletion,
}

/// A batch as the runner gets it, tasks in uid order.
#[derive(Debug, Clone)]
pub struct Batch {
    pub uid: BatchUid,
    pub work: Work,
    /// The index the tasks share; none for global work and swaps.
    pub index_uid: Option<String>,
    pub tasks: Vec<Task>,
    pub started_at: OffsetDateTime,
    /// Why the batch stopped growing.
    pub strategy: String,
}

/// A batch as it is listed: running with progress, or finished.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchView {
    pub uid: BatchUid,
    pub progress: Option<ProgressView>,
    pub details: Map<String, Value>,
    pub stats: Stats,
    pub started_at: OffsetDateTime,
    pub finished_at: Option<OffsetDateTime>,
    pub strategy: String,
}

/// Counts and costs of a batch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    pub total_nb_tasks: u64,
    pub status: BTreeMap<Status, u64>,
    pub types: BTreeMap<TaskType, u64>,
    pub index_uids: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub progress_trace: Map<String, Value>,
    #[serde(flatten)]
    pub run: RunStats,
}

impl Stats {
    /// Counts one more task under the status it is shown with.
    pub fn count(&mut self, task: &Task, status: Status) {
        self.total_nb_tasks += 1;
        *self.status.entry(status).or_default() += 1;
        *self.types.entry(task.task_type()).or_default() += 1;
        if let Some(index_uid) = task.index_uid() {
            *self.index_uids.entry(index_uid.to_owned()).or_default() += 1;
        }
    }

    /// Returns the `stats` member of the wire object.
    pub fn to_json(&self) -> Value {
        json!(self)
    }
}

impl BatchView {
    pub fn duration(&self) -> Option<Duration> {
        Some(self.finished_at? - self.started_at)
    }
}
