//! The public queue: enqueue, list, cancel, delete, settle. Writes go through the committer; reads
//! use the in-memory state and the view published with it.

pub mod batch_end;
pub mod committer;
pub mod delivery;
pub mod housekeeping;
pub mod load;
pub mod new_task;
pub mod queue_snapshot;
pub mod restorer;
pub mod rewrite;
mod stash;
pub mod transaction;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use model::{Code, ServiceError};
use parking_lot::{Mutex, RwLock};
use redb::{Database, ReadTransaction, ReadableTable};
use roaring::RoaringBitmap;
use time::OffsetDateTime;

use crate::memory::core::Core;
use crate::memory::events::{Announcer, Events};
use crate::memory::finished_batch::{FinishedBatchFeed, FinishedBatches};
use crate::memory::listing;
use crate::memory::signal::Signal;
use crate::store::live_database::LiveDatabase;
use crate::store::options::Options;
use crate::store::payloads::{PayloadBytes, PayloadStore};
use crate::store::record;
use crate::task::Task;
use crate::task::batch::BatchView;
use crate::task::content::Content;
use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};
use crate::task::query::{Page, Query, Visibility};
use crate::task::registry_update::RegistryUpdate;
use crate::task::task_type::{Status, TaskType};
use batch_end::{BatchEnd, Receipt};
use committer::{Committer, Finish};
use new_task::NewTask;
use rewrite::{Rewrite, RewriteSizes};
use transaction::Tables;

/// Handle to the durable queue. Clones share it; it closes with the last of them.
#[derive(Clone)]
pub struct Queue {
    inner: Arc<Inner>,
}

struct Inner {
    core: Arc<Core>,
    committer: Committer,
}

/// Figures of the queue for metrics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub by_status: Vec<(Status, u64)>,
    pub by_type: Vec<(TaskType, u64)>,
    pub by_index: Vec<(String, u64)>,
}

impl Queue {
    /// Opens the queue's tables in `database`, creating them if need be, and its payload folder.
    pub fn open(
        database: Arc<Database>,
        payload_folder: impl Into<PathBuf>,
        options: Options,
    ) -> Result<Self, QueueError> {
        let live = LiveDatabase::from(Arc::clone(&database));
        let payloads = PayloadStore::open(
            payload_folder.into(),
            live.clone(),
            options.largest_payload_in_database,
        )?;
        let (state, next_task_uid) = load::load(&database, &payloads)?;
        let core = Arc::new(Core {
            database: live,
            payloads,
            options,
            state: RwLock::new(state),
            signal: Signal::default(),
            deliveries: Signal::default(),
            announcer: Announcer::default(),
            finished_feed: FinishedBatchFeed::default(),
            choosing: Mutex::new(()),
        });
        let committer = Committer::start(core.clone(), next_task_uid)?;
        Ok(Self { inner: Arc::new(Inner { core, committer }) })
    }

    /// Enqueues a task; returns once it is durable.
    pub fn enqueue(&self, task: NewTask) -> Result<Task, ServiceError> {
        Ok(self.committer().enqueue(task)?)
    }

    /// Enqueues the cancelation of the tasks that match now, without those shared with other
    /// instances, which would run them anyway. `original_filter` is the query string with its
    /// leading `?`.
    pub fn cancel(
        &self,
        query: &Query,
        original_filter: impl Into<String>,
        visible: Visibility<'_>,
    ) -> Result<Task, ServiceError> {
        self.cancel_with(query, original_filter, visible, &RoaringBitmap::new())
    }

    /// Like `cancel`, and includes `taken_back`: topology changes, which the caller cancels on the other
    /// instances. Other topology changes are left alone while they run, shared or not.
    pub fn cancel_with(
        &self,
        query: &Query,
        original_filter: impl Into<String>,
        visible: Visibility<'_>,
        taken_back: &RoaringBitmap,
    ) -> Result<Task, ServiceError> {
        let mut tasks = self.matching(query, visible)?;
        {
            let state = self.core().state.read();
            tasks -= state.tasks.shared();
            for (task_type, changes) in state.tasks.types() {
                if task_type == TaskType::NetworkTopologyChange {
                    tasks -= changes - state.tasks.finished();
                }
            }
        }
        tasks |= taken_back;
        self.enqueue(NewTask::new(Content::TaskCancelation {
            query: original_filter.into(),
            tasks,
        }))
    }

    /// Enqueues the deletion of the tasks that match now.
    pub fn delete(
        &self,
        query: &Query,
        original_filter: impl Into<String>,
        visible: Visibility<'_>,
    ) -> Result<Task, ServiceError> {
        let tasks = self.matching(query, visible)?;
        self.enqueue(NewTask::new(Content::TaskDeletion { query: original_filter.into(), tasks }))
    }

