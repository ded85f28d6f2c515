//! Lower bounds of the costs of documents, from the posting lists of their words: attributes,
//! approximate first positions in these, and distances of frequent words. No token stream is read.
//! Documents with the least bounds are measured first; those that cannot be among the best are not
//! measured.

mod bound;
mod key;
mod lists;
mod nearness;
mod node_marks;
mod pair;
mod places;
mod position_costs;

use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;
use settings::Precision;

use super::Costs;
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::graph::{Node, Path, are_adjacent};
use crate::rules::{ExactJudge, Measure};
use crate::score::ExactAttribute;
use crate::steps::Step;
use lists::Lists;
use node_marks::{Detail, NodeMarks};
use places::Places;

pub(super) use key::Key;
pub(super) use nearness::Nearness;
pub(super) use position_costs::PositionCosts;

/// A document with its lower bound. Ordered by costs, then by document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BoundedDocument {
    pub key: Key,
    pub doc_id: DocId,
    /// One bit per step: whether the bound is exact.
    exact: u8,
}

impl BoundedDocument {
    /// Returns whether the cost of a step equals the bound.
    #[inline]
    pub fn is_exact(&self, step: usize) -> bool {
        self.exact & 1 << step != 0 && !self.key.is_capped(step)
    }

    fn is_not_exact(&mut self, step: Option<usize>) {
        if let Some(step) = step {
            self.exact &= !(1 << step);
        }
    }
}

/// Computes lower bounds of the costs of documents, group by group.
pub(super) struct Bounds<'p, 's> {
    context: &'p Context<'s>,
    path: &'p Path,
    plan: Plan,
    judge: Option<&'p ExactJudge>,
    /// The lower bound of every document.
    least: Key,
    /// Documents in which a phrase matches a single node: nothing more is known of them.
    unclear: &'p RoaringBitmap,
    pub nearness: Nearness,
    lists: Lists<'s>,
}

