//! The writes of one transaction: records put and removed, and the changes to make in memory once
//! it is committed. It does not decide when to commit.

use redb::{ReadableTable, Table, WriteTransaction};
use roaring::RoaringBitmap;

use crate::memory::state::Change;
use crate::store::outbox_tables::OutboxTables;
use crate::store::payloads::SealedPayload;
use crate::store::record::{self, BatchHead, BatchRecord, TaskHead};
use crate::store::schema::{BATCHES, META, PAYLOADS, TASKS};
use crate::store::stash::{self, StashTable};
use crate::store::task_store;
use crate::task::Task;
use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};
use crate::task::network::{RemoteTask, TaskNetwork};
use crate::task::payload_id::PayloadId;
use crate::task::runner::Rename;
use crate::task::task_type::Status;

/// Effects of a committed transaction on memory and the payload folder.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub changes: Vec<Change>,
    /// Growth of the stored records, negative if they shrank.
    pub bytes: i64,
    pub removed_payloads: Vec<PayloadId>,
}

pub(crate) struct Tables<'txn> {
    transaction: &'txn WriteTransaction,
    tasks: Table<'txn, u32, &'static [u8]>,
    batches: Table<'txn, u32, &'static [u8]>,
    payloads: Table<'txn, u128, &'static [u8]>,
    meta: Table<'txn, &'static str, u64>,
    /// Opened on first use: few transactions need it.
    outbox: Option<OutboxTables<'txn>>,
    stash: Option<StashTable<'txn>>,
    pub effects: Effects,
}

impl<'txn> Tables<'txn> {
    pub fn open(transaction: &'txn WriteTransaction) -> Result<Self, QueueError> {
        Ok(Self {
            transaction,
            tasks: transaction.open_table(TASKS)?,
            batches: transaction.open_table(BATCHES)?,
            payloads: transaction.open_table(PAYLOADS)?,
            meta: transaction.open_table(META)?,
            outbox: None,
            stash: None,
            effects: Effects::default(),
        })
    }

