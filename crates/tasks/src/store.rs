//! The tables of the queue inside the shared database, and one consistent view of them. Only the
//! committer writes; everybody else reads the view that was published with the in-memory index.

use std::fmt;
use std::sync::Arc;

use redb::{Database, ReadOnlyTable, ReadableDatabase, ReadableTable, TableDefinition};

use crate::error::QueueError;
use crate::record::{self, BatchRecord};
use crate::task::{BatchUid, Task, TaskUid};

/// Task uid → record, see FORMAT.md.
pub(crate) const TASKS: TableDefinition<'static, u32, &'static [u8]> =
    TableDefinition::new("tasks");
/// Batch uid → record of a finished batch.
pub(crate) const BATCHES: TableDefinition<'static, u32, &'static [u8]> =
    TableDefinition::new("task_batches");
/// Key of a small payload → its bytes.
pub(crate) const PAYLOADS: TableDefinition<'static, u128, &'static [u8]> =
    TableDefinition::new("task_payloads");
/// Task uid → the record of a task as it was enqueued, kept until all who are to take it have.
pub(crate) const OUTBOX: TableDefinition<'static, u32, &'static [u8]> =
    TableDefinition::new("task_outbox");
/// Recipient and task uid: what it has not taken.
pub(crate) const OUTBOX_WAITING: TableDefinition<'static, (&'static str, u32), ()> =
    TableDefinition::new("task_outbox_waiting");
/// Sender → network version, uid there and uid here of the last task taken from it.
pub(crate) const INBOX: TableDefinition<'static, &'static str, (u128, u32, u32)> =
    TableDefinition::new("task_inbox");
/// Text → what somebody put aside, with a payload or without.
pub(crate) const STASH: TableDefinition<'static, &'static str, &'static [u8]> =
    TableDefinition::new("task_stash");
/// `format_version` and `next_batch_uid`.
pub(crate) const META: TableDefinition<'static, &'static str, u64> =
    TableDefinition::new("task_meta");

pub(crate) const FORMAT_VERSION: u32 = 1;
const FORMAT_VERSION_KEY: &str = "format_version";
pub(crate) const NEXT_BATCH_UID_KEY: &str = "next_batch_uid";

/// Makes the tables if the database is new, and refuses a format it does not know.
pub(crate) fn prepare(database: &Database) -> Result<(), QueueError> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        let found = meta.get(FORMAT_VERSION_KEY)?.map(|version| version.value());
        match found {
            None => {
                meta.insert(FORMAT_VERSION_KEY, u64::from(FORMAT_VERSION))?;
            }
            Some(version) if version == u64::from(FORMAT_VERSION) => {}
            Some(version) => {
                let found = u32::try_from(version).unwrap_or(u32::MAX);
                return Err(QueueError::UnknownFormat { found, known: FORMAT_VERSION });
            }
        }
        transaction.open_table(TASKS)?;
        transaction.open_table(BATCHES)?;
        transaction.open_table(PAYLOADS)?;
        transaction.open_table(OUTBOX)?;
        transaction.open_table(OUTBOX_WAITING)?;
        transaction.open_table(INBOX)?;
        transaction.open_table(STASH)?;
    }
    transaction.commit()?;
    Ok(())
}

pub(crate) fn next_batch_uid(database: &Database) -> Result<BatchUid, QueueError> {
    let meta = database.begin_read()?.open_table(META)?;
    let stored = meta.get(NEXT_BATCH_UID_KEY)?.map_or(0, |uid| uid.value());
    BatchUid::try_from(stored).map_err(|_| QueueError::damaged("the next batch uid is too large"))
}

/// All tasks and finished batches, of one moment.
pub(crate) struct View {
    pub tasks: ReadOnlyTable<u32, &'static [u8]>,
    pub batches: ReadOnlyTable<u32, &'static [u8]>,
    /// Held for the tables: another database may be in force by now.
    _database: Arc<Database>,
}

impl View {
    pub fn of_now(database: &Arc<Database>) -> Result<Self, QueueError> {
        let transaction = database.begin_read()?;
        Ok(Self {
            tasks: transaction.open_table(TASKS)?,
            batches: transaction.open_table(BATCHES)?,
            _database: Arc::clone(database),
        })
    }

    pub fn task(&self, uid: TaskUid) -> Result<Option<Task>, QueueError> {
        match self.tasks.get(uid)? {
            Some(bytes) => Ok(Some(record::read_task(uid, bytes.value())?)),
            None => Ok(None),
        }
    }

    pub fn batch(&self, uid: BatchUid) -> Result<Option<BatchRecord>, QueueError> {
        match self.batches.get(uid)? {
            Some(bytes) => Ok(Some(record::read_batch(uid, bytes.value())?)),
            None => Ok(None),
        }
    }

    /// A task the in-memory index knows, so its absence is damage.
    pub fn known_task(&self, uid: TaskUid) -> Result<Task, QueueError> {
        self.task(uid)?.ok_or_else(|| QueueError::damaged(format!("task {uid} is missing")))
    }

    pub fn known_batch(&self, uid: BatchUid) -> Result<BatchRecord, QueueError> {
        self.batch(uid)?.ok_or_else(|| QueueError::damaged(format!("batch {uid} is missing")))
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").finish_non_exhaustive()
    }
}
