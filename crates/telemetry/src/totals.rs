//! Totals of all requests since figures were last sent, by kind.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use crate::event::{Event, Figure, Kind};
use crate::fields::Fields;
use crate::fold::Accumulator;
use crate::text_set::TextSet;

/// Most bytes of client names, per kind of request.
const MOST_AGENT_BYTES: usize = 16 << 10;
/// Approximate bytes of the names and numbers of one kind.
const FIGURES_BYTES: usize = 2 << 10;
/// Name of clients that send none.
const UNKNOWN: &str = "unknown";

#[derive(Debug, Default)]
pub(crate) struct Totals(BTreeMap<usize, EventTotals>);

impl Totals {
    pub fn add(&mut self, event: Event, agent: Option<&str>, at: OffsetDateTime) {
        let kind = event.kind;
        let entry = self.0.entry(kind.order);
        entry.or_insert_with(|| EventTotals::new(kind, at)).add(event, agent, at);
    }

    /// Returns name, first time and figures of every kind that happened.
    pub fn reports(&self) -> impl Iterator<Item = (&'static str, OffsetDateTime, Fields)> {
        self.0.values().map(|totals| (totals.kind.name, totals.first, totals.fields()))
    }

    /// Returns the approximate bytes to send.
    pub fn weight(&self) -> usize {
        self.0.values().map(EventTotals::weight).sum()
    }
}

/// Figures of the requests of one kind.
#[derive(Debug)]
pub(crate) struct EventTotals {
    kind: &'static Kind,
    first: OffsetDateTime,
    received: u64,
    agents: TextSet<MOST_AGENT_BYTES>,
    figures: Vec<(Figure, Accumulator)>,
}

impl EventTotals {
    pub fn new(kind: &'static Kind, first: OffsetDateTime) -> Self {
        let figures = kind.figures().into_iter();
        let figures = figures.map(|figure| (figure, Accumulator::new(figure.fold))).collect();
        Self { kind, first, received: 0, agents: TextSet::default(), figures }
    }

    fn add(&mut self, event: Event, agent: Option<&str>, at: OffsetDateTime) {
        self.first = self.first.min(at);
        self.received += 1;
        // Libraries on top of each other name themselves in one header.
        for name in agent.unwrap_or(UNKNOWN).split(';') {
            self.agents.add(name.trim());
        }
        for ((_, accumulator), reading) in self.figures.iter_mut().zip(event.readings) {
            accumulator.add(reading, event.outcome);
        }
    }

    pub fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.put(
            "user-agent",
            &self.agents,
            "The different values of `X-Meilisearch-Client`, or else of `User-Agent`.",
        );
        fields.put("requests.total_received", self.received, "Requests of this kind.");
        for (figure, accumulator) in &self.figures {
            fields.put(figure.path, accumulator.value(), figure.meaning);
        }
        fields
    }

    /// Returns the approximate length of the message.
    fn weight(&self) -> usize {
        let texts = self.figures.iter().map(|(_, accumulator)| accumulator.text_bytes());
        FIGURES_BYTES + self.agents.bytes() + texts.sum::<usize>()
    }
}

#[cfg(test)]
#[path = "totals_tests.rs"]
mod tests;
