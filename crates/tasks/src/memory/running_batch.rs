//! Batches that are running. They are only in memory: after a restart their tasks are enqueued
//! again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use model::Cancel;
use roaring::RoaringBitmap;
use time::OffsetDateTime;

use super::lanes::WaitingTask;
use crate::store::record::EnqueuedDates;
use crate::task::Task;
use crate::task::batch::{BatchView, Stats, Work};
use crate::task::ids::{BatchUid, TaskUid};
use crate::task::progress::Progress;
use crate::task::task_type::Status;

#[derive(Debug)]
pub(crate) struct RunningBatch {
    pub work: Work,
    pub tasks: RoaringBitmap,
    /// The listed view without the progress.
    pub view: BatchView,
    pub dates: EnqueuedDates,
    pub index_uids: Vec<String>,
    /// Lanes occupied by this batch.
    pub lanes: Vec<Arc<str>>,
    /// Tasks that return to the lanes if the batch is stopped.
    pub taken: Vec<(TaskUid, WaitingTask)>,
    pub progress: Progress,
    pub cancel: Cancel,
    pub since: Instant,
}

impl RunningBatch {
    /// Returns the listed view with the current progress.
    pub fn view(&self) -> BatchView {
        let stats = Stats {
            progress_trace: self.progress.trace_so_far(),
            run: self.progress.measured(),
            ..self.view.stats.clone()
        };
        BatchView { progress: Some(self.progress.view()), stats, ..self.view.clone() }
    }

    pub fn run(&self) -> Run {
        Run { batch_uid: self.view.uid, started_at: self.view.started_at }
    }
}

/// The fields of a task in progress that its stored record does not have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub batch_uid: BatchUid,
    pub started_at: OffsetDateTime,
}

impl Run {
    pub fn show_in(self, task: &mut Task) {
        task.status = Status::Processing;
        task.batch_uid = Some(self.batch_uid);
        task.started_at = Some(self.started_at);
    }
}

#[derive(Debug, Default)]
pub(crate) struct RunningBatches {
    by_uid: BTreeMap<BatchUid, RunningBatch>,
    tasks: RoaringBitmap,
}

impl RunningBatches {
    pub fn insert(&mut self, batch: RunningBatch) {
        self.tasks |= &batch.tasks;
        self.by_uid.insert(batch.view.uid, batch);
    }

    pub fn remove(&mut self, uid: BatchUid) -> Option<RunningBatch> {
        let batch = self.by_uid.remove(&uid)?;
        self.tasks -= &batch.tasks;
        Some(batch)
    }

    pub fn get(&self, uid: BatchUid) -> Option<&RunningBatch> {
        self.by_uid.get(&uid)
    }

    pub fn iter(&self) -> impl Iterator<Item = &RunningBatch> {
        self.by_uid.values()
    }

    pub fn is_empty(&self) -> bool {
        self.by_uid.is_empty()
    }

    /// Returns all tasks in progress.
    pub fn tasks(&self) -> &RoaringBitmap {
        &self.tasks
    }

    pub fn highest_uid(&self) -> Option<BatchUid> {
        self.by_uid.keys().next_back().copied()
    }

    pub fn holding(&self, task: TaskUid) -> Option<&RunningBatch> {
        if !self.tasks.contains(task) {
            return None;
        }
        self.by_uid.values().find(|batch| batch.tasks.contains(task))
    }
}
