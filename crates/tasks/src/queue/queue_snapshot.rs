//! Consistent view of the queue at one moment, read for dumps while the queue goes on. Bodies of
//! waiting tasks stay readable although their tasks may run and end meanwhile.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, mpsc};

use model::ServiceError;
use redb::{Database, ReadOnlyTable, ReadableDatabase, ReadableTable, ReadableTableMetadata};
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::Queue;
use super::batch_end::{self, BatchEnd, Receipt};
use crate::memory::core::Core;
use crate::store::payloads::PayloadBytes;
use crate::store::record::{self, BatchRecord, EnqueuedDates};
use crate::store::schema::PAYLOADS;
use crate::store::task_store::View;
use crate::task::Task;
use crate::task::batch::{Batch, BatchView, Stats};
use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};
use crate::task::registry_update::RegistryUpdate;
use crate::task::runner::TaskOutcome;
use crate::task::task_type::Status;

pub struct QueueSnapshot {
    view: Arc<View>,
    small_payloads: ReadOnlyTable<u128, &'static [u8]>,
    /// Keeps the table valid when another database becomes current.
    _database: Arc<Database>,
    /// Bodies that are files, whose names may be removed at any moment.
    large_payloads: HashMap<TaskUid, PayloadBytes>,
    waiting: RoaringBitmap,
    /// Tasks that had ended before the queue recorded it.
    settled: BTreeMap<TaskUid, Task>,
    settled_batches: BTreeMap<BatchUid, BatchRecord>,
}

/// A finished batch with everything stored about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredBatch {
    pub uid: BatchUid,
    pub details: Map<String, Value>,
    pub stats: Stats,
    pub strategy: String,
    #[serde(with = "time::serde::rfc3339")]
    pub started_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub finished_at: OffsetDateTime,
    /// When the first and the last of its tasks were enqueued.
    #[serde(with = "time::serde::rfc3339")]
    pub earliest_enqueued_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub latest_enqueued_at: OffsetDateTime,
    #[serde(with = "crate::task::uid_ranges")]
    pub tasks: RoaringBitmap,
    pub index_uids: Vec<String>,
}

impl Queue {
    /// Calls `look` when every answered write is visible and no other can happen, and returns a
    /// snapshot of the queue with the result. `look` runs on the queue's only writer and must be
    /// quick.
    pub fn freeze<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<(QueueSnapshot, T), ServiceError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let core = Arc::clone(self.core());
        self.transact(RegistryUpdate::new(move |_| {
            let snapshot = QueueSnapshot::of_now(&core).map_err(ServiceError::from);
            // The caller waits for it; an error here must not fail the transaction.
            let _ = sender.send(snapshot.and_then(|snapshot| Ok((snapshot, look()?))));
            Ok(())
        }))?;
        receiver.recv().map_err(ServiceError::internal)?
    }
}

