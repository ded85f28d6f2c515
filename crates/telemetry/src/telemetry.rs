//! The handle that requests hold.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use outbound::OutboundError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::events::Happened;
use crate::kinds::Event;
use crate::office::Office;
use crate::options::Options;

/// Names of clients are cut here already, so that a note is small whatever a request brings.
const MAX_AGENT_BYTES: usize = 512;

/// Cheap to clone. Off, it costs nothing.
#[derive(Clone, Default)]
pub struct Telemetry(Option<Arc<Office>>);

impl Telemetry {
    pub fn off() -> Self {
        Self(None)
    }

    /// Fails for a collector that has no address to send to.
    pub fn start(options: Options) -> Result<Self, OutboundError> {
        let is_first_launch = options.is_first_launch;
        let office = Office::open(options)?;
        if is_first_launch {
            office.announce();
            office.put(Event::Launched(Happened), None);
        }
        Ok(Self(Some(office)))
    }

    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub fn uid(&self) -> Option<Uuid> {
        self.0.as_ref().map(|office| office.uid)
    }

    /// Whether anything is ever sent.
    pub fn has_collector(&self) -> bool {
        self.0.as_ref().is_some_and(|office| office.has_collector)
    }

    /// Counts a request; `agent` is how its client names itself. Never waits for anything.
    pub fn record(&self, agent: Option<&[u8]>, event: impl FnOnce() -> Event) {
        if let Some(office) = &self.0 {
            office.put(event(), agent.and_then(short));
        }
    }

    /// Counts a request that takes a while once it has ended: as failed unless told otherwise.
    pub fn begin(&self, agent: Option<&[u8]>, event: impl FnOnce() -> Event) -> Running {
        let running = self.0.as_ref().map(|office| Begun {
            office: Arc::clone(office),
            agent: agent.and_then(short),
            event: event(),
            begun: Instant::now(),
        });
        Running(running)
    }

    /// Exactly what would be sent if it were sent now. Looks at the disk.
    pub fn preview(&self) -> Value {
        let bundles = self.0.as_ref().map(|office| office.bundles()).unwrap_or_default();
        let bundles: Vec<Value> =
            bundles.iter().filter_map(|bundle| serde_json::from_str(bundle).ok()).collect();
        json!({
            "enabled": self.is_on(),
            "hasCollector": self.has_collector(),
            "lostEvents": self.0.as_ref().map_or(0, |office| office.lost()),
            "bundles": bundles,
        })
    }
}

/// The text in a header, without what makes it long.
fn short(agent: &[u8]) -> Option<Box<str>> {
    let agent = &agent[..agent.len().min(MAX_AGENT_BYTES)];
    match str::from_utf8(agent) {
        Ok(text) => Some(text.into()),
        // Cut within a letter, or no text at all from some point on.
        Err(error) => str::from_utf8(&agent[..error.valid_up_to()]).ok().map(Into::into),
    }
}

/// Without the address of the collector, which may hold a key.
impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry")
            .field("is_on", &self.is_on())
            .field("has_collector", &self.has_collector())
            .finish()
    }
}

/// A request that is being answered. Dropped, it counts as failed.
#[derive(Debug)]
pub struct Running(Option<Begun>);

struct Begun {
    office: Arc<Office>,
    agent: Option<Box<str>>,
    event: Event,
    begun: Instant,
}

impl Running {
    pub fn succeeded(self) {
        self.answered(false);
    }

    /// Answered, perhaps with less than there is because time ran out.
    pub fn answered(mut self, degraded: bool) {
        if let Some(begun) = self.0.take() {
            begun.end(true, degraded);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(begun) = self.0.take() {
            begun.end(false, false);
        }
    }
}

impl Begun {
    fn end(mut self, succeeded: bool, degraded: bool) {
        self.event.end(succeeded, degraded, self.begun.elapsed());
        self.office.put(self.event, self.agent);
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Begun").field("event", &self.event).finish_non_exhaustive()
    }
}
