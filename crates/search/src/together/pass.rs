//! One pass over documents that keeps the best few. A document is dropped at the first rule under
//! which it cannot be among them, and looked into no further than that takes.

use std::collections::BinaryHeap;

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::{DocumentTokens, FieldTokens};
use settings::Precision;

use super::streams::Streams;
use super::{Costs, MAX_STEPS, is_position};
use crate::context::{Context, SegmentView};
use crate::graph::{Path, are_adjacent};
use crate::node_places::NodeSlots;
use crate::query::SearchError;
use crate::ranking::Step;
use crate::rules::{ExactJudge, FAR, Measure, Meter, apart_in_stream};
use crate::scan::{DOCUMENTS_BETWEEN_CHECKS, Occurrences, Place, Table};
use crate::score::ExactAttribute;

/// Measures documents and keeps the best.
pub(super) struct Pass<'p, 's> {
    context: &'p Context<'s>,
    steps: &'p [Step],
    fixed: [Option<u32>; MAX_STEPS],
    /// Where `wordPosition` stands among the steps, and how many tokens say most about it.
    position_step: Option<(usize, usize)>,
    meter: Meter<'p, 's>,
    slots: &'p NodeSlots,
    /// Documents in which words in a row stand for a node: their beginnings do not tell much.
    with_phrases: RoaringBitmap,
    /// Tables without the words of the last term's prefix, where those need not be looked for.
    narrow: Vec<Table>,
    judge: Option<ExactJudge>,
    occurrences: Occurrences,
    streams: Streams<'p>,
    /// The best so far, the worst of them on top.
    best: BinaryHeap<(Costs, DocId)>,
    count: usize,
    seen: usize,
}

impl<'p, 's> Pass<'p, 's> {
    pub fn new(
        context: &'p Context<'s>,
        steps: &'p [Step],
        path: &'p Path,
        slots: &'p NodeSlots,
        judge: Option<ExactJudge>,
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
        let mut with_phrases = RoaringBitmap::new();
        for node in path {
            with_phrases |= node.phrase_documents(context)?;
        }
        let position_place = steps.iter().position(is_position);
        Ok(Self {
            context,
            steps,
            fixed: fixed_costs(context, steps, path),
            position_step: position_place.map(|place| (place, meter.telling_beginning())),
            meter,
            slots,
            with_phrases,
            narrow: narrow_tables(context, slots, path),
            judge,
            occurrences: Occurrences::new(slots.slots),
            streams: Streams::new(context),
            best: BinaryHeap::with_capacity(count + 1),
            count,
            seen: 0,
        })
    }

    /// The best documents, best first.
    pub fn into_best(self) -> Vec<(Costs, DocId)> {
        self.best.into_sorted_vec()
    }

    /// False when the time is over.
    pub fn run(&mut self, documents: &RoaringBitmap, bound: Costs) -> Result<bool, SearchError> {
        for doc_id in documents {
            if self.is_beaten(&(bound, doc_id)) {
                break;
            }
            self.seen += 1;
            if self.seen.is_multiple_of(DOCUMENTS_BETWEEN_CHECKS) {
                self.context.check_wanted()?;
                if self.context.is_late() {
                    return Ok(false);
                }
            }
            let Some((segment, tokens)) = self.streams.find(doc_id)? else {
                continue;
            };
            let position = self.look_at_beginning(segment, doc_id, tokens);
            if position.is_some_and(|(least, _)| self.starts_too_late(least, &bound)) {
                continue;
            }
            let known = position.filter(|(_, is_certain)| *is_certain).map(|(cost, _)| cost);
            if let Some(costs) = self.measure(segment, doc_id, tokens, known) {
                self.best.push((costs, doc_id));
                if self.best.len() > self.count {
                    self.best.pop();
                }
            }
        }
        Ok(true)
    }

    /// Whether all wanted documents are known to be better.
    fn is_beaten(&self, candidate: &(Costs, DocId)) -> bool {
        self.best.len() >= self.count && self.best.peek().is_some_and(|worst| worst < candidate)
    }

    /// What `wordPosition` costs, as far as the beginnings of fields can say.
    fn look_at_beginning(
        &mut self,
        segment: usize,
        doc_id: DocId,
        tokens: DocumentTokens<'_>,
    ) -> Option<(u32, bool)> {
        let (_, beginning) = self.position_step?;
        if self.with_phrases.contains(doc_id) {
            return None;
        }
        let view = &self.context.segments[segment];
        self.occurrences.gather(view, &self.slots.tables[segment], tokens, Some(beginning));
        Some(self.meter.position_cost_by_beginnings(segment, &self.occurrences))
    }

    /// Whether a document that costs at least this under `wordPosition` cannot be among the best.
    fn starts_too_late(&self, least: u32, bound: &Costs) -> bool {
        let Some((place, _)) = self.position_step else {
            return false;
        };
        if self.best.len() < self.count {
            return false;
        }
        // Under the rules before it, the document can at best be equal.
        let is_too_late =
            |(worst, _): &(Costs, DocId)| worst[..place] == bound[..place] && least > worst[place];
        self.best.peek().is_some_and(is_too_late)
    }

