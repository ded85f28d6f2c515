//! One pass over documents that keeps the top k. A document is dropped at the first rule under
//! which it cannot be among them, and is read only as far as that takes.

use std::collections::BinaryHeap;

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::DocumentTokens;

use super::bounds::BoundedDocument;
use super::neighbours::Neighbours;
use super::streams::Streams;
use super::{Costs, MAX_STEPS, is_position};
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::graph::Path;
use crate::node_positions::NodeSlots;
use crate::rules::{ExactJudge, Measure, Meter};
use crate::scan::{DOCUMENTS_BETWEEN_CHECKS, Occurrences};
use crate::score::ExactAttribute;
use crate::steps::Step;

/// Measures documents and keeps the best.
pub(super) struct TopKPass<'p, 's> {
    context: &'p Context<'s>,
    steps: &'p [Step<'p>],
    /// The index of the step `wordPosition`, and how many tokens determine most of it.
    position_step: Option<(usize, usize)>,
    meter: Meter<'p, 's>,
    slots: &'p NodeSlots,
    /// Documents in which a phrase matches a node: their beginnings determine little.
    with_phrases: RoaringBitmap,
    neighbours: Neighbours,
    judge: Option<&'p ExactJudge>,
    occurrences: Occurrences,
    streams: Streams<'p>,
    /// The best so far, as a max-heap.
    best: BinaryHeap<(Costs, DocId)>,
    count: usize,
    seen: usize,
}

/// A document that is being read.
#[derive(Clone, Copy)]
struct OpenDocument<'p> {
    segment: usize,
    tokens: DocumentTokens<'p>,
    /// True if the occurrences are those of all its words.
    is_read: bool,
}