    pub fn enqueue(
        &mut self,
        task: &Task,
        payload: Option<&SealedPayload>,
    ) -> Result<(), QueueError> {
        if let Some((key, bytes)) = payload.and_then(SealedPayload::database_entry) {
            self.put_payload(key, bytes)?;
        }
        self.put_task(task)?;
        self.effects.changes.push(Change::Enqueued(task.clone()));
        match &task.network {
            Some(TaskNetwork::Origin(origin)) => self.outbox()?.note_taken(origin, task.uid),
            Some(network @ TaskNetwork::Remotes { .. }) => {
                self.effects.bytes += self.outbox()?.add(task, network.recipients())?;
                let recipients = network.recipients().map(str::to_owned).collect();
                self.effects.changes.push(Change::Addressed { uid: task.uid, recipients });
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Returns the local task if this one comes from another instance and came before.
    pub fn taken_before(
        &mut self,
        network: Option<&TaskNetwork>,
    ) -> Result<Option<TaskUid>, QueueError> {
        match network {
            Some(TaskNetwork::Origin(origin)) => self.outbox()?.taken_before(origin),
            _ => Ok(None),
        }
    }

    /// Shows in the task what a recipient made of it, unless the task was deleted.
    pub fn show_delivery(
        &mut self,
        recipient: &str,
        uid: TaskUid,
        outcome: RemoteTask,
    ) -> Result<(), QueueError> {
        if self.tasks.get(uid)?.is_none() {
            return Ok(());
        }
        let mut task = self.read_task(uid)?;
        if let Some(TaskNetwork::Remotes { remote_tasks, .. }) = &mut task.network
            && let Some(shown) = remote_tasks.get_mut(recipient)
        {
            *shown = outcome;
            self.put_task(&task)?;
        }
        Ok(())
    }

    /// Removes a delivery; the last recipient's removal frees what was stored for it.
    pub fn strike(&mut self, recipient: &str, uid: TaskUid) -> Result<(), QueueError> {
        let done = self.outbox()?.strike(recipient, uid)?;
        let recipient = recipient.to_owned();
        self.effects.changes.push(Change::Taken { uid, recipient });
        let Some((task, bytes)) = done else { return Ok(()) };
        self.effects.bytes -= bytes;
        let is_waiting = match self.tasks.get(uid)? {
            Some(bytes) => TaskHead::read(uid, bytes.value())?.status == Status::Enqueued,
            None => false,
        };
        match task.content.payload() {
            Some(payload) if !is_waiting => self.remove_payload(payload),
            _ => Ok(()),
        }
    }

    /// Writes tasks that are finished or canceled; their bodies are no longer needed.
    pub fn finish(&mut self, tasks: Vec<Task>) -> Result<(), QueueError> {
        for mut task in tasks {
            let mut is_handed_on = false;
            if let Some(TaskNetwork::Remotes { .. }) = task.network {
                // Recipients may have taken it while it ran.
                task.network = self.read_task(task.uid)?.network;
                is_handed_on = self.outbox()?.holds(task.uid)?;
            }
            self.put_task(&task)?;
            if let Some(payload) = task.content.payload().filter(|_| !is_handed_on) {
                self.remove_payload(payload)?;
            }
            self.effects.changes.push(Change::Finished(task));
        }
        Ok(())
    }

    pub fn store_batch(&mut self, record: BatchRecord) -> Result<(), QueueError> {
        let uid = record.view.uid;
        let bytes = record::write_batch(&record)?;
        self.effects.bytes += bytes.len() as i64;
        self.batches.insert(uid, bytes.as_slice())?;
        task_store::note_batch_uid(&mut self.meta, uid)?;
        self.effects.changes.push(Change::BatchStored(Box::new(record)));
        self.effects.changes.push(Change::BatchOver(uid));
        Ok(())
    }

    /// Makes the given tasks follow the new names of their indexes.
    pub fn rename(
        &mut self,
        concerned: &RoaringBitmap,
        renames: &[Rename],
    ) -> Result<(), QueueError> {
        for uid in concerned {
            let mut task = self.read_task(uid)?;
            let old_names = TaskHead::of(&task).index_uids;
            task.content.rename_indexes(&|name| new_name(name, renames));
            task.details.rename_indexes(&|name| new_name(name, renames));
            self.put_task(&task)?;
            let new_names = TaskHead::of(&task).index_uids;
            self.effects.changes.push(Change::Renamed { uid, old_names, new_names });
        }
        Ok(())
    }

    pub fn delete_task(&mut self, uid: TaskUid) -> Result<TaskHead, QueueError> {
        let removed = self.tasks.remove(uid)?;
        let removed =
            removed.ok_or_else(|| QueueError::damaged(format!("task {uid} is missing")))?;
        let head = TaskHead::read(uid, removed.value())?;
        self.effects.bytes -= removed.value().len() as i64;
        self.effects.changes.push(Change::Deleted(head.clone()));
        Ok(head)
    }

    /// Removes the batch if none of its tasks is among `remaining`.
    pub fn delete_empty_batch(
        &mut self,
        uid: BatchUid,
        remaining: &RoaringBitmap,
    ) -> Result<(), QueueError> {
        let head = {
            let Some(bytes) = self.batches.get(uid)? else { return Ok(()) };
            if !record::read_batch_tasks(uid, bytes.value())?.is_disjoint(remaining) {
                return Ok(());
            }
            self.effects.bytes -= bytes.value().len() as i64;
            BatchHead::read(uid, bytes.value())?
        };
        self.batches.remove(uid)?;
        self.effects.changes.push(Change::BatchDeleted(head));
        Ok(())
    }

    pub fn read_task(&self, uid: TaskUid) -> Result<Task, QueueError> {
        let bytes = self.tasks.get(uid)?;
        let bytes = bytes.ok_or_else(|| QueueError::damaged(format!("task {uid} is missing")))?;
        record::read_task(uid, bytes.value())
    }

    fn put_task(&mut self, task: &Task) -> Result<(), QueueError> {
        let bytes = record::write_task(task)?;
        self.effects.bytes += bytes.len() as i64;
        if let Some(replaced) = self.tasks.insert(task.uid, bytes.as_slice())? {
            self.effects.bytes -= replaced.value().len() as i64;
        }
        Ok(())
    }

    pub fn outbox(&mut self) -> Result<&mut OutboxTables<'txn>, QueueError> {
        if self.outbox.is_none() {
            self.outbox = Some(OutboxTables::open(self.transaction)?);
        }
        self.outbox.as_mut().ok_or(QueueError::Closed)
    }

    pub fn stash(&mut self) -> Result<&mut StashTable<'txn>, QueueError> {
        if self.stash.is_none() {
            self.stash = Some(stash::open(self.transaction)?);
        }
        self.stash.as_mut().ok_or(QueueError::Closed)
    }

    pub fn put_payload(&mut self, key: u128, bytes: &[u8]) -> Result<(), QueueError> {
        self.payloads.insert(key, bytes)?;
        self.effects.bytes += bytes.len() as i64;
        Ok(())
    }

    pub fn remove_payload(&mut self, payload: &PayloadId) -> Result<(), QueueError> {
        if let Some(key) = payload.database_key()
            && let Some(removed) = self.payloads.remove(key)?
        {
            self.effects.bytes -= removed.value().len() as i64;
        }
        self.effects.removed_payloads.push(*payload);
        Ok(())
    }
}

/// Returns the name of an index after all renames, if it changed.
fn new_name(name: &str, renames: &[Rename]) -> Option<String> {
    let mut current = name;
    for Rename { from, to, both_ways } in renames {
        if current == from {
            current = to;
        } else if *both_ways && current == to {
            current = from;
        }
    }
    (current != name).then(|| current.to_owned())
}
