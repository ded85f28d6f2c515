//! Sends bodies to one webhook, one after the other and each a bounded number of times. URL and
//! headers are looked up for each call, so that a change counts at once.

use std::sync::Arc;
use std::time::Duration;

use outbound::{Call, Client};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::body::WebhookBody;
use super::options::WebhookOptions;
use super::store::WebhookStore;
use super::webhook::Webhook;

/// Limit of an answer, which is ignored.
const MOST_OF_ANSWER: usize = 1 << 20;
/// Longest delay that a receiver can ask for.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

pub(super) struct WebhookSender {
    pub uuid: Uuid,
    pub client: Client,
    pub store: Arc<WebhookStore>,
    pub options: Arc<WebhookOptions>,
}

/// Error of a call to a webhook.
struct DeliveryError {
    why: String,
    /// True if a retry may succeed, and how long the receiver asks to wait.
    is_transient: bool,
    retry_after: Option<Duration>,
}

impl WebhookSender {
    /// Sends bodies until the channel is closed.
    pub async fn work(self, mut bodies: mpsc::Receiver<Arc<WebhookBody>>) {
        while let Some(body) = bodies.recv().await {
            self.deliver(&body).await;
        }
    }

    async fn deliver(&self, body: &WebhookBody) {
        let (uuid, batch) = (self.uuid, body.batch);
        for attempt in 0.. {
            // Deleted meanwhile.
            let Some(webhook) = self.store.current().get(&uuid).cloned() else { return };
            let Err(error) = self.call(&webhook, body).await else { return };
            let delay = self.options.retry_delays.get(attempt).filter(|_| error.is_transient);
            let Some(&delay) = delay else {
                tracing::error!(%uuid, batch, "the webhook did not receive the batch: {}", error.why);
                return;
            };
            tracing::warn!(%uuid, batch, "the webhook could not be called yet for the batch: {}", error.why);
            let asked = error.retry_after.unwrap_or_default().min(LONGEST_DELAY);
            tokio::time::sleep(delay.max(asked)).await;
        }
    }

    async fn call(&self, webhook: &Webhook, body: &WebhookBody) -> Result<(), DeliveryError> {
        let mut call = Call::post(&webhook.url, body.bytes.clone(), self.options.timeout)
            .header("Content-Type", "application/x-ndjson")
            .header("Content-Encoding", "gzip")
            .header("Accept-Encoding", "gzip");
        call.max_answer_bytes = MOST_OF_ANSWER;
        for (name, value) in &webhook.headers {
            call = call.header(name, value.expose());
        }
        let answer = self.client.send(&call).await.map_err(|error| DeliveryError {
            why: error.to_string(),
            is_transient: error.is_transient(),
            retry_after: None,
        })?;
        match answer.status {
            0..400 => Ok(()),
            status => Err(DeliveryError {
                why: format!("it answered {status}"),
                is_transient: matches!(status, 408 | 425 | 429 | 500..),
                retry_after: answer.retry_after,
            }),
        }
    }
}
