//! The rules that look into documents, applied all at once. Where one interpretation is left,
//! a document's place depends on nothing but its own costs, compared rule by rule; so the best
//! documents are found in one pass that keeps the wanted few, drops a document at the first rule
//! under which it cannot be among them, and ends when no other can.
//!
//! The result is the same as that of the rules one after the other; only the work is less.

use std::collections::BinaryHeap;

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::{DocumentTokens, FieldTokens, TokenCursor};
use settings::Precision;

use crate::context::{Context, SegmentView};
use crate::graph::{Node, Path, are_adjacent};
use crate::node_places::NodeSlots;
use crate::query::SearchError;
use crate::ranking::Step;
use crate::rules::{ExactJudge, FAR, Measure, Meter, apart_in_stream};
use crate::scan::{DOCUMENTS_BETWEEN_CHECKS, Occurrences, Place, Table};
use crate::score::{ExactAttribute, Rank, Score};

const MAX_STEPS: usize = 5;
/// Fewer documents than this are measured one by one.
const WORTH_A_LOOK: u64 = 512;
/// Pairs of words looked for in a row, for two neighbours of the query.
const MOST_PAIRS: usize = 32;
/// Neighbours of the query by which the universe is divided; each doubles the groups at most.
const MOST_DIVISIONS: usize = 4;

/// What a document costs under each step.
type Costs = [u32; MAX_STEPS];

pub(crate) type Ordered = Vec<(DocId, Vec<Score>)>;

/// Whether these steps can be applied at once.
pub(crate) fn applies(steps: &[Step], paths: &[Path]) -> bool {
    let looks_into = |step: &Step| matches!(step, Step::Measure(_) | Step::ExactAttribute);
    // What `exactness` narrows matters to the rules after it.
    let narrows_early =
        steps.iter().rev().skip(1).any(|step| matches!(step, Step::Measure(Measure::ExactWords)));
    paths.len() == 1 && steps.len() <= MAX_STEPS && steps.iter().all(looks_into) && !narrows_early
}

/// The best documents in their order; nothing when the time for ranking is over.
pub(crate) fn rank(
    context: &Context<'_>,
    steps: &[Step],
    path: &Path,
    universe: &RoaringBitmap,
    count: usize,
) -> Result<Option<Ordered>, SearchError> {
    let paths = std::slice::from_ref(path);
    let slots = NodeSlots::new(context, paths);
    let measures: Vec<Measure> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Measure(measure) => Some(*measure),
            _ => None,
        })
        .collect();
    let judge = if steps.contains(&Step::ExactAttribute) {
        ExactJudge::new(context, paths, universe)?
    } else {
        None
    };
    let least = least_costs(steps, path, judge.is_some());
    let meter = Meter::new(context, &slots, path, &measures)?;
    let mut with_phrases = RoaringBitmap::new();
    for node in path {
        with_phrases |= node.phrase_documents(context)?;
    }
    let mut pass = Pass {
        context,
        steps,
        position_step: steps.iter().position(is_position).zip(Some(meter.telling_beginning())),
        fixed: fixed_costs(context, steps, path),
        meter,
        narrow: narrow_tables(context, &slots, path),
        with_phrases,
        slots: &slots,
        judge,
        occurrences: Occurrences::new(slots.slots),
        streams: Streams::new(context),
        best: BinaryHeap::with_capacity(count + 1),
        count,
        seen: 0,
    };
    for (documents, bound) in groups(context, steps, path, universe, least)? {
        if !pass.run(&documents, bound)? {
            return Ok(None);
        }
    }
    let ordered = pass.best.into_sorted_vec().into_iter();
    Ok(Some(
        ordered.map(|(costs, doc_id)| (doc_id, scores(context, steps, path, &costs))).collect(),
    ))
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

fn least_costs(steps: &[Step], path: &Path, may_be_exact: bool) -> Costs {
    let mut least = Costs::default();
    for (cost, step) in least.iter_mut().zip(steps) {
        *cost = match step {
            Step::Measure(measure) => measure.least(path),
            Step::ExactAttribute if !may_be_exact => ExactAttribute::NoExactMatch as u32,
            _ => 0,
        };
    }
    least
}

/// Documents with the least that each of them can cost.
type Group = (RoaringBitmap, Costs);

/// The universe in groups, those that can cost the least first, so that the pass may end early.
fn groups(
    context: &Context<'_>,
    steps: &[Step],
    path: &Path,
    universe: &RoaringBitmap,
    least: Costs,
) -> Result<Vec<Group>, SearchError> {
    let mut groups = vec![(universe.clone(), least)];
    if universe.len() < WORTH_A_LOOK {
        return Ok(groups);
    }
    if let Some(place) = steps.iter().position(|step| *step == Step::Measure(Measure::Proximity))
        && context.settings.proximity_precision == Precision::ByWord
    {
        for pair in path.windows(2).take(MOST_DIVISIONS) {
            if are_adjacent(&pair[0], &pair[1])
                && let Some(documents) = documents_of_pair(context, &pair[0], &pair[1])?
            {
                groups = divided(groups, &documents, |costs| costs[place] += 1);
            }
        }
    }
    if let Some(place) = steps.iter().position(is_position)
        && let Some(beginning) = documents_beginning(context, path)?
    {
        groups = divided(groups, &beginning, |costs| costs[place] += 1);
    }
    if let Some(exact) = documents_as_typed(context, steps, path)? {
        groups = divided(groups, &exact, |costs| {
            for (cost, step) in costs.iter_mut().zip(steps) {
                match step {
                    Step::ExactAttribute => *cost = ExactAttribute::NoExactMatch as u32,
                    Step::Measure(Measure::ExactWords) => *cost += 1,
                    _ => {}
                }
            }
        });
    }
    groups.sort_by_key(|(_, costs)| *costs);
    Ok(groups)
}

