//! Tables of the tasks shared between instances, within one transaction: what is to be delivered,
//! to which recipients, and what was taken from which senders. Opened only when needed.

use redb::{ReadableTable, Table, WriteTransaction};

use super::checked::{checksum, damaged_record_message};
use super::record;
use super::schema::{INBOX, OUTBOX, OUTBOX_WAITING};
use crate::task::Task;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::network::{Origin, TaskNetwork};

/// Network version, uid there, uid here, checksum.
type LastTaken = (u128, u32, u32, u64);

pub(crate) struct OutboxTables<'txn> {
    tasks: Table<'txn, u32, &'static [u8]>,
    waiting: Table<'txn, (&'static str, u32), u64>,
    inbox: Table<'txn, &'static str, LastTaken>,
}

impl<'txn> OutboxTables<'txn> {
    pub fn open(transaction: &'txn WriteTransaction) -> Result<Self, QueueError> {
        Ok(Self {
            tasks: transaction.open_table(OUTBOX)?,
            waiting: transaction.open_table(OUTBOX_WAITING)?,
            inbox: transaction.open_table(INBOX)?,
        })
    }

    /// Stores the task for its recipients; returns the number of bytes written.
    pub fn add<'r>(
        &mut self,
        task: &Task,
        recipients: impl Iterator<Item = &'r str>,
    ) -> Result<i64, QueueError> {
        let bytes = record::write_task(task)?;
        self.tasks.insert(task.uid, bytes.as_slice())?;
        for recipient in recipients {
            self.waiting.insert((recipient, task.uid), waiting_sum(recipient, task.uid))?;
        }
        Ok(bytes.len() as i64)
    }

    pub fn holds(&self, uid: TaskUid) -> Result<bool, QueueError> {
        Ok(self.tasks.get(uid)?.is_some())
    }

    /// Returns whether the recipient has not taken the task.
    pub fn waits(&self, recipient: &str, uid: TaskUid) -> Result<bool, QueueError> {
        Ok(self.waiting.get((recipient, uid))?.is_some())
    }

    /// Removes the task from the recipient's list. Returns the task and the bytes of its record if
    /// no recipient is left.
    pub fn strike(
        &mut self,
        recipient: &str,
        uid: TaskUid,
    ) -> Result<Option<(Task, i64)>, QueueError> {
        if self.waiting.remove((recipient, uid))?.is_none() {
            return Ok(None);
        }
        let (task, length) = {
            let Some(bytes) = self.tasks.get(uid)? else { return Ok(None) };
            (record::read_task(uid, bytes.value())?, bytes.value().len() as i64)
        };
        for other in task.network.iter().flat_map(TaskNetwork::recipients) {
            if self.waiting.get((other, uid))?.is_some() {
                return Ok(None);
            }
        }
        self.tasks.remove(uid)?;
        Ok(Some((task, length)))
    }

    /// Returns the local task as which a task of another instance was taken before.
    pub fn taken_before(&self, origin: &Origin) -> Result<Option<TaskUid>, QueueError> {
        let Some(last) = self.inbox.get(origin.remote.as_str())? else { return Ok(None) };
        let (version, uid_there, uid_here) = read_last_taken(&origin.remote, last.value())?;
        let is_known = version == origin.network_version.as_u128() && origin.task_uid <= uid_there;
        Ok(is_known.then_some(uid_here))
    }

    pub fn note_taken(&mut self, origin: &Origin, uid_here: TaskUid) -> Result<(), QueueError> {
        let sender = origin.remote.as_str();
        let last = last_taken(sender, origin.network_version.as_u128(), origin.task_uid, uid_here);
        self.inbox.insert(sender, last)?;
        Ok(())
    }
}

/// Builds an inbox entry with its checksum.
pub(crate) fn last_taken(sender: &str, version: u128, uid_there: u32, uid_here: u32) -> LastTaken {
    let mut value = [0; 24];
    value[..16].copy_from_slice(&version.to_le_bytes());
    value[16..20].copy_from_slice(&uid_there.to_le_bytes());
    value[20..].copy_from_slice(&uid_here.to_le_bytes());
    (version, uid_there, uid_here, checksum(sender.as_bytes(), &value))
}

/// Returns the entry without its checksum, which must match.
pub(crate) fn read_last_taken(
    sender: &str,
    stored: LastTaken,
) -> Result<(u128, u32, u32), QueueError> {
    let (version, uid_there, uid_here, _) = stored;
    if last_taken(sender, version, uid_there, uid_here) != stored {
        return Err(QueueError::damaged(damaged_record_message("task_inbox", sender)));
    }
    Ok((version, uid_there, uid_here))
}

pub(crate) fn waiting_sum(recipient: &str, uid: TaskUid) -> u64 {
    checksum(recipient.as_bytes(), &uid.to_le_bytes())
}

pub(crate) fn check_waiting(recipient: &str, uid: TaskUid, sum: u64) -> Result<(), QueueError> {
    if sum == waiting_sum(recipient, uid) {
        return Ok(());
    }
    let key = format!("{recipient}, {uid}");
    Err(QueueError::damaged(damaged_record_message("task_outbox_waiting", &key)))
}