impl<'p, 's> TopKPass<'p, 's> {
    pub fn new(
        context: &'p Context<'s>,
        steps: &'p [Step<'p>],
        path: &'p Path,
        slots: &'p NodeSlots,
        judge: Option<&'p ExactJudge>,
        with_phrases: RoaringBitmap,
        count: usize,
    ) -> Result<Self, SearchError> {
        let measures: Vec<Measure> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Measure(measure) => Some(*measure),
                _ => None,
            })
            .collect();
        let meter = Meter::new(context, slots, path, &measures)?;
        let position_place = steps.iter().position(is_position);
        Ok(Self {
            context,
            steps,
            position_step: position_place.map(|place| (place, meter.decisive_tokens())),
            meter,
            slots,
            with_phrases,
            neighbours: Neighbours::new(context, path),
            judge,
            occurrences: Occurrences::new(slots.slots),
            streams: Streams::new(context),
            best: BinaryHeap::new(),
            count,
            seen: 0,
        })
    }

    /// Returns the best documents, best first.
    pub fn into_best(self) -> Vec<(Costs, DocId)> {
        self.best.into_sorted_vec()
    }

    /// Measures documents in the order of their bounds. Returns whether no later one can be among
    /// the best, or `None` if the time is over.
    pub fn run(
        &mut self,
        bounds: &[BoundedDocument],
        is_known: &[bool; MAX_STEPS],
    ) -> Result<Option<bool>, SearchError> {
        for bounded in bounds {
            let (least, doc_id) = (bounded.key.costs(), bounded.doc_id);
            let is_known = &std::array::from_fn(|step| is_known[step] || bounded.is_exact(step));
            if self.is_beaten(&(least, doc_id)) {
                return Ok(Some(true));
            }
            if self.is_late()? {
                return Ok(None);
            }
            if let Some(costs) = self.measure(&least, is_known, doc_id)? {
                self.best.push((costs, doc_id));
                if self.best.len() > self.count {
                    self.best.pop();
                }
            }
        }
        Ok(Some(false))
    }

    /// Must be called for every document; checks the clock now and then.
    pub fn is_late(&mut self) -> Result<bool, SearchError> {
        self.seen += 1;
        if !self.seen.is_multiple_of(DOCUMENTS_BETWEEN_CHECKS) {
            return Ok(false);
        }
        self.context.check_cancelled()?;
        Ok(self.context.is_late())
    }

    /// Returns the cost of a document under the first step, or any cost above the limit if it is
    /// higher; `None` if no segment has the document.
    pub fn cost_of(&mut self, doc_id: DocId, limit: u32) -> Result<Option<u32>, SearchError> {
        let step = &self.steps[0];
        let Some(mut document) = self.open(doc_id)? else {
            return Ok(None);
        };
        Ok(Some(self.look(step, doc_id, &mut document, &mut None, limit)))
    }

    /// Returns whether all of the top k are known to be better.
    pub fn is_beaten(&self, candidate: &(Costs, DocId)) -> bool {
        self.best.len() >= self.count && self.best.peek().is_some_and(|worst| worst < candidate)
    }

    /// Returns whether all of the top k cost no more than this under the first steps.
    pub fn has_found_least(&self, least: &[u32]) -> bool {
        let is_least = |(worst, _): &(Costs, DocId)| worst[..least.len()] <= *least;
        self.best.len() >= self.count && self.best.peek().is_some_and(is_least)
    }

    /// Returns the cost of `wordPosition` as far as the beginnings of fields determine it, and
    /// whether it is exact; otherwise it is a lower bound.
    fn cost_by_beginning(
        &mut self,
        doc_id: DocId,
        opened: &mut OpenDocument<'p>,
    ) -> Option<(u32, bool)> {
        let (_, beginning) = self.position_step?;
        if self.with_phrases.contains(doc_id) {
            return None;
        }
        let OpenDocument { segment, tokens, .. } = *opened;
        opened.is_read = false;
        let view = &self.context.segments[segment];
        self.occurrences.gather(view, &self.slots.tables[segment], tokens, Some(beginning));
        Some(self.meter.position_cost_by_beginnings(segment, &self.occurrences))
    }

    /// Returns whether the beginning of a document alone can exclude it: under the rules before
    /// `wordPosition` it can at best equal the worst of the top k.
    fn can_exclude_by_beginning(&self, least: &Costs, is_known: &[bool; MAX_STEPS]) -> bool {
        let Some((place, _)) = self.position_step.filter(|(place, _)| !is_known[*place]) else {
            return false;
        };
        let is_equal = |(worst, _): &(Costs, DocId)| worst[..place] == least[..place];
        self.best.len() >= self.count && self.best.peek().is_some_and(is_equal)
    }

    /// Returns the costs of a document if it may be among the best.
    fn measure(
        &mut self,
        least: &Costs,
        is_known: &[bool; MAX_STEPS],
        doc_id: DocId,
    ) -> Result<Option<Costs>, SearchError> {
        let mut opened: Option<OpenDocument<'p>> = None;
        let mut position = None;
        if self.can_exclude_by_beginning(least, is_known) {
            let Some(document) = self.open(doc_id)? else {
                return Ok(None);
            };
            let document = opened.insert(document);
            position = self.cost_by_beginning(doc_id, document);
            let worst = self.position_step.zip(self.best.peek());
            if let (Some((least, _)), Some(((place, _), (worst, _)))) = (position, worst)
                && least > worst[place]
            {
                return Ok(None);
            }
        }
        let mut is_better = self.best.len() < self.count;
        let mut costs = Costs::default();
        for (place, step) in self.steps.iter().enumerate() {
            let cost = if is_known[place] {
                least[place]
            } else {
                match step {
                    Step::Measure(Measure::ExactWords) => self.meter.exact_words(doc_id),
                    Step::ExactAttribute if !self.may_be_exact(doc_id) => {
                        ExactAttribute::NoExactMatch as u32
                    }
                    _ => {
                        let document = match &mut opened {
                            Some(document) => document,
                            none => match self.open(doc_id)? {
                                Some(document) => none.insert(document),
                                None => return Ok(None),
                            },
                        };
                        let worst = self.best.peek().filter(|_| !is_better);
                        let limit = worst.map_or(u32::MAX, |(worst, _)| worst[place]);
                        self.look(step, doc_id, document, &mut position, limit)
                    }
                }
            };
            costs[place] = cost;
            if !is_better && let Some((worst, _)) = self.best.peek() {
                if cost > worst[place] {
                    return Ok(None);
                }
                is_better = cost < worst[place];
            }
        }
        Ok(Some(costs))
    }

    fn open(&mut self, doc_id: DocId) -> Result<Option<OpenDocument<'p>>, SearchError> {
        let found = self.streams.find(doc_id)?;
        Ok(found.map(|(segment, tokens)| OpenDocument { segment, tokens, is_read: false }))
    }

    /// Returns the cost of a document under a step that depends on its words. `position` is the
    /// result of its beginning for `wordPosition`, if it was read. A cost above the limit may be
    /// any higher one.
    fn look(
        &mut self,
        step: &Step<'_>,
        doc_id: DocId,
        opened: &mut OpenDocument<'p>,
        position: &mut Option<(u32, bool)>,
        limit: u32,
    ) -> u32 {
        let OpenDocument { segment, tokens, .. } = *opened;
        let view = &self.context.segments[segment];
        let measure = match step {
            Step::Measure(measure) => *measure,
            _ => return self.exact_attribute(view, segment, tokens) as u32,
        };
        if measure == Measure::Proximity
            && !self.with_phrases.contains(doc_id)
            && let Some(cost) = self.neighbours.cost(view, segment, tokens, limit)
        {
            return cost;
        }
        if is_position(step) {
            if position.is_none() && !opened.is_read {
                *position = self.cost_by_beginning(doc_id, opened);
            }
            if let Some((cost, true)) = *position {
                return cost;
            }
        }
        if !opened.is_read {
            self.occurrences.gather(view, &self.slots.tables[segment], tokens, None);
            opened.is_read = true;
        }
        let total = self.meter.total(measure, segment, doc_id, &self.occurrences, |_| ());
        // Every document of the universe matches the interpretation; if a stream disagrees, the
        // document goes last.
        total.unwrap_or(u32::MAX)
    }

    fn may_be_exact(&self, doc_id: DocId) -> bool {
        self.judge.is_some_and(|judge| judge.candidates.contains(doc_id))
    }

    fn exact_attribute(
        &self,
        view: &SegmentView<'_>,
        segment: usize,
        tokens: DocumentTokens<'_>,
    ) -> ExactAttribute {
        self.judge.map_or(ExactAttribute::NoExactMatch, |judge| judge.judge(view, segment, tokens))
    }
}
