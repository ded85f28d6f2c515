//! The queue in a copy of the whole instance: its payload files, and the tasks left out of the
//! copy.

use redb::{ReadTransaction, ReadableTable, WriteTransaction};

use super::record;
use super::schema::{OUTBOX, TASKS};
use super::stash;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::payload_id::PayloadId;
use crate::task::task_type::Status;

/// Returns the file names of all bodies that are still needed, as `from` sees it.
pub fn payload_files(from: &ReadTransaction) -> Result<Vec<String>, QueueError> {
    let mut payloads: Vec<PayloadId> = stash::payloads_of(from)?;
    for entry in from.open_table(TASKS)?.iter()? {
        let (uid, bytes) = entry?;
        let (uid, bytes) = (uid.value(), bytes.value());
        if record::TaskHead::read(uid, bytes)?.status == Status::Enqueued {
            payloads.extend(record::read_task(uid, bytes)?.content.payload());
        }
    }
    for entry in from.open_table(OUTBOX)?.iter()? {
        let (uid, bytes) = entry?;
        payloads.extend(record::read_task(uid.value(), bytes.value())?.content.payload());
    }
    let mut names: Vec<String> = payloads.iter().filter_map(PayloadId::file_name).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Removes tasks without a payload from a copy, as if they had never been enqueued.
pub fn leave_out(copy: &WriteTransaction, tasks: &[TaskUid]) -> Result<(), redb::Error> {
    let mut table = copy.open_table(TASKS)?;
    for uid in tasks {
        table.remove(uid)?;
    }
    Ok(())
}
