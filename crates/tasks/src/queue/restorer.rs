//! Fills the tables of a new queue with tasks, bodies and batches of another one before it is
//! opened. Uids stay as they were.

use std::collections::HashMap;
use std::fmt;
use std::io::Write;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;

use redb::Database;

use super::queue_snapshot::StoredBatch;
use crate::store::options::Options;
use crate::store::payloads::{PayloadStore, PayloadWriter};
use crate::store::record;
use crate::store::schema::{BATCHES, META, PAYLOADS, TASKS};
use crate::store::task_store;
use crate::task::Task;
use crate::task::content::Content;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::payload_id::PayloadId;
use crate::task::task_type::Status;

/// Bytes to collect before they are written.
const GROUP_BYTES: usize = 4 << 20;

pub struct Restorer {
    database: Arc<Database>,
    payloads: PayloadStore,
    /// Bodies received ahead of their tasks.
    bodies: HashMap<TaskUid, PayloadId>,
    group: Group,
}

#[derive(Default)]
struct Group {
    tasks: Vec<(u32, Vec<u8>)>,
    batches: Vec<(u32, Vec<u8>)>,
    payloads: Vec<(u128, Vec<u8>)>,
    bytes: usize,
}

impl Restorer {
    pub fn open(
        database: Arc<Database>,
        payload_folder: impl Into<PathBuf>,
    ) -> Result<Self, QueueError> {
        task_store::prepare(&database)?;
        let largest = Options::default().largest_payload_in_database;
        let live = Arc::clone(&database).into();
        let payloads = PayloadStore::open(payload_folder.into(), live, largest)?;
        Ok(Self { database, payloads, bodies: HashMap::new(), group: Group::default() })
    }

    /// Stores the body of a task, which must come before the task: `fill` writes it.
    pub fn payload<E: From<QueueError>>(
        &mut self,
        uid: TaskUid,
        fill: impl FnOnce(&mut PayloadWriter) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut writer = self.payloads.writer();
        fill(&mut writer)?;
        writer.flush().map_err(|source| QueueError::Payload {
            path: PathBuf::from(format!("of task {uid}")),
            source,
        })?;
        let sealed = writer.finish()?.seal()?;
        if let Some((key, bytes)) = sealed.database_entry() {
            self.group.bytes += bytes.len();
            self.group.payloads.push((key, bytes.to_vec()));
        }
        self.bodies.insert(uid, sealed.id());
        sealed.keep();
        Ok(self.write_if_full()?)
    }

    /// Stores a task. Returns false if it waits and its body is missing: it cannot run.
    pub fn task(&mut self, mut task: Task) -> Result<bool, QueueError> {
        let is_waiting = task.status == Status::Enqueued;
        if let Content::DocumentAdditionOrUpdate { payload, .. } = &mut task.content {
            match self.bodies.remove(&task.uid) {
                Some(body) if is_waiting => *payload = body,
                None if is_waiting => return Ok(false),
                // The body of a finished task is never read.
                _ => *payload = PayloadId::empty(),
            }
        }
        if !is_waiting {
            task.content.forget_work();
        }
        let bytes = record::write_task(&task)?;
        self.group.bytes += bytes.len();
        self.group.tasks.push((task.uid, bytes));
        self.write_if_full()?;
        Ok(true)
    }

    pub fn batch(&mut self, batch: StoredBatch) -> Result<(), QueueError> {
        let uid = batch.uid;
        let bytes = record::write_batch(&batch.into_record())?;
        self.group.bytes += bytes.len();
        self.group.batches.push((uid, bytes));
        self.write_if_full()
    }

    /// Makes everything durable.
    pub fn finish(mut self) -> Result<(), QueueError> {
        self.write()
    }

    fn write_if_full(&mut self) -> Result<(), QueueError> {
        if self.group.bytes < GROUP_BYTES { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<(), QueueError> {
        let Group { tasks, batches, payloads, .. } = mem::take(&mut self.group);
        let transaction = self.database.begin_write()?;
        {
            let mut table = transaction.open_table(PAYLOADS)?;
            for (key, bytes) in payloads {
                table.insert(key, bytes.as_slice())?;
            }
            let mut table = transaction.open_table(TASKS)?;
            for (uid, bytes) in tasks {
                if table.insert(uid, bytes.as_slice())?.is_some() {
                    return Err(QueueError::damaged(format!("task {uid} is there twice")));
                }
            }
            let mut table = transaction.open_table(BATCHES)?;
            let mut meta = transaction.open_table(META)?;
            for (uid, bytes) in batches {
                table.insert(uid, bytes.as_slice())?;
                task_store::note_batch_uid(&mut meta, uid)?;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

impl fmt::Debug for Restorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restorer").field("bodies", &self.bodies.len()).finish_non_exhaustive()
    }
}
