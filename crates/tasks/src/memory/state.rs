//! In-memory state of the queue: the indexes of tasks and batches, the lanes, the running batches,
//! and the database view that goes with them. Changed under one lock, after the commit that made
//! the change durable.

use std::sync::Arc;
use std::time::{Duration, Instant};

use model::Code;
use roaring::RoaringBitmap;

use super::awaited_batches::AwaitedBatches;
use super::batch_index::BatchIndex;
use super::lanes::{Lanes, WaitingTask};
use super::outbox::Outbox;
use super::running_batch::{RunningBatch, RunningBatches};
use super::task_index::TaskIndex;
use crate::store::record::{BatchHead, BatchRecord, TaskHead};
use crate::store::task_store::View;
use crate::task::Task;
use crate::task::batch::Work;
use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};
use crate::task::task_type::TaskType;

/// Grace period for a target to start; an idle thread needs far less to start a batch.
const TARGET_MAY_START: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct QueueState {
    pub view: Arc<View>,
    pub tasks: TaskIndex,
    pub batches: BatchIndex,
    pub running: RunningBatches,
    pub lanes: Lanes,
    /// Batches that task deletions wait for.
    pub awaited: AwaitedBatches,
    pub outbox: Outbox,
    /// Higher than the uid of every stored batch.
    pub next_batch_uid: BatchUid,
    pub stored_bytes: u64,
    pub stopped: Option<Stopped>,
    /// When work that held many lanes last ended.
    pub barrier_lifted: Instant,
}

/// Why the queue stopped accepting writes.
#[derive(Debug, Clone)]
pub(crate) struct Stopped {
    pub cause: String,
    pub code: Code,
}

impl Stopped {
    pub fn because(error: &QueueError) -> Self {
        Self { cause: error.to_string(), code: error.code() }
    }

    pub fn error(&self) -> QueueError {
        QueueError::WritesStopped { cause: self.cause.clone(), code: self.code }
    }
}

/// One durable change, to be applied to memory as well.
#[derive(Debug)]
pub(crate) enum Change {
    Enqueued(Task),
    Finished(Task),
    /// Recipients that are to take the task too.
    Addressed {
        uid: TaskUid,
        recipients: Vec<String>,
    },
    /// The recipient has taken the task, or never will.
    Taken {
        uid: TaskUid,
        recipient: String,
    },
    Renamed {
        uid: TaskUid,
        old_names: Vec<String>,
        new_names: Vec<String>,
    },
    Deleted(TaskHead),
    BatchStored(Box<BatchRecord>),
    BatchDeleted(BatchHead),
    /// The batch is over and its lanes are free.
    BatchOver(BatchUid),
}

impl QueueState {
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Enqueued(task) => {
                self.tasks.put(&TaskHead::of(task));
                self.lanes.insert(task.uid, WaitingTask::of(task));
                self.interrupt_targets(task);
            }
            Change::Finished(task) => {
                self.tasks.put(&TaskHead::of(task));
                self.lanes.remove(task.uid);
                self.lanes.forget_export(task.uid);
                self.awaited.forget(task.uid);
                if !task.task_type().concerns_one_index() {
                    self.barrier_lifted = Instant::now();
                }
            }
            Change::Addressed { uid, recipients } => {
                recipients.iter().for_each(|recipient| self.outbox.add(recipient, *uid));
            }
            Change::Taken { uid, recipient } => self.outbox.remove(recipient, *uid),
            Change::Renamed { uid, old_names, new_names } => {
                self.tasks.rename(*uid, old_names, new_names);
            }
            Change::Deleted(head) => self.tasks.remove(head),
            Change::BatchStored(record) => {
                self.batches.put(&BatchHead::of(record));
                self.next_batch_uid = self.next_batch_uid.max(record.view.uid.saturating_add(1));
            }
            Change::BatchDeleted(head) => self.batches.remove(head),
            Change::BatchOver(uid) => {
                if let Some(batch) = self.running.remove(*uid) {
                    self.lanes.release(&batch.lanes);
                }
                self.awaited.end(*uid);
            }
        }
    }

    /// Puts the tasks of a batch that gave up back in their lanes.
    pub fn abandon(&mut self, uid: BatchUid) -> Option<RunningBatch> {
        let mut batch = self.running.remove(uid)?;
        for (task, waiting) in batch.taken.drain(..) {
            self.lanes.insert(task, waiting);
        }
        self.lanes.release(&batch.lanes);
        // The next batch may get the same uid; a deletion must not wait for that one too.
        self.awaited.end(uid);
        Some(batch)
    }

    /// Returns the uid for the next batch. A stopped batch leaves its uid to the next.
    pub fn free_batch_uid(&self) -> BatchUid {
        let above_running = self.running.highest_uid().map_or(0, |uid| uid.saturating_add(1));
        self.next_batch_uid.max(above_running)
    }

    /// Returns the targets of waiting and running cancelations; they must not start any more.
    pub fn to_be_canceled(&self) -> RoaringBitmap {
        let mut to_be_canceled = RoaringBitmap::new();
        for uid in self.lanes.of_type(TaskType::TaskCancelation) {
            if let Some(targets) = self.lanes.get(uid).and_then(WaitingTask::targets) {
                to_be_canceled |= targets;
            }
        }
        for batch in self.running.iter().filter(|batch| batch.work == Work::TaskCancelation) {
            for targets in batch.taken.iter().filter_map(|(_, waiting)| waiting.targets()) {
                to_be_canceled |= targets;
            }
        }
        to_be_canceled
    }

    /// Returns the waiting deletions that no cancelation targets.
    pub fn waiting_deletions(&self) -> Vec<TaskUid> {
        let to_be_canceled = self.to_be_canceled();
        let waiting = self.lanes.of_type(TaskType::TaskDeletion);
        waiting.filter(|uid| !to_be_canceled.contains(*uid)).collect()
    }

    /// Returns until when a deletion that has not begun lets its target start first. A client may
    /// delete a task right after adding it, and then finds it gone whichever thread is faster.
    pub fn target_may_start_until(&self, uid: TaskUid) -> Option<Instant> {
        let waiting = self.lanes.get(uid).filter(|_| !self.awaited.has_begun(uid))?;
        let targets = waiting.targets()?;
        let until = waiting.since + TARGET_MAY_START;
        let is_open = Instant::now() < until;
        let may_start = || self.lanes.startable().any(|(_, head, _)| targets.contains(head));
        (is_open && may_start()).then_some(until)
    }

    /// Records, for a deletion that has not begun, the running batches that hold one of its
    /// targets.
    pub fn begin_deletion(&mut self, uid: TaskUid) {
        if self.awaited.has_begun(uid) {
            return;
        }
        let Some(targets) = self.lanes.get(uid).and_then(WaitingTask::targets) else { return };
        let holding = self.running.iter().filter(|batch| !batch.tasks.is_disjoint(targets));
        let batches = holding.map(|batch| batch.view.uid).collect();
        self.awaited.begin(uid, batches);
    }

    fn interrupt_targets(&self, task: &Task) {
        if task.task_type() != TaskType::TaskCancelation {
            return;
        }
        let Some(targets) = task.content.targets() else { return };
        for batch in self.running.iter() {
            if !batch.tasks.is_disjoint(targets) {
                batch.cancel.cancel();
            }
        }
    }
}
