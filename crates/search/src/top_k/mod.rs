//! One-pass top-k: applies all rules that read documents at once. Where one interpretation is left,
//! a document's rank depends only on its own costs, compared rule by rule; so one pass finds the
//! best documents. It keeps the top k, drops a document at the first rule under which it cannot be
//! among them, and ends when no other document can.
//!
//! The result equals that of applying the rules one after the other, with less work.

mod bounds;
mod distances;
mod exactness_groups;
mod near_rule;
mod neighbours;
mod pass;
mod shortlist;
mod streams;
mod token_bits;

use roaring::RoaringBitmap;
use segment::DocId;
use settings::Precision;

use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::node_positions::NodeSlots;
use crate::rules::{ExactJudge, Measure};
use crate::score::{ExactAttribute, Rank, Score};
use crate::steps::Step;
use bounds::{Bounds, Nearness};
use distances::{are_rarely_near, by_distance};
use exactness_groups::{BoundedGroup, exactness_groups, first_documents};
use pass::TopKPass;
use shortlist::shortlist;

pub(crate) use near_rule::NearRule;

const MAX_STEPS: usize = 5;

/// Documents sorted and measured first; later turns are larger.
const FIRST_TURN: usize = 64;
const TURN_GROWTH: usize = 4;

/// In groups of at least this many documents, the bounds of some are computed first.
const MANY: u64 = 4096;
const FIRST_BOUNDED: usize = 1024;

/// The costs of a document under each step.
type Costs = [u32; MAX_STEPS];

pub(crate) type Ordered = Vec<(DocId, Vec<Score>)>;

