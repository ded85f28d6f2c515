//! A new task for the queue.

use crate::store::payloads::SealedPayload;
use crate::task::content::Content;
use crate::task::network::TaskNetwork;
use crate::task::registry_update::RegistryUpdate;

/// The content of a task, and what only its request knows.
#[derive(Debug)]
pub struct NewTask {
    pub content: Content,
    pub custom_metadata: Option<String>,
    pub payload: Option<SealedPayload>,
    pub network: Option<TaskNetwork>,
    /// Written in the transaction that enqueues the task.
    pub registry: Option<RegistryUpdate>,
}

impl NewTask {
    pub fn new(content: Content) -> Self {
        Self { content, custom_metadata: None, payload: None, network: None, registry: None }
    }

    #[must_use]
    pub fn with_metadata(mut self, custom_metadata: Option<String>) -> Self {
        self.custom_metadata = custom_metadata;
        self
    }

    /// Attaches the sealed body that `content` names.
    #[must_use]
    pub fn with_payload(mut self, payload: SealedPayload) -> Self {
        self.payload = Some(payload);
        self
    }

    /// Marks the task as shared with other instances. A task from another instance is taken once:
    /// when it comes again, the answer is the task that is there already.
    #[must_use]
    pub fn with_network(mut self, network: Option<TaskNetwork>) -> Self {
        self.network = network;
        self
    }

    #[must_use]
    pub fn with_registry(mut self, registry: RegistryUpdate) -> Self {
        self.registry = Some(registry);
        self
    }
}
