//! Delivers tasks to other instances, for each of them one after the other, until it answers what
//! it made of them. Pending deliveries outlive restarts, and the history of tasks too.

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

/// The next task to deliver to an instance.
#[derive(Debug)]
pub struct Delivery {
    /// The task as it was enqueued, whatever has become of it since.
    pub task: Task,
    pub payload: Option<PayloadBytes>,
}

impl Queue {
    /// Returns the oldest task that the recipient has not taken.
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

    /// Records durably, and shows in the task, that the recipient took it or refused it for good;
    /// the next task follows.
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

    /// Shows in the task why the recipient has not taken it, until it has.
    pub fn delivery_failed(
        &self,
        recipient: &str,
        uid: TaskUid,
        error: ServiceError,
    ) -> Result<(), ServiceError> {
        let recipient = recipient.to_owned();
        let outcome = RemoteTask { task_uid: None, error: Some(error) };
        self.amend(move |tables| {
            // The delivery may have been given up meanwhile.
            if !tables.outbox()?.waits(&recipient, uid)? {
                return Ok(());
            }
            tables.show_delivery(&recipient, uid, outcome)
        })
    }

    /// Drops all deliveries to a recipient that is gone for good.
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

    /// Returns the recipients with pending deliveries, and how many.
    pub fn recipients(&self) -> Vec<(String, usize)> {
        let state = self.core().state.read();
        state.outbox.recipients().map(|(name, tasks)| (name.to_owned(), tasks)).collect()
    }

    /// Returns the generation of the delivery signal; read it before looking for deliveries.
    pub fn delivery_generation(&self) -> u64 {
        self.core().deliveries.generation()
    }

    /// Waits until there may be more deliveries than when `seen` was read, or until the deadline.
    pub fn wait_for_deliveries(&self, seen: u64, deadline: Option<Instant>) {
        self.core().deliveries.wait(seen, deadline);
    }

    /// Wakes all threads that wait for deliveries.
    pub fn wake_delivery_waiters(&self) {
        self.core().deliveries.raise();
    }
}