    /// Returns all tasks that match and that the caller may see, regardless of pages.
    pub fn matching(
        &self,
        query: &Query,
        visible: Visibility<'_>,
    ) -> Result<RoaringBitmap, ServiceError> {
        Ok(listing::matching_tasks(&self.core().state.read(), query, visible)?)
    }

    /// Returns a task, or `task_not_found` if it is absent or hidden.
    pub fn task(&self, uid: TaskUid, visible: Visibility<'_>) -> Result<Task, ServiceError> {
        let query = Query { uids: Some(vec![uid]), limit: Some(1), ..Query::default() };
        let found = self.tasks(&query, visible)?.results.pop();
        found.ok_or_else(|| {
            ServiceError::new(Code::TaskNotFound, format!("Task `{uid}` not found."))
        })
    }

    pub fn tasks(
        &self,
        query: &Query,
        visible: Visibility<'_>,
    ) -> Result<Page<Task>, ServiceError> {
        Ok(listing::tasks(&self.core().state, query, visible)?)
    }

    /// Returns a batch, or `batch_not_found` if it is absent or hidden.
    pub fn batch(&self, uid: BatchUid, visible: Visibility<'_>) -> Result<BatchView, ServiceError> {
        let query = Query { batch_uids: Some(vec![uid]), limit: Some(1), ..Query::default() };
        let found = self.batches(&query, visible)?.results.pop();
        found.ok_or_else(|| {
            ServiceError::new(Code::BatchNotFound, format!("Batch `{uid}` not found."))
        })
    }

    pub fn batches(
        &self,
        query: &Query,
        visible: Visibility<'_>,
    ) -> Result<Page<BatchView>, ServiceError> {
        Ok(listing::batches(&self.core().state, query, visible)?)
    }

    /// Calls `each` with every task in uid order, from one moment, as stored: none is processing.
    pub fn for_each_task(
        &self,
        each: &mut dyn FnMut(Task) -> Result<(), ServiceError>,
    ) -> Result<(), ServiceError> {
        let view = self.core().state.read().view.clone();
        for entry in view.tasks.iter().map_err(QueueError::from)? {
            let (uid, bytes) = entry.map_err(QueueError::from)?;
            each(record::read_task(uid.value(), bytes.value())?)?;
        }
        Ok(())
    }

    /// Calls `each` with every finished batch in uid order, from one moment.
    pub fn for_each_batch(
        &self,
        each: &mut dyn FnMut(BatchView) -> Result<(), ServiceError>,
    ) -> Result<(), ServiceError> {
        let view = self.core().state.read().view.clone();
        for entry in view.batches.iter().map_err(QueueError::from)? {
            let (uid, bytes) = entry.map_err(QueueError::from)?;
            each(record::read_batch(uid.value(), bytes.value())?.view)?;
        }
        Ok(())
    }

    /// Marks the still enqueued tasks of a receipt as finished: their batch was applied just before
    /// a crash. Returns their number. Call it before the scheduler starts.
    pub fn settle(&self, receipt: &[u8]) -> Result<u64, ServiceError> {
        let receipt = Receipt::read(receipt)?;
        let started_at = receipt.started_at()?;
        let (view, waiting, uid_is_free, free_uid) = {
            let state = self.core().state.read();
            let waiting = state.tasks.with_status(Status::Enqueued);
            let uid_is_free = !state.batches.contains(receipt.batch_uid);
            (state.view.clone(), waiting, uid_is_free, state.free_batch_uid())
        };
        let end = BatchEnd {
            uid: if uid_is_free { receipt.batch_uid } else { free_uid },
            started_at,
            finished_at: model::timestamp::now().max(started_at),
            strategy: receipt.strategy,
            run: receipt.stats,
            progress_trace: serde_json::Map::new(),
        };
        let mut tasks = Vec::new();
        for (uid, outcome) in receipt.tasks {
            if waiting.contains(uid) {
                tasks.push(batch_end::finished(view.known_task(uid)?, outcome, &end));
            }
        }
        if tasks.is_empty() {
            return Ok(0);
        }
        let settled = tasks.len() as u64;
        let record = batch_end::batch_record(&tasks, end);
        let (renames, registry) = (receipt.renames, None);
        let finish = Finish { tasks, record, renames, registry };
        self.committer().finish(finish)?;
        Ok(settled)
    }
    /// Returns the names of indexes with enqueued tasks.
    pub fn waiting_indexes(&self) -> Vec<String> {
        let state = self.core().state.read();
        state.lanes.names().map(str::to_owned).collect()
    }