    /// The costs of a document that may be among the best.
    fn measure(
        &mut self,
        segment: usize,
        doc_id: DocId,
        tokens: DocumentTokens<'_>,
        known_position_cost: Option<u32>,
    ) -> Option<Costs> {
        let view = &self.context.segments[segment];
        let mut is_read = false;
        let mut is_better = self.best.len() < self.count;
        let mut costs = Costs::default();
        for (place, step) in self.steps.iter().enumerate() {
            let cost = match (step, self.fixed[place], known_position_cost) {
                (_, Some(cost), _)
                | (Step::Measure(Measure::WordPosition { .. }), None, Some(cost)) => cost,
                (Step::Measure(Measure::ExactWords), ..) => self.meter.exact_words(doc_id),
                (Step::Measure(Measure::Proximity), ..)
                    if !self.narrow.is_empty() && !self.with_phrases.contains(doc_id) =>
                {
                    // It looks for less than the others need.
                    is_read = false;
                    self.proximity_around_places(segment, doc_id, tokens)
                }
                (Step::Measure(measure), ..) => {
                    if !is_read {
                        let table = &self.slots.tables[segment];
                        self.occurrences.gather(view, table, tokens, None);
                        is_read = true;
                    }
                    let occurrences = &self.occurrences;
                    let total = self.meter.total(*measure, segment, doc_id, occurrences, |_| ());
                    // Every document of the universe satisfies the interpretation; should a
                    // stream not say so, the document goes last.
                    total.unwrap_or(u32::MAX)
                }
                _ => self.exact_attribute(view, segment, doc_id, tokens) as u32,
            };
            costs[place] = cost;
            if !is_better && let Some((worst, _)) = self.best.peek() {
                if cost > worst[place] {
                    return None;
                }
                is_better = cost < worst[place];
            }
        }
        Some(costs)
    }

    /// `proximity` without looking for every word of a prefix: only the neighbourhood of the
    /// word before it matters.
    fn proximity_around_places(
        &mut self,
        segment: usize,
        doc_id: DocId,
        tokens: DocumentTokens<'_>,
    ) -> u32 {
        let view = &self.context.segments[segment];
        let table = &self.slots.tables[segment];
        self.occurrences.gather(view, &self.narrow[segment], tokens, None);
        let nearest = |places: &[Place]| {
            let mut least = FAR;
            for of_field in places.chunk_by(|a, b| a.field == b.field) {
                let is_it = |field: &FieldTokens<'_>| field.field() == of_field[0].field;
                let Some(field) = tokens.fields().find(is_it) else {
                    continue;
                };
                for place in of_field {
                    let index = place.index as usize;
                    least = least.min(apart_in_stream(field, index, |t| table.is_in_range(t)));
                    if least == 0 {
                        return 0;
                    }
                }
            }
            least
        };
        let (meter, occurrences) = (&self.meter, &self.occurrences);
        let measure = Measure::Proximity;
        meter
            .total_with(measure, segment, doc_id, occurrences, Some(&nearest), |_| ())
            .unwrap_or(u32::MAX)
    }

    fn exact_attribute(
        &self,
        view: &SegmentView<'_>,
        segment: usize,
        doc_id: DocId,
        tokens: DocumentTokens<'_>,
    ) -> ExactAttribute {
        match &self.judge {
            Some(judge) if judge.candidates.contains(doc_id) => judge.judge(view, segment, tokens),
            _ => ExactAttribute::NoExactMatch,
        }
    }
}

/// By segment, or nothing when every word has to be looked for. A prefix is the last term; the
/// words that begin with it can be found around the places of the term before it.
fn narrow_tables(context: &Context<'_>, slots: &NodeSlots, path: &Path) -> Vec<Table> {
    let is_adjacent_pair = match &path[..] {
        [.., left, last] => last.term.is_prefix && are_adjacent(left, last),
        _ => false,
    };
    let is_simple = context.settings.proximity_precision == Precision::ByWord
        && context.segments.iter().all(|view| !view.has_exact_fields);
    if is_adjacent_pair && is_simple && slots.tables.iter().any(Table::has_ranges) {
        slots.tables.iter().map(Table::without_ranges).collect()
    } else {
        Vec::new()
    }
}

/// The costs that are the same for every document.
fn fixed_costs(context: &Context<'_>, steps: &[Step], path: &Path) -> [Option<u32>; MAX_STEPS] {
    let mut fixed = [None; MAX_STEPS];
    for (cost, step) in fixed.iter_mut().zip(steps) {
        if let Step::Measure(measure) = step
            && measure.least(path) == measure.most(context, path)
        {
            *cost = Some(measure.least(path));
        }
    }
    fixed
}
