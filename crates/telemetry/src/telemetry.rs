//! The handle that requests use.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use outbound::OutboundError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::event::{Event, LAUNCHED};
use crate::options::Options;
use crate::reading::RequestOutcome;
use crate::recorder::Recorder;

/// Most bytes of a client name, so that a buffered event is small whatever a request brings.
const MAX_AGENT_BYTES: usize = 512;

/// Telemetry handle. Cheap to clone; when off, it costs nothing.
#[derive(Clone, Default)]
pub struct Telemetry(Option<Arc<Recorder>>);

impl Telemetry {
    pub fn off() -> Self {
        Self(None)
    }

    /// Starts telemetry; fails if the collector has no usable address.
    pub fn start(options: Options) -> Result<Self, OutboundError> {
        let is_first_launch = options.is_first_launch;
        let recorder = Recorder::open(options)?;
        if is_first_launch {
            recorder.announce();
            recorder.put(Event::new(&LAUNCHED), None);
        }
        Ok(Self(Some(recorder)))
    }

    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub fn uid(&self) -> Option<Uuid> {
        self.0.as_ref().map(|recorder| recorder.uid)
    }

    /// Returns whether anything is ever sent.
    pub fn has_collector(&self) -> bool {
        self.0.as_ref().is_some_and(|recorder| recorder.has_collector)
    }

    /// Counts a request; `agent` is the client's name. Never waits.
    pub fn record(&self, agent: Option<&[u8]>, event: impl FnOnce() -> Event) {
        if let Some(recorder) = &self.0 {
            recorder.put(event(), agent.and_then(short));
        }
    }

    /// Counts a timed request once it has ended: as failed unless marked otherwise.
    pub fn begin(&self, agent: Option<&[u8]>, event: impl FnOnce() -> Event) -> PendingRequest {
        let running = self.0.as_ref().map(|recorder| RequestStart {
            recorder: Arc::clone(recorder),
            agent: agent.and_then(short),
            event: event(),
            begun: Instant::now(),
        });
        PendingRequest(running)
    }

    /// Returns exactly what would be sent now. Reads the disk.
    pub fn preview(&self) -> Value {
        let batches = self.0.as_ref().map(|recorder| recorder.batches()).unwrap_or_default();
        let batches: Vec<Value> =
            batches.iter().filter_map(|batch| serde_json::from_str(batch).ok()).collect();
        json!({
            "enabled": self.is_on(),
            "hasCollector": self.has_collector(),
            "lostEvents": self.0.as_ref().map_or(0, |recorder| recorder.lost()),
            "bundles": batches,
        })
    }
}

/// Returns the header's text, shortened.
fn short(agent: &[u8]) -> Option<Box<str>> {
    let agent = &agent[..agent.len().min(MAX_AGENT_BYTES)];
    match str::from_utf8(agent) {
        Ok(text) => Some(text.into()),
        // Cut within a letter, or no text from some point on.
        Err(error) => str::from_utf8(&agent[..error.valid_up_to()]).ok().map(Into::into),
    }
}

/// Hides the collector's address, which may hold a key.
impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry")
            .field("is_on", &self.is_on())
            .field("has_collector", &self.has_collector())
            .finish()
    }
}

/// A request in progress. Dropped, it counts as failed.
#[derive(Debug)]
pub struct PendingRequest(Option<RequestStart>);

struct RequestStart {
    recorder: Arc<Recorder>,
    agent: Option<Box<str>>,
    event: Event,
    begun: Instant,
}

impl PendingRequest {
    pub fn succeeded(self) {
        self.answered(false);
    }

    /// Marks the request as answered, perhaps incompletely because time ran out.
    pub fn answered(mut self, degraded: bool) {
        if let Some(begun) = self.0.take() {
            begun.end(true, degraded);
        }
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if let Some(begun) = self.0.take() {
            begun.end(false, false);
        }
    }
}

impl RequestStart {
    fn end(mut self, succeeded: bool, degraded: bool) {
        let elapsed = self.begun.elapsed();
        self.event.outcome = Some(RequestOutcome { succeeded, degraded, elapsed });
        self.recorder.put(self.event, self.agent);
    }
}

impl fmt::Debug for RequestStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestStart").field("event", &self.event).finish_non_exhaustive()
    }
}