/// Divides each group into those that are among the better documents and those that are not.
fn divided(groups: Vec<Group>, better: &RoaringBitmap, worsen: impl Fn(&mut Costs)) -> Vec<Group> {
    let mut divided = Vec::with_capacity(groups.len() * 2);
    for (documents, least) in groups {
        let mut least_of_rest = least;
        worsen(&mut least_of_rest);
        let rest = &documents - better;
        divided.push((documents & better, least));
        divided.push((rest, least_of_rest));
    }
    divided.retain(|(documents, _)| !documents.is_empty());
    divided
}

fn is_position(step: &Step) -> bool {
    matches!(step, Step::Measure(Measure::WordPosition { .. }))
}

/// Documents in which every term stands as it was typed; none when that tells nothing.
fn documents_as_typed(
    context: &Context<'_>,
    steps: &[Step],
    path: &Path,
) -> Result<Option<RoaringBitmap>, SearchError> {
    let cares = steps
        .iter()
        .any(|step| matches!(step, Step::ExactAttribute | Step::Measure(Measure::ExactWords)));
    if !cares {
        return Ok(None);
    }
    let mut exact: Option<RoaringBitmap> = None;
    for node in path.iter().filter(|node| node.allows_exact()) {
        let documents = node.exact_documents(context)?;
        exact = Some(match exact {
            None => (*documents).clone(),
            Some(exact) => exact & &*documents,
        });
    }
    Ok(exact)
}

/// Documents with a field that begins with the first term, where that is where it should stand.
fn documents_beginning(
    context: &Context<'_>,
    path: &Path,
) -> Result<Option<RoaringBitmap>, SearchError> {
    let Some(first) = path.first().filter(|first| first.first_position == 0) else {
        return Ok(None);
    };
    let mut documents = first.phrase_documents(context)?;
    for (number, view) in context.segments.iter().enumerate() {
        let Some(ranges) = first.word_ranges(number).filter(|ranges| ranges.len() <= MOST_PAIRS)
        else {
            return Ok(None);
        };
        for range in ranges {
            documents |= &*view.text.documents_beginning_with(range)? - view.deleted;
        }
    }
    Ok(Some(documents))
}

/// Documents in which a word of one node directly precedes a word of the other, or may do so;
/// nothing when there are too many ways.
fn documents_of_pair(
    context: &Context<'_>,
    left: &Node,
    right: &Node,
) -> Result<Option<RoaringBitmap>, SearchError> {
    // Where several words in a row stand for a node, only a look can tell.
    let mut documents = left.phrase_documents(context)? | right.phrase_documents(context)?;
    for (number, view) in context.segments.iter().enumerate() {
        let (Some(lefts), Some(rights)) = (left.word_ranges(number), right.word_ranges(number))
        else {
            return Ok(None);
        };
        let has_long = lefts.iter().any(|range| range.len() > 1);
        if has_long || lefts.len() * rights.len() > MOST_PAIRS {
            return Ok(None);
        }
        for left in &lefts {
            for right in &rights {
                let of_pair = view.text.documents_of_pair(left.start, right.clone())?;
                documents |= &*of_pair - view.deleted;
            }
        }
    }
    Ok(Some(documents))
}

fn scores(context: &Context<'_>, steps: &[Step], path: &Path, costs: &Costs) -> Vec<Score> {
    let score = |(step, &cost): (&Step, &u32)| match step {
        Step::Measure(measure) => {
            let max = 1 + measure.most(context, path);
            Some(measure.score(Rank { rank: max.saturating_sub(cost), max }))
        }
        Step::ExactAttribute => Some(Score::ExactAttribute(match cost {
            0 => ExactAttribute::ExactMatch,
            1 => ExactAttribute::MatchesStart,
            _ => ExactAttribute::NoExactMatch,
        })),
        _ => None,
    };
    steps.iter().zip(costs).filter_map(score).collect()
}

struct Pass<'p, 's> {
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

impl Pass<'_, '_> {
    /// False when the time is over.
    fn run(&mut self, documents: &RoaringBitmap, bound: Costs) -> Result<bool, SearchError> {
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

/// The token streams of all segments, for documents in ascending order.
struct Streams<'p> {
    segments: Vec<(TokenCursor<'p>, &'p RoaringBitmap)>,
    /// Where the last document was.
    last: usize,
}

impl<'p> Streams<'p> {
    fn new(context: &'p Context<'_>) -> Self {
        let segments =
            context.segments.iter().map(|view| (view.text.tokens(), view.deleted)).collect();
        Self { segments, last: 0 }
    }

    fn find(&mut self, doc_id: DocId) -> Result<Option<(usize, DocumentTokens<'p>)>, SearchError> {
        let count = self.segments.len();
        for step in 0..count {
            let number = (self.last + step) % count;
            let (cursor, deleted) = &mut self.segments[number];
            if let Some(tokens) = cursor.seek(doc_id)?
                && (deleted.is_empty() || !deleted.contains(doc_id))
            {
                self.last = number;
                return Ok(Some((number, tokens)));
            }
        }
        Ok(None)
    }
}