/// Returns whether these steps can be applied at once.
pub(crate) fn applies(steps: &[Step<'_>], paths: &[Path]) -> bool {
    let looks_into = |step: &Step<'_>| matches!(step, Step::Measure(_) | Step::ExactAttribute);
    // The interpretations narrowed by `exactness` matter to the rules after it.
    let narrows_early =
        steps.iter().rev().skip(1).any(|step| matches!(step, Step::Measure(Measure::ExactWords)));
    let has_all = |path: &Path| path.iter().all(|node| !node.is_optional);
    matches!(paths, [path] if has_all(path))
        && steps.len() <= MAX_STEPS
        && steps.iter().all(looks_into)
        && !narrows_early
}

/// Returns the best documents in order; `None` if the time for ranking is over.
pub(crate) fn rank(
    context: &Context<'_>,
    steps: &[Step<'_>],
    path: &Path,
    universe: &RoaringBitmap,
    count: usize,
) -> Result<Option<Ordered>, SearchError> {
    let paths = std::slice::from_ref(path);
    let slots = NodeSlots::new(context, paths);
    let judge = if steps.contains(&Step::ExactAttribute) {
        ExactJudge::new(context, paths, universe)?
    } else {
        None
    };
    let initial = InitialCosts::new(context, steps, path, judge.is_some());
    // Documents in which a phrase matches a node, and those in which it matches a node that is no
    // phrase.
    let (mut with_phrases, mut unclear) = (RoaringBitmap::new(), RoaringBitmap::new());
    for node in path {
        let documents = node.phrase_documents(context)?;
        if !node.is_phrase() {
            unclear |= &documents;
        }
        with_phrases |= documents;
    }
    let short = shortlist(context, steps, path, universe, &unclear, count)?;
    let universe = short.as_ref().unwrap_or(universe);
    let judge = judge.as_ref();
    let is_near_first = matches!(steps.first(), Some(Step::Measure(Measure::Proximity)));
    let by_word = context.settings.proximity_precision == Precision::ByWord;
    let counts_distance = steps.contains(&Step::Measure(Measure::Proximity)) && by_word;
    let nearness = match counts_distance {
        true => Nearness::new(context, path, universe, count)?,
        false => Nearness::default(),
    };
    let groups = match is_near_first {
        true => nearness.groups(context, universe, &unclear),
        false => vec![universe.clone()],
    };
    let mut run = Run {
        context,
        steps,
        path,
        judge,
        is_known: initial.is_known,
        count,
        bounds: Bounds::new(context, steps, path, &initial.least, judge, &unclear, nearness),
        pass: TopKPass::new(context, steps, path, &slots, judge, with_phrases, count)?,
    };
    for (apart, group) in (0..).zip(&groups) {
        let mut least = initial.least;
        least[0] += apart;
        if run.pass.is_beaten(&(least, 0)) {
            break;
        }
        let is_in_time = if groups.len() > 1
            && are_rarely_near(context, &mut run.pass, group, least[0], count)?
        {
            run.rank_by_distance(group, least)?
        } else {
            run.rank_group(group, least)?
        };
        if !is_in_time {
            return Ok(None);
        }
    }
    let ordered = run.pass.into_best().into_iter();
    Ok(Some(
        ordered.map(|(costs, doc_id)| (doc_id, scores(context, steps, path, &costs))).collect(),
    ))
}

/// Ranks group after group. Its methods return false if the time is over.
struct Run<'p, 's> {
    context: &'p Context<'s>,
    steps: &'p [Step<'p>],
    path: &'p Path,
    judge: Option<&'p ExactJudge>,
    is_known: [bool; MAX_STEPS],
    count: usize,
    bounds: Bounds<'p, 's>,
    pass: TopKPass<'p, 's>,
}

impl Run<'_, '_> {
    /// Ranks a group. `least` is a lower bound of the costs of its documents.
    fn rank_group(&mut self, group: &RoaringBitmap, least: Costs) -> Result<bool, SearchError> {
        if group.len() < MANY {
            return self.measure(group);
        }
        let mut rest = group.clone();
        if !self.measure(&first_documents(&mut rest, FIRST_BOUNDED.max(16 * self.count)))? {
            return Ok(false);
        }
        let exactness = self.steps.iter().position(|step| *step == Step::ExactAttribute);
        let groups = match exactness {
            // Often enough of the first documents have the least possible costs, except for
            // exactness.
            Some(step) if self.pass.has_found_least(&least[..step]) => {
                exactness_groups(self.context, self.steps, self.path, self.judge, rest, least)?
            }
            _ => vec![BoundedGroup { documents: rest, least }],
        };
        for BoundedGroup { documents, least } in groups {
            let first = documents.min();
            if first.is_some_and(|first| !self.pass.is_beaten(&(least, first)))
                && !self.measure(&documents)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Ranks a group in which few documents cost as little as `least` under the first step: by
    /// distance, then by bounds.
    fn rank_by_distance(
        &mut self,
        group: &RoaringBitmap,
        mut least: Costs,
    ) -> Result<bool, SearchError> {
        let Some(classes) = by_distance(&mut self.pass, group, self.count)? else {
            return Ok(false);
        };
        for (cost, documents) in classes {
            least[0] = cost;
            if self.pass.is_beaten(&(least, 0)) {
                break;
            }
            if !self.measure(&documents.into_iter().collect())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Measures documents in the order of their bounds, until none of the rest can be among the
    /// best.
    fn measure(&mut self, documents: &RoaringBitmap) -> Result<bool, SearchError> {
        let mut bounded = self.bounds.of(documents)?;
        let mut waiting = &mut bounded[..];
        let mut turn = FIRST_TURN.max(2 * self.count);
        let mut is_complete = false;
        while !waiting.is_empty() && !is_complete {
            if turn < waiting.len() {
                waiting.select_nth_unstable(turn);
            }
            let (next, later) = waiting.split_at_mut(turn.min(waiting.len()));
            next.sort_unstable();
            match self.pass.run(next, &self.is_known)? {
                Some(complete) => is_complete = complete,
                None => return Ok(false),
            }
            waiting = later;
            turn *= TURN_GROWTH;
        }
        Ok(true)
    }
}

/// The least costs of any document.
struct InitialCosts {
    least: Costs,
    /// The steps under which all documents have the least cost.
    is_known: [bool; MAX_STEPS],
}

impl InitialCosts {
    fn new(context: &Context<'_>, steps: &[Step<'_>], path: &Path, may_be_exact: bool) -> Self {
        let (mut least, mut is_known) = (Costs::default(), [false; MAX_STEPS]);
        for (place, step) in steps.iter().enumerate() {
            (least[place], is_known[place]) = match step {
                Step::Measure(measure) => {
                    let (least, most) = (measure.least(path), measure.most(context, path));
                    (least, least == most)
                }
                Step::ExactAttribute if !may_be_exact => {
                    (ExactAttribute::NoExactMatch as u32, true)
                }
                _ => (0, false),
            };
        }
        Self { least, is_known }
    }
}

fn is_position(step: &Step<'_>) -> bool {
    matches!(step, Step::Measure(Measure::WordPosition { .. }))
}

fn scores(context: &Context<'_>, steps: &[Step<'_>], path: &Path, costs: &Costs) -> Vec<Score> {
    let score = |(step, &cost): (&Step<'_>, &u32)| match step {
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
