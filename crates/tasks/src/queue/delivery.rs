//! Handing tasks on: for each instance that is to take them, one after the other, until it says
//! what it made of them. What is kept for it outlives restarts, and the history of tasks too.

use std::time::Instant;

use model::{Code, ServiceError};
use redb::ReadableDatabase;

use super::Queue;
use crate::store::payloads::PayloadBytes;
use crate::store::record;
use crate::store::schema::OUTBOX;
use crate::task::Task;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::network::RemoteTask;

/// The next task that an instance is to take.
#[derive(Debug)]
pub struct Delivery {
    /// As it was enqueued, whatever has become of it since.
    pub task: Task,
    pub payload: Option<PayloadBytes>,
}

impl Queue {
    /// The oldest task that the recipient has not taken.
    pub fn next_delivery(&self, recipient: &str) -> Result<Option<Delivery>, ServiceError> {
        let next = self.core().state.read().outbox.next(recipient);
        match next {
            Some(uid) => Ok(self.delivery(uid)?),
            None => Ok(None),
        }
    }

    fn delivery(&self, uid: TaskUid) -> Result<Option<Delivery>, QueueError> {
        let database = self.core().database.now();
        let table = database.begin_read()?.open_table(OUTBOX)?;
        let task = match table.get(uid)? {
            Some(bytes) => record::read_task(uid, bytes.value())?,
            None => return Ok(None),
        };
        let payload = task.content.payload();
        let payload = payload.map(|payload| self.payloads().open_payload(payload)).transpose()?;
        Ok(Some(Delivery { task, payload }))
    }

    /// The recipient took the task, or refused it for good. It is shown in the task, durably, and
    /// the next one is its turn.
    pub fn delivered(
        &self,
        recipient: &str,
        uid: TaskUid,
        outcome: RemoteTask,
    ) -> Result<(), ServiceError> {
        let recipient = recipient.to_owned();
        self.amend(move |tables| {
            tables.show_delivery(&recipient, uid, outcome)?;
            tables.strike(&recipient, uid)
        })
    }

    /// Why the recipient has not taken the task so far: shown in the task until it has.
    pub fn delivery_failed(
        &self,
        recipient: &str,
        uid: TaskUid,
        error: ServiceError,
    ) -> Result<(), ServiceError> {
        let recipient = recipient.to_owned();
        let outcome = RemoteTask { task_uid: None, error: Some(error) };
        self.amend(move |tables| match tables.outbox()?.waits(&recipient, uid)? {
            true => tables.show_delivery(&recipient, uid, outcome),
            // It was given up meanwhile.
            false => Ok(()),
        })
    }

    /// The recipient is gone for good: nothing is kept for it.
    pub fn forget_recipient(&self, recipient: &str) -> Result<(), ServiceError> {
        let tasks: Vec<TaskUid> = self.core().state.read().outbox.of(recipient).collect();
        if tasks.is_empty() {
            return Ok(());
        }
        let recipient = recipient.to_owned();
        self.amend(move |tables| {
            let error = ServiceError::new(
                Code::RemoteCouldNotSendRequest,
                "The remote left the network before it took the task.",
            );
            let outcome = RemoteTask { task_uid: None, error: Some(error) };
            for uid in tasks {
                tables.show_delivery(&recipient, uid, outcome.clone())?;
                tables.strike(&recipient, uid)?;
            }
            Ok(())
        })
    }

    /// Everybody who has something to take, and how much.
    pub fn recipients(&self) -> Vec<(String, usize)> {
        let state = self.core().state.read();
        state.outbox.recipients().map(|(name, tasks)| (name.to_owned(), tasks)).collect()
    }

    /// Counts what may have given somebody something to take. To be read before looking.
    pub fn delivery_generation(&self) -> u64 {
        self.core().deliveries.generation()
    }

    /// Waits until there may be more to take than when `seen` was read, or until the deadline.
    pub fn wait_for_deliveries(&self, seen: u64, deadline: Option<Instant>) {
        self.core().deliveries.wait(seen, deadline);
    }

    /// Wakes all who wait for deliveries.
    pub fn wake_delivery_waiters(&self) {
        self.core().deliveries.raise();
    }
}
