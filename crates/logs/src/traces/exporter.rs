//! Exports finished spans in batches, in the background. The queue is bounded: the service never
//! waits for a collector; spans that do not fit are lost and counted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc as blocking};
use std::time::{Duration, Instant};

use outbound::{AddressPolicy, BackgroundTask, Call, Client};
use tokio::sync::mpsc;
use tokio::time::timeout_at;
use url::Url;

use super::message;
use super::span::EndedSpan;
use crate::error::StartError;

/// Capacity of the span queue.
const CAPACITY: usize = 4096;
/// Most spans of one call, and how long one waits for others.
const MOST_AT_ONCE: usize = 512;
const INTERVAL: Duration = Duration::from_secs(2);
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait at the end of the process.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval between warnings about a collector that is away.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

enum ExportItem {
    Span(Box<EndedSpan>),
    /// Answered when everything before it was sent.
    Flush(blocking::SyncSender<()>),
}

/// Queue of finished spans.
#[derive(Debug, Clone)]
pub(crate) struct SpanQueue {
    sender: mpsc::Sender<ExportItem>,
    lost: Arc<AtomicU64>,
}

#[derive(Debug)]
pub(crate) struct Exporter {
    queue: SpanQueue,
    _running: Option<BackgroundTask<()>>,
}

impl Exporter {
    /// Starts the exporter. The operator chooses the collector, perhaps on this host; so its
    /// address is exempt from the rules for user-supplied URLs.
    pub fn start(collector: &str) -> Result<(Self, SpanQueue), StartError> {
        let url = endpoint(collector).ok_or_else(|| StartError::Collector(collector.to_owned()))?;
        let client = Client::new(AddressPolicy::Any)?;
        let (sender, receiver) = mpsc::channel(CAPACITY);
        let queue = SpanQueue { sender, lost: Arc::default() };
        let span_sender = SpanSender {
            client: client.clone(),
            url,
            lost: Arc::clone(&queue.lost),
            warned_at: None,
        };
        let running = client.start(span_sender.work(receiver));
        Ok((Self { queue: queue.clone(), _running: running }, queue))
    }

    pub fn flush(&self) {
        let (done, wait) = blocking::sync_channel(1);
        if self.queue.sender.try_send(ExportItem::Flush(done)).is_ok() {
            // A timeout is fine: the process ends.
            let _ = wait.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

impl SpanQueue {
    pub(super) fn put(&self, span: EndedSpan) {
        if self.sender.try_send(ExportItem::Span(Box::new(span))).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Returns the traces URL, given the collector's root or that URL itself.
fn endpoint(collector: &str) -> Option<String> {
    let url = Url::parse(collector).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let path = url.path().trim_end_matches('/');
    let mut whole = url.clone();
    if !path.ends_with("/v1/traces") {
        whole.set_path(&format!("{path}/v1/traces"));
    }
    Some(whole.into())
}

struct SpanSender {
    client: Client,
    url: String,
    lost: Arc<AtomicU64>,
    warned_at: Option<Instant>,
}

impl SpanSender {
    async fn work(mut self, mut items: mpsc::Receiver<ExportItem>) {
        while let Some(first) = items.recv().await {
            let (spans, flush) = gather(first, &mut items).await;
            if !spans.is_empty() {
                self.send(&spans).await;
            }
            if let Some(done) = flush {
                // The waiting caller may be gone.
                let _ = done.send(());
            }
        }
    }

    async fn send(&mut self, spans: &[EndedSpan]) {
        let call = Call::post(self.url.as_str(), message::export(spans), CALL_TIMEOUT)
            .header("Content-Type", "application/x-protobuf");
        let failure = match self.client.send(&call).await {
            Ok(answer) if (200..300).contains(&answer.status) => None,
            Ok(answer) => Some(format!("it answered {}", answer.status)),
            Err(error) => Some(error.to_string()),
        };
        if let Some(failure) = failure {
            self.lost.fetch_add(spans.len() as u64, Ordering::Relaxed);
            self.warn(&failure);
        }
    }

    fn warn(&mut self, failure: &str) {
        if self.warned_at.is_some_and(|last| last.elapsed() < WARNING_INTERVAL) {
            return;
        }
        self.warned_at = Some(Instant::now());
        let lost = self.lost.swap(0, Ordering::Relaxed);
        tracing::warn!("the collector of traces took nothing: {failure}; {lost} spans are lost");
    }
}

/// Collects the spans of one call.
async fn gather(
    first: ExportItem,
    items: &mut mpsc::Receiver<ExportItem>,
) -> (Vec<EndedSpan>, Option<blocking::SyncSender<()>>) {
    let until = tokio::time::Instant::now() + INTERVAL;
    let mut spans = Vec::new();
    let mut next = Some(first);
    loop {
        match next {
            Some(ExportItem::Span(span)) => spans.push(*span),
            Some(ExportItem::Flush(done)) => return (spans, Some(done)),
            None => return (spans, None),
        }
        if spans.len() >= MOST_AT_ONCE {
            return (spans, None);
        }
        next = timeout_at(until, items.recv()).await.ok().flatten();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_go_to_their_path_below_the_root() {
        for (given, expected) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://c.example/otlp/", "https://c.example/otlp/v1/traces"),
            ("https://c.example/v1/traces", "https://c.example/v1/traces"),
        ] {
            assert_eq!(endpoint(given).as_deref(), Some(expected));
        }
        for bad in ["localhost:4318", "", "ftp://c.example", "/v1/traces"] {
            assert_eq!(endpoint(bad), None, "{bad}");
        }
    }
}