    pub fn payloads(&self) -> &PayloadStore {
        &self.core().payloads
    }

    /// Returns the body of an addition that has not finished, or `task_file_not_found`.
    pub fn payload_of(
        &self,
        uid: TaskUid,
        visible: Visibility<'_>,
    ) -> Result<(Task, PayloadBytes), ServiceError> {
        let task = self.task(uid, visible)?;
        let unfinished = !task.status.is_finished();
        if let Some(payload) = task.content.payload().filter(|_| unfinished)
            && let Ok(bytes) = self.payloads().open_payload(payload)
        {
            return Ok((task, bytes));
        }
        Err(ServiceError::new(
            Code::TaskFileNotFound,
            format!(
                "Task `{uid}` does not contain any documents. Only `documentAdditionOrUpdate` \
                 tasks with the statuses `enqueued` or `processing` contain documents"
            ),
        ))
    }

    /// Subscribes to changes of tasks and batches from now on.
    pub fn subscribe(&self) -> Events {
        self.core().announcer.subscribe()
    }

    /// Subscribes to batches that end from now on, while the flag `cares` is set.
    pub fn finished_batches(&self, cares: Arc<AtomicBool>) -> FinishedBatches {
        self.core().finished_feed.listen(cares)
    }

    /// Runs `update` in a transaction of its own, in the queue's order of writes.
    pub fn transact(&self, update: RegistryUpdate) -> Result<(), ServiceError> {
        Ok(self.committer().transact(update)?)
    }

    /// Returns the current database, for reading.
    pub fn database(&self) -> LiveDatabase {
        self.core().database.clone()
    }

    /// Returns whether a running batch holds a task of the index.
    pub fn is_processing(&self, index_uid: &str) -> bool {
        let state = self.core().state.read();
        state.running.iter().any(|batch| batch.index_uids.iter().any(|name| name == index_uid))
    }

    pub fn counts(&self) -> Counts {
        let state = self.core().state.read();
        let running = state.running.tasks();
        let with_status = |status: Status| match status {
            Status::Processing => running.len(),
            other => (state.tasks.with_status(other) - running).len(),
        };
        let mut counts = Counts {
            by_status: Status::ALL.iter().map(|status| (*status, with_status(*status))).collect(),
            by_type: state.tasks.types().map(|(kind, set)| (kind, set.len())).collect(),
            by_index: state
                .tasks
                .indexes()
                .map(|(name, set)| (name.to_owned(), set.len()))
                .collect(),
        };
        counts.by_type.sort_unstable();
        counts.by_index.sort_unstable();
        counts
    }

    pub fn options(&self) -> &Options {
        &self.core().options
    }

    /// Returns whether any batch is running.
    pub fn is_working(&self) -> bool {
        !self.core().state.read().running.is_empty()
    }

    /// Returns the bytes of tasks, batches and small payloads.
    pub fn stored_bytes(&self) -> u64 {
        self.core().state.read().stored_bytes
    }

    /// Returns when the oldest unfinished task was enqueued.
    pub fn oldest_unfinished(&self) -> Result<Option<OffsetDateTime>, ServiceError> {
        let (view, oldest) = {
            let state = self.core().state.read();
            (state.view.clone(), state.tasks.with_status(Status::Enqueued).min())
        };
        match oldest {
            Some(uid) => Ok(Some(view.known_task(uid)?.enqueued_at)),
            None => Ok(None),
        }
    }

    /// Returns why writes are refused, if they are.
    pub fn stopped(&self) -> Option<ServiceError> {
        let state = self.core().state.read();
        state.stopped.as_ref().map(|stopped| stopped.error().into())
    }

    /// Makes a change of the queue's own tables durable.
    pub(crate) fn amend(
        &self,
        change: impl FnOnce(&mut Tables<'_>) -> Result<(), QueueError> + Send + 'static,
    ) -> Result<(), ServiceError> {
        Ok(self.committer().amend(Box::new(change))?)
    }

    /// Rewrites the database: `copy` writes everything it reads to a new file, which replaces
    /// `file`, the current one. On failure nothing has changed.
    pub fn rewrite_database(
        &self,
        file: &Path,
        copy: impl FnOnce(&ReadTransaction, &Path) -> Result<(), redb::Error> + Send + 'static,
    ) -> Result<RewriteSizes, ServiceError> {
        let rewrite = Rewrite { file: file.to_owned(), copy: Box::new(copy) };
        Ok(self.committer().rewrite(rewrite)?)
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.inner.core
    }

    pub(crate) fn committer(&self) -> &Committer {
        &self.inner.committer
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("core", &self.inner.core).finish_non_exhaustive()
    }
}
