//! All requests of one kind since the last time figures were sent, as figures.

use time::OffsetDateTime;

use crate::metrics::TextSet;
use crate::sheet::Sheet;

/// Names of clients, of one kind of request.
const MOST_AGENT_BYTES: usize = 16 << 10;
/// About what the names and numbers of one kind take when they are written.
const FIGURES_BYTES: usize = 2 << 10;
/// Stands for clients that do not say who they are.
const UNKNOWN: &str = "unknown";

/// What is counted of the requests of one kind.
pub(crate) trait Tally: Default {
    type Event;

    fn add(&mut self, event: Self::Event);

    fn tell(&self, sheet: &mut Sheet);

    /// What texts of clients take.
    fn text_bytes(&self) -> usize {
        0
    }
}

#[derive(Debug)]
pub(crate) struct Entry<T> {
    first: OffsetDateTime,
    received: u64,
    agents: TextSet<MOST_AGENT_BYTES>,
    tally: T,
}

impl<T: Tally> Entry<T> {
    pub fn new(first: OffsetDateTime) -> Self {
        Self { first, received: 0, agents: TextSet::default(), tally: T::default() }
    }

    pub fn add(&mut self, event: T::Event, agent: Option<&str>, at: OffsetDateTime) {
        self.first = self.first.min(at);
        self.received += 1;
        // Libraries on top of each other name themselves in one header.
        for name in agent.unwrap_or(UNKNOWN).split(';') {
            self.agents.add(name.trim());
        }
        self.tally.add(event);
    }

    pub fn first(&self) -> OffsetDateTime {
        self.first
    }

    pub fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.put(
            "user-agent",
            &self.agents,
            "The different values of `X-Meilisearch-Client`, or else of `User-Agent`.",
        );
        sheet.put("requests.total_received", self.received, "Requests of this kind.");
        self.tally.tell(&mut sheet);
        sheet
    }

    /// About how long the message will be.
    pub fn weight(&self) -> usize {
        FIGURES_BYTES + self.agents.bytes() + self.tally.text_bytes()
    }
}
