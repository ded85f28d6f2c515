//! Totals of all requests of one kind since figures were last sent.

use time::OffsetDateTime;

use crate::fields::Fields;
use crate::metrics::TextSet;

/// Most bytes of client names, per kind of request.
const MOST_AGENT_BYTES: usize = 16 << 10;
/// Approximate bytes of the names and numbers of one kind.
const FIGURES_BYTES: usize = 2 << 10;
/// Name of clients that send none.
const UNKNOWN: &str = "unknown";

/// Figures of the requests of one kind.
pub(crate) trait Tally: Default {
    type Event;

    fn add(&mut self, event: Self::Event);

    fn report(&self, fields: &mut Fields);

    /// Returns the bytes of client-supplied texts.
    fn text_bytes(&self) -> usize {
        0
    }
}

#[derive(Debug)]
pub(crate) struct EventTotals<T> {
    first: OffsetDateTime,
    received: u64,
    agents: TextSet<MOST_AGENT_BYTES>,
    tally: T,
}

impl<T: Tally> EventTotals<T> {
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

    pub fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.put(
            "user-agent",
            &self.agents,
            "The different values of `X-Meilisearch-Client`, or else of `User-Agent`.",
        );
        fields.put("requests.total_received", self.received, "Requests of this kind.");
        self.tally.report(&mut fields);
        fields
    }

    /// Returns the approximate length of the message.
    pub fn weight(&self) -> usize {
        FIGURES_BYTES + self.agents.bytes() + self.tally.text_bytes()
    }
}
