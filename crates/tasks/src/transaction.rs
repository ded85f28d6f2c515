//! The writes of one transaction: records put and removed, and the list of changes to make in
//! memory once it is committed. Decides nothing about when to commit.

use redb::{ReadableTable, Table, WriteTransaction};
use roaring::RoaringBitmap;

use crate::error::QueueError;
use crate::payloads::{PayloadId, SealedPayload};
use crate::record::{self, BatchHead, BatchRecord, TaskHead};
use crate::runner::Rename;
use crate::state::Change;
use crate::store::{BATCHES, META, NEXT_BATCH_UID_KEY, PAYLOADS, TASKS};
use crate::task::{BatchUid, Task, TaskUid};

/// What a committed transaction means for memory and for the payload folder.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub changes: Vec<Change>,
    /// How much larger, or smaller, the stored records became.
    pub bytes: i64,
    pub removed_payloads: Vec<PayloadId>,
}

pub(crate) struct Tables<'txn> {
    tasks: Table<'txn, u32, &'static [u8]>,
    batches: Table<'txn, u32, &'static [u8]>,
    payloads: Table<'txn, u128, &'static [u8]>,
    meta: Table<'txn, &'static str, u64>,
    pub effects: Effects,
}

impl<'txn> Tables<'txn> {
    pub fn open(transaction: &'txn WriteTransaction) -> Result<Self, QueueError> {
        Ok(Self {
            tasks: transaction.open_table(TASKS)?,
            batches: transaction.open_table(BATCHES)?,
            payloads: transaction.open_table(PAYLOADS)?,
            meta: transaction.open_table(META)?,
            effects: Effects::default(),
        })
    }

    pub fn enqueue(
        &mut self,
        task: &Task,
        payload: Option<&SealedPayload>,
    ) -> Result<(), QueueError> {
        if let Some((key, bytes)) = payload.and_then(SealedPayload::database_entry) {
            self.payloads.insert(key, bytes)?;
            self.effects.bytes += bytes.len() as i64;
        }
        self.put_task(task)?;
        self.effects.changes.push(Change::Enqueued(task.clone()));
        Ok(())
    }

    /// Writes tasks that are finished or canceled; their bodies are no longer needed.
    pub fn finish(&mut self, tasks: Vec<Task>) -> Result<(), QueueError> {
        for task in tasks {
            self.put_task(&task)?;
            if let Some(payload) = task.content.payload() {
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
        let stored = self.meta.get(NEXT_BATCH_UID_KEY)?.map_or(0, |next| next.value());
        let next = stored.max(u64::from(uid) + 1);
        self.meta.insert(NEXT_BATCH_UID_KEY, next)?;
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

    fn remove_payload(&mut self, payload: &PayloadId) -> Result<(), QueueError> {
        if let Some(key) = payload.database_key()
            && let Some(removed) = self.payloads.remove(key)?
        {
            self.effects.bytes -= removed.value().len() as i64;
        }
        self.effects.removed_payloads.push(*payload);
        Ok(())
    }
}

/// The name an index has after all renames, if it changed.
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
