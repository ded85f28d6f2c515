//! One task: what it asks for, its progress, and its outcome.

pub mod batch;
pub mod content;
pub mod details;
pub mod error;
pub mod format_as_text;
pub mod ids;
pub mod merged_details;
pub mod network;
pub mod payload_id;
pub mod progress;
pub mod query;
pub mod registry_update;
pub mod run_stats;
pub mod runner;
pub mod task_type;
pub mod uid_ranges;

use model::ServiceError;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use content::Content;
use details::Details;
use ids::{BatchUid, TaskUid};
use network::TaskNetwork;
use task_type::{Status, TaskType};

/// A task. Dumps store it as JSON; the database record has another form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub uid: TaskUid,
    pub batch_uid: Option<BatchUid>,
    pub status: Status,
    pub content: Content,
    pub details: Details,
    pub error: Option<ServiceError>,
    pub canceled_by: Option<TaskUid>,
    #[serde(with = "time::serde::rfc3339")]
    pub enqueued_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    pub started_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub finished_at: Option<OffsetDateTime>,
    pub custom_metadata: Option<String>,
    /// Other instances that have the task; none for a local task.
    pub network: Option<TaskNetwork>,
}

impl Task {
    pub fn task_type(&self) -> TaskType {
        self.content.task_type()
    }

    pub fn index_uid(&self) -> Option<&str> {
        self.content.index_uid()
    }

    /// Returns the time from start to end; none before the end.
    pub fn duration(&self) -> Option<Duration> {
        Some(self.finished_at? - self.started_at?)
    }
}
