//! A task as it is handed to the queue.

use crate::store::payloads::SealedPayload;
use crate::task::content::Content;
use crate::task::network::TaskNetwork;
use crate::task::registry_update::RegistryUpdate;

/// The content, and what only a request knows.
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

    /// The sealed body that `content` names.
    #[must_use]
    pub fn with_payload(mut self, payload: SealedPayload) -> Self {
        self.payload = Some(payload);
        self
    }

    /// The same task is, or is to be, on other instances. One that came from another is taken
    /// once: when it comes again, it is answered with the task that is there already.
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
