//! Webhooks: their list, and the calls to them when tasks have finished. The opener of the engine
//! supplies the wire form of tasks.

mod body;
mod delivery;
mod options;
mod sender;
mod store;
#[cfg(test)]
mod tests;
mod webhook;

use std::sync::Arc;

use model::{Code, ServiceError};
use tasks::Queue;
use uuid::Uuid;

pub(crate) use delivery::Deliveries;
pub use options::{LaunchWebhook, TaskWriter, WebhookOptions};
pub(crate) use store::WebhookStore;
pub use webhook::{MAX_HEADERS, Webhook, WebhookChange};

/// Maximum of webhooks created through the API.
pub const MAX_WEBHOOKS: usize = 20;

/// The uuid of the webhook that the launch options name.
pub const LAUNCH_WEBHOOK: Uuid = Uuid::nil();

/// Webhooks of the instance.
#[derive(Debug)]
pub struct Webhooks {
    pub(crate) store: Arc<WebhookStore>,
    pub(crate) queue: Queue,
}

impl Webhooks {
    /// Returns all webhooks by uuid, that of the launch options first.
    pub fn list(&self) -> Vec<(Uuid, Arc<Webhook>)> {
        self.store.current().iter().map(|(uuid, hook)| (*uuid, Arc::clone(hook))).collect()
    }

    pub fn get(&self, uuid: Uuid) -> Result<Arc<Webhook>, ServiceError> {
        self.store.current().get(&uuid).cloned().ok_or_else(|| not_found(uuid))
    }

    pub fn create(&self, change: WebhookChange) -> Result<(Uuid, Arc<Webhook>), ServiceError> {
        let uuid = Uuid::new_v4();
        let webhook = self.store.update(&self.queue, |webhooks| {
            let made = webhooks.keys().filter(|uuid| **uuid != LAUNCH_WEBHOOK).count();
            if made >= MAX_WEBHOOKS {
                return Err(too_many());
            }
            Ok((uuid, Webhook::default().changed(uuid, change)?))
        })?;
        Ok((uuid, webhook))
    }

    pub fn change(&self, uuid: Uuid, change: WebhookChange) -> Result<Arc<Webhook>, ServiceError> {
        check_editable(uuid)?;
        self.store.update(&self.queue, |webhooks| {
            let webhook = webhooks.get(&uuid).ok_or_else(|| not_found(uuid))?;
            Ok((uuid, Webhook::clone(webhook).changed(uuid, change)?))
        })
    }

    pub fn delete(&self, uuid: Uuid) -> Result<(), ServiceError> {
        check_editable(uuid)?;
        if self.store.remove(&self.queue, uuid)? { Ok(()) } else { Err(not_found(uuid)) }
    }
}

/// Refuses changes of the launch options' webhook, which belongs to the operator, even if there is
/// none.
fn check_editable(uuid: Uuid) -> Result<(), ServiceError> {
    if uuid != LAUNCH_WEBHOOK {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::ImmutableWebhook,
        format!(
            "Webhook `{uuid}` is immutable. The webhook defined from the command line cannot be \
             modified using the API."
        ),
    ))
}

fn not_found(uuid: Uuid) -> ServiceError {
    ServiceError::new(Code::WebhookNotFound, format!("Webhook `{uuid}` not found."))
}

fn too_many() -> ServiceError {
    ServiceError::new(
        Code::InvalidWebhooks,
        format!(
            "Defining too many webhooks would crush the server. Please limit the number of \
             webhooks to {MAX_WEBHOOKS}. You may use a third-party proxy server to dispatch \
             events to more than {MAX_WEBHOOKS} endpoints."
        ),
    )
}
