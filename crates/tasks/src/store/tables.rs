//! Handles the queue's tables as a whole: copies them into a fresh database, which drops the free
//! space of the old one, and verifies them from end to end.

use std::path::Path;
use std::sync::Arc;

use redb::{
    Database, Key, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableError,
    Value, WriteTransaction,
};

use super::payloads::PayloadStore;
use super::record;
use super::schema::{BATCHES, INBOX, META, OUTBOX, OUTBOX_WAITING, PAYLOADS, STASH, TASKS};
use super::stash;
use super::task_store;
use crate::task::error::QueueError;
use crate::task::task_type::Status;

/// Copies every table of the queue, as `from` sees it.
pub fn copy_tables(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
    copy_table(TASKS, from, into)?;
    copy_table(BATCHES, from, into)?;
    copy_table(PAYLOADS, from, into)?;
    copy_table(OUTBOX, from, into)?;
    copy_table(OUTBOX_WAITING, from, into)?;
    copy_table(INBOX, from, into)?;
    copy_table(STASH, from, into)?;
    copy_table(META, from, into)
}

/// Copies one table of the database. A table that was never written is skipped.
pub fn copy_table<K: Key + 'static, V: Value + 'static>(
    table: TableDefinition<'_, K, V>,
    from: &ReadTransaction,
    into: &WriteTransaction,
) -> Result<(), redb::Error> {
    let source = match from.open_table(table) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        opened => opened?,
    };
    let mut target = into.open_table(table)?;
    for entry in source.iter()? {
        let (key, value) = entry?;
        target.insert(key.value(), value.value())?;
    }
    Ok(())
}

/// Result of reading every record of the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    pub tasks: u64,
    pub batches: u64,
    /// A sentence for each problem.
    pub problems: Vec<String>,
}

/// Reads every task, batch and payload that is still needed. Changes nothing.
pub fn verify(database: &Arc<Database>, payloads: &Path) -> Result<VerifyReport, QueueError> {
    let mut found = VerifyReport::default();
    let store = PayloadStore::open(payloads.to_owned(), Arc::clone(database).into(), 0)?;
    let transaction = database.begin_read()?;
    if let Err(error) = task_store::check_sums(&transaction) {
        found.problems.push(error.to_string());
    }
    for entry in transaction.open_table(TASKS)?.iter()? {
        let (uid, bytes) = entry?;
        found.tasks += 1;
        let task = match record::read_task(uid.value(), bytes.value()) {
            Ok(task) => task,
            Err(error) => {
                found.problems.push(error.to_string());
                continue;
            }
        };
        let payload = task.content.payload().filter(|_| task.status == Status::Enqueued);
        let Some(payload) = payload else { continue };
        if let Err(error) = store.open_payload(payload) {
            found.problems.push(format!("task {}: {error}", task.uid));
        }
    }
    for entry in transaction.open_table(OUTBOX)?.iter()? {
        let (uid, bytes) = entry?;
        let read = record::read_task(uid.value(), bytes.value());
        let payload = read.and_then(|task| match task.content.payload() {
            Some(payload) => store.open_payload(payload).map(drop),
            None => Ok(()),
        });
        if let Err(error) = payload {
            found
                .problems
                .push(format!("what others are to take of task {}: {error}", uid.value()));
        }
    }
    for payload in stash::payloads(database)? {
        if let Err(error) = store.open_payload(&payload) {
            found.problems.push(format!("something put aside: {error}"));
        }
    }
    for entry in transaction.open_table(BATCHES)?.iter()? {
        let (uid, bytes) = entry?;
        found.batches += 1;
        if let Err(error) = record::read_batch(uid.value(), bytes.value()) {
            found.problems.push(error.to_string());
        }
    }
    Ok(found)
}
