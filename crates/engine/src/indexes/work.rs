//! Making and changing indexes: what a batch or a change of the network needs beside their writers.

use std::sync::Arc;

use index::Index;
use model::ServiceError;
use tasks::{Queue, RegistryUpdate};

use super::background::Background;
use super::instance::Instance;
use super::registry::{Registry, RegistryEdit};

#[derive(Debug, Clone)]
pub struct IndexWork {
    instance: Arc<Instance>,
    queue: Queue,
    background: Background,
}

impl IndexWork {
    pub fn new(instance: Arc<Instance>, queue: Queue, background: Background) -> Self {
        Self { instance, queue, background }
    }

    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Schedules merges of a changed index where its segments are worth merging.
    pub fn consider(&self, index: &Arc<Index>) {
        self.background.consider(index);
    }

    /// A change of the registry that stands or falls with a transaction of the queue.
    pub fn registry_update(&self, edits: Vec<RegistryEdit>) -> RegistryUpdate {
        let (instance, background) = (Arc::clone(&self.instance), self.background.clone());
        let durable = edits.clone();
        RegistryUpdate::new(move |transaction| Registry::write(&durable, transaction))
            .and_then(move || background.remove_folders(instance.registry_changed(&edits)))
    }

    /// The index of this name, created now when it is absent and may be. That it stays even if the
    /// batch then fails is part of the contract.
    pub fn index_or_create(&self, uid: &str, may_create: bool) -> Result<Arc<Index>, ServiceError> {
        if let Some(index) = self.instance.find(uid)? {
            return Ok(index);
        }
        if !may_create {
            return Err(ServiceError::index_not_found(uid));
        }
        let (id, index) = self.instance.create_folder()?;
        let edits = vec![RegistryEdit::Add { uid: uid.to_owned(), id }];
        self.queue.transact(self.registry_update(edits))?;
        Ok(index)
    }
}
