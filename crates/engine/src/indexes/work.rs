//! Creates and changes indexes: what a batch or a change of the network needs besides a writer.

use std::sync::Arc;

use index::Index;
use model::ServiceError;
use tasks::{Queue, RegistryUpdate};

use super::background::Background;
use super::catalog::Indexes;
use super::registry::{Registry, RegistryEdit};

#[derive(Debug, Clone)]
pub struct IndexWork {
    indexes: Arc<Indexes>,
    queue: Queue,
    background: Background,
}

impl IndexWork {
    pub fn new(indexes: Arc<Indexes>, queue: Queue, background: Background) -> Self {
        Self { indexes, queue, background }
    }

    pub fn indexes(&self) -> &Arc<Indexes> {
        &self.indexes
    }

    /// Schedules merges of a changed index where its segments are worth merging.
    pub fn schedule_merge(&self, index: &Arc<Index>) {
        self.background.schedule_merge(index);
    }

    /// Returns a change of the registry for a transaction of the queue.
    pub fn registry_update(&self, edits: Vec<RegistryEdit>) -> RegistryUpdate {
        let (indexes, background) = (Arc::clone(&self.indexes), self.background.clone());
        let durable = edits.clone();
        RegistryUpdate::new(move |transaction| Registry::write(&durable, transaction))
            .and_then(move || background.remove_folders(indexes.registry_changed(&edits)))
    }

    /// Returns the index of this name, created if missing and allowed. The wire contract keeps it
    /// even if the batch then fails.
    pub fn index_or_create(&self, uid: &str, may_create: bool) -> Result<Arc<Index>, ServiceError> {
        if let Some(index) = self.indexes.find(uid)? {
            return Ok(index);
        }
        if !may_create {
            return Err(ServiceError::index_not_found(uid));
        }
        let (id, index) = self.indexes.create_folder()?;
        let edits = vec![RegistryEdit::Add { uid: uid.to_owned(), id }];
        self.queue.transact(self.registry_update(edits))?;
        Ok(index)
    }
}
