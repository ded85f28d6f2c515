//! Uploads batches to a collector in the background, and gives up after a few attempts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use outbound::{AddressPolicy, Answer, BackgroundTask, Call, Client, OutboundError};

const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Timeout and pauses of attempts.
#[derive(Debug, Clone)]
pub(crate) struct Timeouts {
    pub timeout: Duration,
    /// Pauses before the second and further attempts.
    pub pauses: Vec<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        let pauses = vec![Duration::from_secs(5), Duration::from_secs(30)];
        Self { timeout: Duration::from_secs(10), pauses }
    }
}

pub(crate) struct Uploader {
    client: Client,
    url: Arc<str>,
    timeouts: Timeouts,
    under_way: Option<(BackgroundTask<()>, Arc<AtomicBool>)>,
}

impl Uploader {
    /// Creates an uploader. The operator chooses the collector, so any address is allowed.
    pub fn new(url: &str, timeouts: Timeouts) -> Result<Self, OutboundError> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(OutboundError::BadUrl("it must begin with http:// or https://".to_owned()));
        }
        let client = Client::new(AddressPolicy::Any)?;
        Ok(Self { client, url: url.into(), timeouts, under_way: None })
    }

    pub fn is_busy(&self) -> bool {
        self.under_way.as_ref().is_some_and(|(_, done)| !done.load(Ordering::Acquire))
    }

    /// Sends in the background. While it is busy, a call loses the batches under way.
    pub fn send(&mut self, batches: Vec<String>) {
        let done = Arc::new(AtomicBool::new(false));
        let (client, url) = (self.client.clone(), Arc::clone(&self.url));
        let (timeouts, told) = (self.timeouts.clone(), Arc::clone(&done));
        let sending = self.client.start(async move {
            for batch in batches {
                deliver(&client, &url, batch, &timeouts).await;
            }
            told.store(true, Ordering::Release);
        });
        self.under_way = sending.map(|pending| (pending, done));
    }
}

async fn deliver(client: &Client, url: &str, batch: String, timeouts: &Timeouts) {
    let mut call =
        Call::post(url, batch, timeouts.timeout).header("Content-Type", "application/json");
    call.max_answer_bytes = MAX_ANSWER_BYTES;
    let mut pauses = timeouts.pauses.iter();
    while may_succeed_later(&client.send(&call).await) {
        let Some(&pause) = pauses.next() else { return };
        tokio::time::sleep(pause).await;
    }
}

fn may_succeed_later(answer: &Result<Answer, OutboundError>) -> bool {
    match answer {
        Ok(answer) => answer.status == 429 || answer.status >= 500,
        Err(error) => error.is_transient(),
    }
}