impl QueueSnapshot {
    fn of_now(core: &Core) -> Result<Self, QueueError> {
        let (view, waiting) = {
            let state = core.state.read();
            (Arc::clone(&state.view), state.tasks.with_status(Status::Enqueued))
        };
        let database = core.database.now();
        let small_payloads = database.begin_read()?.open_table(PAYLOADS)?;
        let mut large_payloads = HashMap::new();
        for uid in &waiting {
            let task = view.known_task(uid)?;
            if let Some(payload) = task.content.payload()
                && let Some(held) = core.payloads.hold_file(payload)?
            {
                large_payloads.insert(uid, held);
            }
        }
        let (settled, settled_batches) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self {
            view,
            small_payloads,
            _database: database,
            large_payloads,
            waiting,
            settled,
            settled_batches,
        })
    }

    /// Applies the receipt of an index: the tasks of its last batch have ended, even if the queue
    /// did not know.
    pub fn settle(&mut self, receipt: &[u8]) -> Result<(), ServiceError> {
        let receipt = Receipt::read(receipt)?;
        let started_at = receipt.started_at()?;
        let end = BatchEnd {
            uid: receipt.batch_uid,
            started_at,
            finished_at: model::timestamp::now().max(started_at),
            strategy: receipt.strategy,
            run: receipt.stats,
            progress_trace: Map::new(),
        };
        self.end(receipt.tasks, end)
    }

    /// Applies the end of a batch that still runs: the one that makes the dump.
    pub fn end_batch(
        &mut self,
        batch: &Batch,
        outcomes: Vec<TaskOutcome>,
    ) -> Result<(), ServiceError> {
        let end = BatchEnd {
            uid: batch.uid,
            started_at: batch.started_at,
            finished_at: model::timestamp::now().max(batch.started_at),
            strategy: batch.strategy.clone(),
            run: Default::default(),
            progress_trace: Map::new(),
        };
        self.end(batch.tasks.iter().map(|task| task.uid).zip(outcomes).collect(), end)
    }

    fn end(
        &mut self,
        outcomes: Vec<(TaskUid, TaskOutcome)>,
        end: BatchEnd,
    ) -> Result<(), ServiceError> {
        let mut tasks = Vec::new();
        for (uid, outcome) in outcomes {
            if self.waiting.contains(uid) && !self.settled.contains_key(&uid) {
                tasks.push(batch_end::finished(self.view.known_task(uid)?, outcome, &end));
            }
        }
        if tasks.is_empty() {
            return Ok(());
        }
        let record = batch_end::batch_record(&tasks, end);
        self.settled.extend(tasks.into_iter().map(|task| (task.uid, task)));
        self.settled_batches.insert(record.view.uid, record);
        Ok(())
    }

    pub fn number_of_tasks(&self) -> Result<u64, ServiceError> {
        Ok(self.view.tasks.len().map_err(QueueError::from)?)
    }

    /// Calls `each` with every task in uid order; none is processing.
    pub fn for_each_task<E: From<ServiceError>>(
        &self,
        mut each: impl FnMut(&Task) -> Result<(), E>,
    ) -> Result<(), E> {
        for entry in self.view.tasks.iter().map_err(failed)? {
            let (uid, bytes) = entry.map_err(failed)?;
            match self.settled.get(&uid.value()) {
                Some(task) => each(task)?,
                None => each(&record::read_task(uid.value(), bytes.value()).map_err(failed)?)?,
            }
        }
        Ok(())
    }

    /// Calls `each` with the body of every waiting task that has one.
    pub fn for_each_payload<E: From<ServiceError>>(
        &self,
        mut each: impl FnMut(TaskUid, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for uid in self.waiting.iter().filter(|uid| !self.settled.contains_key(uid)) {
            let task = self.view.known_task(uid).map_err(failed)?;
            let Some(payload) = task.content.payload() else { continue };
            if let Some(held) = self.large_payloads.get(&uid) {
                payload.check(held).map_err(failed)?;
                each(uid, held)?;
                held.check_map().map_err(failed)?;
                continue;
            }
            let missing = || QueueError::damaged(format!("the payload of task {uid} is missing"));
            let key = payload.database_key().ok_or_else(missing).map_err(failed)?;
            let bytes = self.small_payloads.get(key).map_err(failed)?;
            let bytes = bytes.ok_or_else(missing).map_err(failed)?;
            payload.check(bytes.value()).map_err(failed)?;
            each(uid, bytes.value())?;
        }
        Ok(())
    }

    /// Calls `each` with every finished batch in uid order.
    pub fn for_each_batch<E: From<ServiceError>>(
        &self,
        mut each: impl FnMut(&StoredBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut settled = self.settled_batches.iter().peekable();
        for entry in self.view.batches.iter().map_err(failed)? {
            let (uid, bytes) = entry.map_err(failed)?;
            let uid = uid.value();
            while let Some((_, record)) = settled.next_if(|(settled, _)| **settled < uid) {
                each(&StoredBatch::of(record.clone()))?;
            }
            each(&StoredBatch::of(record::read_batch(uid, bytes.value()).map_err(failed)?))?;
        }
        settled.try_for_each(|(_, record)| each(&StoredBatch::of(record.clone())))
    }
}

fn failed(error: impl Into<QueueError>) -> ServiceError {
    error.into().into()
}

impl StoredBatch {
    fn of(record: BatchRecord) -> Self {
        let BatchRecord { view, tasks, dates, index_uids } = record;
        Self {
            uid: view.uid,
            details: view.details,
            stats: view.stats,
            strategy: view.strategy,
            started_at: view.started_at,
            finished_at: view.finished_at.unwrap_or(view.started_at),
            earliest_enqueued_at: dates.earliest,
            latest_enqueued_at: dates.latest,
            tasks,
            index_uids,
        }
    }

    pub(crate) fn into_record(self) -> BatchRecord {
        BatchRecord {
            tasks: self.tasks,
            dates: EnqueuedDates {
                earliest: self.earliest_enqueued_at,
                latest: self.latest_enqueued_at,
            },
            index_uids: self.index_uids,
            view: BatchView {
                uid: self.uid,
                progress: None,
                details: self.details,
                stats: self.stats,
                started_at: self.started_at,
                finished_at: Some(self.finished_at),
                strategy: self.strategy,
            },
        }
    }
}

impl fmt::Debug for QueueSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueSnapshot").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}
