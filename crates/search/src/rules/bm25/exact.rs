//! Computes scores from the token streams of documents, where posting lists do not determine them.

use segment::DocId;
use segment::text::TokenCursor;
use settings::Precision;

use super::formula::Formula;
use super::tiers::share;
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::node_positions::NodeSlots;
use crate::scan::Occurrences;

pub(super) struct ExactScores<'p, 's> {
    context: &'p Context<'s>,
    formula: &'p Formula,
    path: Path,
    slots: NodeSlots,
    streams: Vec<TokenCursor<'p>>,
    occurrences: Occurrences,
    /// Occurrences of a term by attribute.
    counts: Vec<u32>,
}

impl<'p, 's> ExactScores<'p, 's> {
    pub fn new(context: &'p Context<'s>, formula: &'p Formula) -> Self {
        let parts = formula.terms.iter().flat_map(|term| &term.parts);
        let path: Path = parts.map(|part| part.node.clone()).collect();
        let slots = NodeSlots::new(context, std::slice::from_ref(&path));
        Self {
            context,
            formula,
            path,
            streams: context.segments.iter().map(|view| view.text.tokens()).collect(),
            occurrences: Occurrences::new(slots.slots),
            slots,
            counts: Vec::new(),
        }
    }

    pub fn of(&mut self, segment: usize, doc_id: DocId) -> Result<f64, SearchError> {
        let Some(tokens) = self.streams[segment].seek(doc_id)? else {
            return Ok(0.0);
        };
        let view = &self.context.segments[segment];
        self.occurrences.gather(view, &self.slots.tables[segment], tokens, None);
        let mut score = 0.0;
        let mut slots = self.slots.of_path(&self.path).into_iter();
        for term in &self.formula.terms {
            let mut frequency = 0.0;
            for (part, slots) in term.parts.iter().zip(&mut slots) {
                let places = slots.places(segment, Precision::ByWord, &self.occurrences);
                if places.single_places().next().is_none() {
                    continue;
                }
                self.counts.clear();
                self.counts.resize(view.roles.len(), 0);
                for place in places.single_places() {
                    self.counts[usize::from(place.field)] += 1;
                }
                for &(field, length) in self.occurrences.lengths() {
                    let count = self.counts[usize::from(field)];
                    let scale = self.formula.scales(segment).get(usize::from(field));
                    if let Some(scale) = scale.filter(|_| count > 0) {
                        frequency += scale.frequency(count, length) * share(part.tier);
                    }
                }
            }
            score += term.score(frequency);
        }
        Ok(score)
    }
}
