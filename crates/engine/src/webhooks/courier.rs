//! Carries parcels to one webhook, one after the other and each a bounded number of times. Which
//! URL and headers it has is looked up for each call, so that a change counts at once.

use std::sync::Arc;
use std::time::Duration;

use outbound::{Call, Client};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::options::WebhookOptions;
use super::parcel::Parcel;
use super::store::WebhookStore;
use super::webhook::Webhook;

/// What an answer says is of no interest.
const MOST_OF_ANSWER: usize = 1 << 20;
/// A receiver that asks for more time gets at most this.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

pub(super) struct Courier {
    pub uuid: Uuid,
    pub client: Client,
    pub store: Arc<WebhookStore>,
    pub options: Arc<WebhookOptions>,
}

/// How a call ended that did not deliver.
struct Failure {
    why: String,
    /// Whether the same call may succeed later, and how long the receiver asks to wait.
    is_transient: bool,
    retry_after: Option<Duration>,
}

impl Courier {
    /// Ends when nothing more will come.
    pub async fn work(self, mut parcels: mpsc::Receiver<Arc<Parcel>>) {
        while let Some(parcel) = parcels.recv().await {
            self.deliver(&parcel).await;
        }
    }

    async fn deliver(&self, parcel: &Parcel) {
        let (uuid, batch) = (self.uuid, parcel.batch);
        for attempt in 0.. {
            // Deleted meanwhile: nobody wants to know.
            let Some(webhook) = self.store.current().get(&uuid).cloned() else { return };
            let Err(failure) = self.call(&webhook, parcel).await else { return };
            let delay = self.options.retry_delays.get(attempt).filter(|_| failure.is_transient);
            let Some(&delay) = delay else {
                tracing::error!(%uuid, batch, "the webhook was not told of the batch: {}", failure.why);
                return;
            };
            tracing::warn!(%uuid, batch, "the webhook could not be told of the batch yet: {}", failure.why);
            let asked = failure.retry_after.unwrap_or_default().min(LONGEST_DELAY);
            tokio::time::sleep(delay.max(asked)).await;
        }
    }

    async fn call(&self, webhook: &Webhook, parcel: &Parcel) -> Result<(), Failure> {
        let mut call = Call::post(&webhook.url, parcel.body.clone(), self.options.timeout)
            .header("Content-Type", "application/x-ndjson")
            .header("Content-Encoding", "gzip")
            .header("Accept-Encoding", "gzip");
        call.max_answer_bytes = MOST_OF_ANSWER;
        for (name, value) in &webhook.headers {
            call = call.header(name, value.expose());
        }
        let answer = self.client.send(&call).await.map_err(|error| Failure {
            why: error.to_string(),
            is_transient: error.is_transient(),
            retry_after: None,
        })?;
        match answer.status {
            0..400 => Ok(()),
            status => Err(Failure {
                why: format!("it answered {status}"),
                is_transient: matches!(status, 408 | 425 | 429 | 500..),
                retry_after: answer.retry_after,
            }),
        }
    }
}
