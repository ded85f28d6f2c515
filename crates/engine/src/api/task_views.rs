//! Tasks and batches as far as the caller may see them.

use auth::Access;
use model::ServiceError;
use tasks::{BatchView, Events, Query, Task, Visibility};

use super::Engine;

impl Engine {
    pub fn task(&self, access: &Access, uid: u32) -> Result<Task, ServiceError> {
        seen_by(access, |visible| self.queue.task(uid, visible))
    }

    pub fn tasks(&self, access: &Access, query: &Query) -> Result<tasks::Page<Task>, ServiceError> {
        seen_by(access, |visible| self.queue.tasks(query, visible))
    }

    pub fn batch(&self, access: &Access, uid: u32) -> Result<BatchView, ServiceError> {
        seen_by(access, |visible| self.queue.batch(uid, visible))
    }

    pub fn batches(
        &self,
        access: &Access,
        query: &Query,
    ) -> Result<tasks::Page<BatchView>, ServiceError> {
        seen_by(access, |visible| self.queue.batches(query, visible))
    }

    /// Returns the documents of an unfinished addition.
    pub fn task_documents(&self, access: &Access, uid: u32) -> Result<Vec<u8>, ServiceError> {
        let (task, payload) = seen_by(access, |visible| self.queue.payload_of(uid, visible))?;
        let tasks::Content::DocumentAdditionOrUpdate { format, .. } = &task.content else {
            return Err(ServiceError::internal("a payload of a task that is no addition"));
        };
        let mut documents = Vec::new();
        document::write_ndjson(*format, &payload, &mut documents)?;
        Ok(documents)
    }

    /// Subscribes to changes of tasks and batches.
    pub fn subscribe(&self) -> Events {
        self.queue.subscribe()
    }
}

/// Calls `look` with the visibility of the caller, which includes tasks of no index only for
/// unrestricted access.
pub(crate) fn seen_by<T>(access: &Access, look: impl FnOnce(Visibility<'_>) -> T) -> T {
    if access.is_to_all_indexes() { look(None) } else { look(Some(&|uid| access.is_to_index(uid))) }
}
