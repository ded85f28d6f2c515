//! Runs batches: the `Runner` that the task scheduler calls, one lane at a time per index. Each
//! kind of work is a file; this one dispatches.

mod compaction;
mod deletions;
mod documents;
mod dump;
mod edition;
mod export;
mod footprint;
mod lifecycle;
mod payload;
mod search_rules;
mod settings;
mod snapshot;
mod swap;
mod topology;

use std::sync::Arc;

use index::Index;
use model::{Cancel, Code, ServiceError, timestamp};
use network::Replication;
use tasks::{
    Batch, IndexState, Outcome, PayloadStore, Progress, RunError, Runner, Task, TaskOutcome, Work,
};

use crate::backup::dumps::DumpMaker;
use crate::backup::export::Exporter;
use crate::backup::snapshots::SnapshotMaker;
use crate::common::failure::index_failure;
use crate::indexes::IndexWork;
use crate::indexes::catalog::Indexes;
use crate::indexes::registry::RegistryEdit;
use crate::models::embedding::EmbedderPool;
use crate::models::reranking::RerankerPool;

#[derive(Debug)]
pub(crate) struct BatchRunner {
    indexes: Arc<Indexes>,
    work: IndexWork,
    payloads: PayloadStore,
    embedders: Arc<EmbedderPool>,
    rerankers: Arc<RerankerPool>,
    replication: Arc<Replication>,
    whole: InstanceTasks,
}

/// Handlers of tasks that concern the whole instance.
#[derive(Debug)]
pub(crate) struct InstanceTasks {
    pub snapshots: SnapshotMaker,
    pub dumps: DumpMaker,
    pub exports: Exporter,
}

impl BatchRunner {
    pub fn new(
        work: IndexWork,
        payloads: PayloadStore,
        (embedders, rerankers): (Arc<EmbedderPool>, Arc<RerankerPool>),
        replication: Arc<Replication>,
        whole: InstanceTasks,
    ) -> Self {
        let indexes = Arc::clone(work.indexes());
        Self { indexes, work, payloads, embedders, rerankers, replication, whole }
    }

    /// Adds registry edits to an outcome, applied in the transaction that finishes the batch.
    fn with_registry(&self, outcome: Outcome, edits: Vec<RegistryEdit>) -> Outcome {
        Outcome { registry: Some(self.work.registry_update(edits)), ..outcome }
    }

    /// Commits a batch's changes to its index, with the receipt by which a restart knows that they
    /// were applied.
    fn commit(
        &self,
        batch: &Batch,
        index: &Arc<Index>,
        writer: index::Writer<'_>,
        outcome: &Outcome,
    ) -> Result<(), RunError> {
        writer
            .commit(&batch.receipt(outcome), timestamp::now())
            .map_err(|error| failed_in(batch, &index_failure(error)))?;
        self.work.schedule_merge(index);
        Ok(())
    }
}

impl Runner for BatchRunner {
    fn index_state(&self, uid: &str) -> IndexState {
        // An index that cannot be opened exists; its batch will report the reason.
        match self.indexes.find(uid) {
            Ok(None) => IndexState { exists: false, primary_key: None },
            Ok(Some(index)) => {
                let primary_key = index.snapshot().primary_key().map(str::to_owned);
                IndexState { exists: true, primary_key }
            }
            Err(_) => IndexState { exists: true, primary_key: None },
        }
    }

    fn run(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let span = tracing::trace_span!(
            target: "sonde::span",
            parent: None,
            "batch",
            batch_uid = batch.uid,
            work = ?batch.work,
            index = batch.index_uid,
            tasks = batch.tasks.len(),
        );
        let _entered = span.enter();
        let before = self.footprint(batch);
        let mut outcome = self.work(batch, progress, cancel)?;
        if let (Some(before), Some(after)) = (before, self.footprint(batch)) {
            after.show_change(&before, &mut outcome.stats);
        }
        Ok(outcome)
    }
}

impl BatchRunner {
    fn work(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        match batch.work {
            Work::Documents | Work::DocumentDeletion => self.documents(batch, progress, cancel),
            Work::DocumentClear => self.clear_documents(batch),
            Work::DocumentEdition => self.edit_documents(batch, progress, cancel),
            Work::IndexCreation => self.create_index(batch),
            Work::IndexUpdate => self.update_index(batch),
            Work::IndexDeletion => self.delete_index(batch),
            Work::IndexSwap => self.swap_indexes(batch),
            Work::IndexCompaction => self.compact_index(batch, cancel),
            Work::NetworkTopologyChange => self.change_topology(batch, progress, cancel),
            Work::Settings | Work::SettingsAndClear => {
                self.update_settings(batch, progress, cancel)
            }
            Work::DsrUpdate | Work::DsrClear => self.change_search_rules(batch),
            Work::Snapshot => self.take_snapshot(batch, progress, cancel),
            Work::Dump => self.make_dump(batch, progress, cancel),
            Work::Export => self.export(batch, progress, cancel),
            Work::Upgrade | Work::TaskCancelation | Work::TaskDeletion => {
                Err(RunError::Failed(ServiceError::new(
                    Code::Internal,
                    format!("This version of Sonde cannot run batches of kind {:?}.", batch.work),
                )))
            }
        }
    }
}

/// Returns the index of a batch; the queue assigns one to every batch of index work.
fn index_uid(batch: &Batch) -> Result<&str, RunError> {
    batch
        .index_uid
        .as_deref()
        .ok_or_else(|| RunError::Failed(ServiceError::internal("the batch names no index")))
}

/// Returns the task of a batch that never has more than one.
fn single_task(batch: &Batch) -> Result<&Task, RunError> {
    batch
        .tasks
        .first()
        .ok_or_else(|| RunError::Failed(ServiceError::internal("the batch holds no task")))
}

fn outcome(tasks: Vec<TaskOutcome>) -> Outcome {
    Outcome { tasks, ..Outcome::default() }
}

/// Fails the whole batch with an error that names its index.
fn failed_in(batch: &Batch, error: &ServiceError) -> RunError {
    let error = error.clone();
    RunError::Failed(match &batch.index_uid {
        Some(uid) => error.in_index(uid),
        None => error,
    })
}

/// Names the index in a failure; passes on that the work was stopped.
fn in_index(batch: &Batch, error: RunError) -> RunError {
    match error {
        RunError::Failed(error) => failed_in(batch, &error),
        RunError::Stopped => RunError::Stopped,
    }
}
