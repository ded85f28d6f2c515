//! Turns the outcome of a run into records: the finished tasks and their batch. Pure; the committer
//! writes them, and a receipt carries them across a crash.

use model::ServiceError;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::store::record::{BatchRecord, EnqueuedDates};
use crate::task::Task;
use crate::task::batch::{Batch, BatchView, Stats};
use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};
use crate::task::merged_details::merge_finished;
use crate::task::run_stats::RunStats;
use crate::task::runner::{Outcome, Rename, TaskOutcome};
use crate::task::task_type::Status;

/// The end of a batch, without its tasks.
#[derive(Debug, Clone)]
pub(crate) struct BatchEnd {
    pub uid: BatchUid,
    pub started_at: OffsetDateTime,
    pub finished_at: OffsetDateTime,
    pub strategy: String,
    pub run: RunStats,
    pub progress_trace: serde_json::Map<String, serde_json::Value>,
}

/// Returns the task as it is after its batch.
pub(crate) fn finished(mut task: Task, outcome: TaskOutcome, end: &BatchEnd) -> Task {
    task.batch_uid = Some(end.uid);
    task.started_at = Some(end.started_at);
    task.finished_at = Some(end.finished_at);
    match outcome {
        TaskOutcome::Succeeded(details) => {
            task.status = Status::Succeeded;
            task.details = details;
            task.error = None;
        }
        TaskOutcome::Failed(error) => {
            task.status = Status::Failed;
            task.details = task.details.into_failed();
            task.error = Some(error);
        }
    }
    task.content.forget_work();
    task
}

/// Returns the task as a cancelation leaves it.
pub(crate) fn canceled(mut task: Task, canceled_by: TaskUid, end: &BatchEnd) -> Task {
    task.batch_uid = Some(end.uid);
    task.started_at = Some(end.started_at);
    task.finished_at = Some(end.finished_at);
    task.status = Status::Canceled;
    task.canceled_by = Some(canceled_by);
    task.details = task.details.into_failed();
    task.content.forget_work();
    task
}

/// Returns one outcome per task; an outcome missing from the runner is reported, not invented.
pub(crate) fn checked_outcomes(batch: &Batch, outcomes: Vec<TaskOutcome>) -> Vec<TaskOutcome> {
    if outcomes.len() == batch.tasks.len() {
        return outcomes;
    }
    let error = ServiceError::internal(format!(
        "the batch of {} tasks ended with {} outcomes",
        batch.tasks.len(),
        outcomes.len()
    ));
    batch.tasks.iter().map(|_| TaskOutcome::Failed(error.clone())).collect()
}

/// Builds the record of a batch from its finished tasks, in uid order.
pub(crate) fn batch_record(tasks: &[Task], end: BatchEnd) -> BatchRecord {
    let stats = Stats { progress_trace: end.progress_trace, run: end.run, ..stats_of(tasks) };
    BatchRecord {
        tasks: tasks.iter().map(|task| task.uid).collect(),
        dates: enqueued_dates(tasks, end.started_at),
        index_uids: index_uids(tasks),
        view: BatchView {
            uid: end.uid,
            progress: None,
            details: merge_finished(tasks.iter().map(|task| &task.details)),
            stats,
            started_at: end.started_at,
            finished_at: Some(end.finished_at),
            strategy: end.strategy,
        },
    }
}

/// Counts the tasks of a batch by status.
pub(crate) fn stats_of(tasks: &[Task]) -> Stats {
    let mut stats = Stats::default();
    for task in tasks {
        stats.count(task, task.status);
    }
    stats
}

pub(crate) fn enqueued_dates(tasks: &[Task], otherwise: OffsetDateTime) -> EnqueuedDates {
    let dates = || tasks.iter().map(|task| task.enqueued_at);
    EnqueuedDates {
        earliest: dates().min().unwrap_or(otherwise),
        latest: dates().max().unwrap_or(otherwise),
    }
}

pub(crate) fn index_uids(tasks: &[Task]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for task in tasks {
        names.extend(task.content.index_uids().into_iter().map(str::to_owned));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Receipt of the last batch that an index applied.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    version: u32,
    pub batch_uid: BatchUid,
    started_at_ns: String,
    pub strategy: String,
    pub tasks: Vec<(TaskUid, TaskOutcome)>,
    pub renames: Vec<Rename>,
    pub stats: RunStats,
}

const RECEIPT_VERSION: u32 = 1;

impl Receipt {
    pub fn read(bytes: &[u8]) -> Result<Self, QueueError> {
        let unreadable = |what: String| QueueError::damaged(format!("a batch receipt: {what}"));
        let receipt: Receipt =
            serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))?;
        if receipt.version != RECEIPT_VERSION {
            return Err(QueueError::UnknownFormat {
                found: receipt.version,
                known: RECEIPT_VERSION,
            });
        }
        receipt.started_at()?;
        Ok(receipt)
    }

    pub fn started_at(&self) -> Result<OffsetDateTime, QueueError> {
        // JSON numbers do not hold 128 bits.
        let nanoseconds = self.started_at_ns.parse::<i128>().ok();
        nanoseconds
            .and_then(|value| OffsetDateTime::from_unix_timestamp_nanos(value).ok())
            .ok_or_else(|| QueueError::damaged("a batch receipt: its date"))
    }
}

impl Batch {
    /// Returns the receipt that the index stores beside its data, so that a batch applied just
    /// before a crash is neither repeated nor lost: see `Queue::settle`.
    pub fn receipt(&self, outcome: &Outcome) -> Vec<u8> {
        let outcomes = checked_outcomes(self, outcome.tasks.clone());
        let receipt = Receipt {
            version: RECEIPT_VERSION,
            batch_uid: self.uid,
            started_at_ns: self.started_at.unix_timestamp_nanos().to_string(),
            strategy: self.strategy.clone(),
            tasks: self.tasks.iter().map(|task| task.uid).zip(outcomes).collect(),
            renames: outcome.renames.clone(),
            stats: outcome.stats.clone(),
        };
        // Maps with text keys and plain values always serialise.
        serde_json::to_vec(&receipt).unwrap_or_default()
    }
}
