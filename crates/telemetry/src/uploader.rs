//! Sending bundles to a collector. Nobody waits for it, and what cannot be sent is given up after
//! a few attempts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use outbound::{AddressPolicy, Answer, Call, Client, OutboundError, Pending};

const MAX_ANSWER_BYTES: usize = 64 << 10;

/// How patient sending is.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    pub timeout: Duration,
    /// The pauses before a second attempt and further ones.
    pub pauses: Vec<Duration>,
}

impl Default for Patience {
    fn default() -> Self {
        let pauses = vec![Duration::from_secs(5), Duration::from_secs(30)];
        Self { timeout: Duration::from_secs(10), pauses }
    }
}

pub(crate) struct Post {
    client: Client,
    url: Arc<str>,
    patience: Patience,
    under_way: Option<(Pending<()>, Arc<AtomicBool>)>,
}

impl Post {
    /// The operator names the collector, so it may be anywhere.
    pub fn new(url: &str, patience: Patience) -> Result<Self, OutboundError> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(OutboundError::BadUrl("it must begin with http:// or https://".to_owned()));
        }
        let client = Client::new(AddressPolicy::Any)?;
        Ok(Self { client, url: url.into(), patience, under_way: None })
    }

    pub fn is_busy(&self) -> bool {
        self.under_way.as_ref().is_some_and(|(_, done)| !done.load(Ordering::Acquire))
    }

    /// Sends in the background. Must not be called while it is busy, or that is lost.
    pub fn send(&mut self, bundles: Vec<String>) {
        let done = Arc::new(AtomicBool::new(false));
        let (client, url) = (self.client.clone(), Arc::clone(&self.url));
        let (patience, told) = (self.patience.clone(), Arc::clone(&done));
        let sending = self.client.start(async move {
            for bundle in bundles {
                deliver(&client, &url, bundle, &patience).await;
            }
            told.store(true, Ordering::Release);
        });
        self.under_way = sending.map(|pending| (pending, done));
    }
}

async fn deliver(client: &Client, url: &str, bundle: String, patience: &Patience) {
    let mut call =
        Call::post(url, bundle, patience.timeout).header("Content-Type", "application/json");
    call.max_answer_bytes = MAX_ANSWER_BYTES;
    let mut pauses = patience.pauses.iter();
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
