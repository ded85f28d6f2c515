//! Interface between the scheduler and the code that does the work. The queue knows no index: an
//! `Outcome` has everything it must record.

use std::any::Any;
use std::fmt;

use model::{Cancel, Cancelled, ServiceError};
use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::details::Details;
use super::progress::Progress;
use super::registry_update::RegistryUpdate;
use super::run_stats::RunStats;

/// Does the work of batches. Never called for cancelations and deletions of tasks.
pub trait Runner: Send + Sync + 'static {
    /// Returns what batching needs to know of an index. Must not call back into the queue.
    fn index_state(&self, index_uid: &str) -> IndexState;

    /// Does the whole batch or nothing of it, checking `cancel` at every safe point.
    fn run(&self, batch: &Batch, progress: &Progress, cancel: &Cancel)
    -> Result<Outcome, RunError>;
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexState {
    pub exists: bool,
    pub primary_key: Option<String>,
}

/// The result of a batch.
#[derive(Default)]
pub struct Outcome {
    /// One per task, in the batch's order.
    pub tasks: Vec<TaskOutcome>,
    /// Changed index names: older tasks are rewritten to follow, in this order.
    pub renames: Vec<Rename>,
    pub stats: RunStats,
    /// Written in the transaction that marks the tasks finished.
    pub registry: Option<RegistryUpdate>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TaskOutcome {
    /// Success, with the completed details.
    Succeeded(Details),
    /// The error; the details take their failure form automatically.
    Failed(ServiceError),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    pub from: String,
    pub to: String,
    /// True if it is a swap: tasks that name `to` are renamed to `from`.
    pub both_ways: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunError {
    /// The batch was cancelled; nothing was applied and the tasks wait again.
    Stopped,
    /// Every task of the batch fails with it.
    Failed(ServiceError),
}

impl From<ServiceError> for RunError {
    fn from(error: ServiceError) -> Self {
        RunError::Failed(error)
    }
}

impl From<Cancelled> for RunError {
    fn from(_: Cancelled) -> Self {
        RunError::Stopped
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome")
            .field("tasks", &self.tasks)
            .field("renames", &self.renames)
            .field("stats", &self.stats)
            .field("registry", &self.registry.is_some())
            .finish()
    }
}

/// Returns the error for every task of a batch whose run panicked.
pub(crate) fn crash_error(panic: &(dyn Any + Send)) -> ServiceError {
    let text = panic_text(panic);
    ServiceError::internal(format!("An unexpected crash occurred when processing the task: {text}"))
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown reason").to_owned()
}
