//! The tables of the queue inside the shared database, and one consistent view of them. Only the
//! committer writes; all others read the view published with the in-memory index.

use std::fmt;
use std::sync::Arc;

use redb::{Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, Table};

use super::checked::{damaged_record_message, sealed_number, unsealed_number};
use super::outbox_tables;
use super::record::{self, BatchRecord};
use super::schema::{
    BATCHES, FORMAT_VERSION, FORMAT_VERSION_KEY, FORMAT_WITHOUT_CHECKSUMS, INBOX, META,
    NEXT_BATCH_UID_KEY, OUTBOX, OUTBOX_WAITING, PAYLOADS, STASH, TASKS,
};
use super::upgrade;
use crate::task::Task;
use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};

/// Creates the tables in a new database, rewrites those of the previous format, and refuses unknown
/// formats.
pub(crate) fn prepare(database: &Database) -> Result<(), QueueError> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        let found = meta.get(FORMAT_VERSION_KEY)?.map(|version| version.value());
        match found {
            None => {
                let version = sealed_number(FORMAT_VERSION_KEY, FORMAT_VERSION);
                meta.insert(FORMAT_VERSION_KEY, version)?;
            }
            Some(FORMAT_WITHOUT_CHECKSUMS) => upgrade::add_checksums(&transaction, &mut meta)?,
            Some(stored) => check_format(stored)?,
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

fn check_format(stored: u64) -> Result<(), QueueError> {
    match unsealed_number(FORMAT_VERSION_KEY, stored) {
        Some(FORMAT_VERSION) => Ok(()),
        Some(found) => Err(QueueError::UnknownFormat { found, known: FORMAT_VERSION }),
        None => match u32::try_from(stored) {
            Ok(found) => Err(QueueError::UnknownFormat { found, known: FORMAT_VERSION }),
            Err(_) => Err(damaged_meta(FORMAT_VERSION_KEY)),
        },
    }
}

fn damaged_meta(key: &str) -> QueueError {
    QueueError::damaged(damaged_record_message("task_meta", key))
}

/// Verifies the tables that are not read as a whole when a queue is opened. Skips a database in the
/// previous format, which has no checksums there.
pub(crate) fn check_sums(transaction: &ReadTransaction) -> Result<(), QueueError> {
    let meta = transaction.open_table(META)?;
    match meta.get(FORMAT_VERSION_KEY)?.map(|version| version.value()) {
        None | Some(FORMAT_WITHOUT_CHECKSUMS) => return Ok(()),
        Some(stored) => check_format(stored)?,
    }
    for entry in meta.iter()? {
        let (key, stored) = entry?;
        if unsealed_number(key.value(), stored.value()).is_none() {
            return Err(damaged_meta(key.value()));
        }
    }
    for entry in transaction.open_table(INBOX)?.iter()? {
        let (sender, last) = entry?;
        outbox_tables::read_last_taken(sender.value(), last.value())?;
    }
    for entry in transaction.open_table(OUTBOX_WAITING)?.iter()? {
        let (key, sum) = entry?;
        let (recipient, uid) = key.value();
        outbox_tables::check_waiting(recipient, uid, sum.value())?;
    }
    Ok(())
}

/// Returns the stored next batch uid.
pub(crate) fn read_next_batch_uid(
    meta: &impl ReadableTable<&'static str, u64>,
) -> Result<BatchUid, QueueError> {
    let Some(stored) = meta.get(NEXT_BATCH_UID_KEY)? else { return Ok(0) };
    unsealed_number(NEXT_BATCH_UID_KEY, stored.value())
        .ok_or_else(|| damaged_meta(NEXT_BATCH_UID_KEY))
}

/// Stores that the batch uid `uid` is used.
pub(crate) fn note_batch_uid(
    meta: &mut Table<'_, &'static str, u64>,
    uid: BatchUid,
) -> Result<(), QueueError> {
    let next = read_next_batch_uid(meta)?.max(uid.saturating_add(1));
    meta.insert(NEXT_BATCH_UID_KEY, sealed_number(NEXT_BATCH_UID_KEY, next))?;
    Ok(())
}

pub(crate) fn next_batch_uid(database: &Database) -> Result<BatchUid, QueueError> {
    read_next_batch_uid(&database.begin_read()?.open_table(META)?)
}

/// Consistent view of all tasks and finished batches.
pub(crate) struct View {
    pub tasks: ReadOnlyTable<u32, &'static [u8]>,
    pub batches: ReadOnlyTable<u32, &'static [u8]>,
    /// Keeps the tables valid when another database becomes current.
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

    /// Returns a task of the in-memory index; its absence is damage.
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