impl<'p, 's> Bounds<'p, 's> {
    pub fn new(
        context: &'p Context<'s>,
        steps: &[Step<'_>],
        path: &'p Path,
        least: &Costs,
        judge: Option<&'p ExactJudge>,
        unclear: &'p RoaringBitmap,
        nearness: Nearness,
    ) -> Self {
        let plan = Plan::of(context, steps);
        let (least, lists) = (Key::of(least), Lists::default());
        Self { context, path, plan, judge, least, unclear, nearness, lists }
    }

    /// Returns the documents of a group with the bounds of their costs.
    pub fn of(&mut self, group: &RoaringBitmap) -> Result<Vec<BoundedDocument>, SearchError> {
        let least = self.least;
        let unbounded = |doc_id| BoundedDocument { key: least, doc_id, exact: 0 };
        if !self.are_worth_it(group) {
            return Ok(group.iter().map(unbounded).collect());
        }
        let mut keyed: Vec<BoundedDocument> = Vec::with_capacity(group.len() as usize);
        let clear = group - self.unclear;
        for (number, view) in self.context.segments.iter().enumerate() {
            let mut here = &clear & view.text.doc_ids();
            if !view.deleted.is_empty() {
                here -= view.deleted;
            }
            if here.is_empty() {
                continue;
            }
            let start = keyed.len();
            let has_occurrences = view.text.has_occurrences();
            let exact = if has_occurrences { self.plan.exact_places() } else { 0 };
            let doc_ids = segment::members(&here).into_iter();
            keyed.extend(doc_ids.map(|doc_id| BoundedDocument { key: least, doc_id, exact }));
            let keyed = &mut keyed[start..];
            if has_occurrences {
                self.add_places(view, number, keyed)?;
            }
            self.add_exactness(&here, keyed)?;
        }
        keyed.extend((group & self.unclear).iter().map(unbounded));
        Ok(keyed)
    }

    /// Returns whether reading the lists of all words is faster than reading the documents.
    fn are_worth_it(&self, group: &RoaringBitmap) -> bool {
        /// Reading a document takes about as long as this many entries of lists.
        const ENTRIES: u64 = 1000;
        let count = |node: &Rc<Node>| node.known_document_count(self.context);
        let entries: Option<u64> = self.path.iter().map(count).sum();
        entries.is_some_and(|entries| entries <= ENTRIES * group.len())
    }

    /// Adds the bounds of attributes, positions and distances in documents of one segment.
    fn add_places(
        &mut self,
        view: &SegmentView<'s>,
        segment: usize,
        keyed: &mut [BoundedDocument],
    ) -> Result<(), SearchError> {
        let Plan { proximity, weight, position, exact_attribute, .. } = self.plan;
        let doc_ids: Vec<DocId> = keyed.iter().map(|bounded| bounded.doc_id).collect();
        let documents = Places::new(&doc_ids);
        let mut left: Option<NodeMarks<'_>> = None;
        for (number, node) in self.path.iter().enumerate() {
            self.context.check_cancelled()?;
            let is_alone = self.path.len() == 1 && node.first_position == 0;
            let detail = match weight {
                None if is_alone => Detail::FirstPosition,
                _ => Detail::Attributes,
            };
            let marks = NodeMarks::new(view, segment, node, &documents, &mut self.lists, detail)?;
            if let Some(step) = weight {
                let size = u64::from(node.size());
                marks.for_each_weight(view, |place, least| match least {
                    Some(least) => keyed[place].key.add(step, size * u64::from(least)),
                    None => keyed[place].is_not_exact(weight),
                });
            }
            if position.is_some() || exact_attribute.is_some() {
                let exact_step =
                    exact_attribute.filter(|_| node.allows_exact() && !node.is_phrase());
                let costs = PositionCosts::of(node);
                marks.for_each_position(view, &costs, |place, known| {
                    let bounded = &mut keyed[place];
                    let Some(known) = known else {
                        return bounded.is_not_exact(position);
                    };
                    if let Some(step) = position {
                        bounded.key.add(step, u64::from(known.cost.least));
                    }
                    if !known.cost.is_exact {
                        bounded.is_not_exact(position);
                    }
                    if let Some(step) = exact_step.filter(|_| !known.is_in_place) {
                        bounded.key.set(step, ExactAttribute::NoExactMatch as u64);
                        bounded.exact |= 1 << step;
                    }
                });
            }
            if node.is_phrase() {
                // The distances of its ends to others are not known.
                keyed.iter_mut().for_each(|bounded| bounded.is_not_exact(proximity));
                left = None;
                continue;
            }
            if let (Some(step), Some(left)) = (proximity, &left)
                && are_adjacent(left.node, node)
            {
                let near = self.nearness.of(number - 1, segment);
                pair::for_each_distance(left, &marks, near, &doc_ids, |place, apart| {
                    keyed[place].key.add(step, u64::from(apart.least));
                    if !apart.is_exact {
                        keyed[place].is_not_exact(proximity);
                    }
                });
            }
            left = Some(marks);
        }
        Ok(())
    }

    /// Adds the bounds of exactness that follow from sets alone, in documents of one segment.
    fn add_exactness(
        &self,
        here: &RoaringBitmap,
        keyed: &mut [BoundedDocument],
    ) -> Result<(), SearchError> {
        if let (Some(step), Some(judge)) = (self.plan.exact_attribute, self.judge) {
            for_each_outside(keyed, &judge.candidates, |bounded| {
                bounded.key.set(step, ExactAttribute::NoExactMatch as u64);
                bounded.exact |= 1 << step;
            });
        }
        if let Some(step) = self.plan.exact_words {
            for node in self.path.iter().filter(|node| node.allows_exact()) {
                let exact = node.exact_documents(self.context)?;
                if here.is_subset(&exact) {
                    continue;
                }
                let size = u64::from(node.size());
                for_each_outside(keyed, &exact, |bounded| bounded.key.add(step, size));
            }
        }
        Ok(())
    }
}

/// The indices of the steps that can be bounded.
#[derive(Clone, Copy)]
struct Plan {
    proximity: Option<usize>,
    weight: Option<usize>,
    position: Option<usize>,
    exact_attribute: Option<usize>,
    exact_words: Option<usize>,
}

impl Plan {
    fn of(context: &Context<'_>, steps: &[Step<'_>]) -> Self {
        let place = |is_it: &dyn Fn(&Measure) -> bool| {
            steps.iter().position(|step| matches!(step, Step::Measure(measure) if is_it(measure)))
        };
        let by_word = context.settings.proximity_precision == Precision::ByWord;
        Self {
            proximity: place(&|measure| *measure == Measure::Proximity).filter(|_| by_word),
            weight: place(&|measure| matches!(measure, Measure::AttributeRank { .. }))
                .filter(|_| context.weights > 1),
            position: place(&|measure| matches!(measure, Measure::WordPosition { .. })),
            exact_attribute: steps.iter().position(|step| *step == Step::ExactAttribute),
            exact_words: place(&|measure| *measure == Measure::ExactWords),
        }
    }

    /// Returns the steps whose costs are exact, unless the words of a document contradict.
    fn exact_places(&self) -> u8 {
        let steps = [self.proximity, self.weight, self.position].into_iter().flatten();
        steps.fold(0, |exact, step| exact | 1 << step)
    }
}

/// Visits each document that is not in a set; the documents are sorted.
fn for_each_outside(
    keyed: &mut [BoundedDocument],
    set: &RoaringBitmap,
    mut each: impl FnMut(&mut BoundedDocument),
) {
    /// Looking up a document takes as long as this many steps through the set.
    const STEPS: u64 = 16;
    if set.len() > STEPS * keyed.len() as u64 {
        let outside = keyed.iter_mut().filter(|bounded| !set.contains(bounded.doc_id));
        return outside.for_each(each);
    }
    let members = segment::members(set);
    let mut place = 0;
    for bounded in keyed {
        while members.get(place).is_some_and(|member| *member < bounded.doc_id) {
            place += 1;
        }
        if members.get(place) != Some(&bounded.doc_id) {
            each(bounded);
        }
    }
}
