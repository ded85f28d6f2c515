//! The least that documents can cost, from what lists say of their words: in which attributes they
//! stand, about where they first stand there, and which frequent words stand next to each other. No
//! token stream is read for it. Documents whose bounds are the least are measured first; those that
//! cannot be among the best are not measured.

mod key;
mod node_marks;
mod pair;
mod position_costs;

use roaring::RoaringBitmap;
use segment::DocId;
use settings::Precision;

use super::Costs;
use crate::context::{Context, SegmentView};
use crate::graph::{Path, are_adjacent};
use crate::query::SearchError;
use crate::ranking::Step;
use crate::rules::{ExactJudge, Measure};
use crate::score::ExactAttribute;
use node_marks::NodeMarks;

pub(super) use key::Key;
pub(super) use node_marks::words_of;
pub(super) use position_costs::PositionCosts;

/// All documents with the bounds of their costs. Each of them costs at least `least`; of those with
/// phrases nothing more is known.
pub(super) fn bounds(
    context: &Context<'_>,
    steps: &[Step],
    path: &Path,
    universe: &RoaringBitmap,
    least: &Costs,
    judge: Option<&ExactJudge>,
    with_phrases: &RoaringBitmap,
) -> Result<Vec<(Key, DocId)>, SearchError> {
    let least = Key::of(least);
    let plan = Plan::of(context, steps);
    let mut keyed: Vec<(Key, DocId)> = Vec::with_capacity(universe.len() as usize);
    let clear = universe - with_phrases;
    for (number, view) in context.segments.iter().enumerate() {
        let mut here = &clear & view.text.doc_ids();
        if !view.deleted.is_empty() {
            here -= view.deleted;
        }
        if here.is_empty() {
            continue;
        }
        let start = keyed.len();
        keyed.extend(here.iter().map(|doc_id| (least, doc_id)));
        let keyed = &mut keyed[start..];
        if view.text.has_occurrences() {
            plan.add_places(context, view, number, path, keyed)?;
        }
        plan.add_exactness(context, path, judge, keyed)?;
    }
    keyed.extend((universe & with_phrases).iter().map(|doc_id| (least, doc_id)));
    Ok(keyed)
}

/// The steps that can be bounded, by their place.
struct Plan {
    proximity: Option<usize>,
    weight: Option<usize>,
    position: Option<usize>,
    exact_attribute: Option<usize>,
    exact_words: Option<usize>,
}

impl Plan {
    fn of(context: &Context<'_>, steps: &[Step]) -> Self {
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

    /// Adds what attributes, positions and distances cost in documents of one segment.
    fn add_places(
        &self,
        context: &Context<'_>,
        view: &SegmentView<'_>,
        segment: usize,
        path: &Path,
        keyed: &mut [(Key, DocId)],
    ) -> Result<(), SearchError> {
        let doc_ids: Vec<DocId> = keyed.iter().map(|(_, doc_id)| *doc_id).collect();
        let mut left: Option<NodeMarks<'_>> = None;
        for node in path {
            context.check_wanted()?;
            if node.is_phrase() {
                left = None;
                continue;
            }
            let marks = NodeMarks::new(view, segment, node, &doc_ids)?;
            if let Some(step) = self.weight {
                let size = u64::from(node.size());
                marks.for_each_weight(view, |place, weight| {
                    keyed[place].0.add(step, size * u64::from(weight));
                });
            }
            if self.position.is_some() || self.exact_attribute.is_some() {
                let exact_step = self.exact_attribute.filter(|_| node.allows_exact());
                let costs = PositionCosts::of(node);
                marks.for_each_position(&costs, |place, cost, is_in_place| {
                    let key = &mut keyed[place].0;
                    if let Some(step) = self.position {
                        key.add(step, u64::from(cost));
                    }
                    if let Some(step) = exact_step.filter(|_| !is_in_place) {
                        key.set(step, ExactAttribute::NoExactMatch as u64);
                    }
                });
            }
            if let (Some(step), Some(left)) = (self.proximity, &left)
                && are_adjacent(left.node, node)
            {
                pair::for_each_distance(view, segment, left, &marks, &doc_ids, |place, apart| {
                    keyed[place].0.add(step, u64::from(apart));
                })?;
            }
            left = Some(marks);
        }
        Ok(())
    }

    /// Adds what sets alone tell of exactness, in documents of one segment.
    fn add_exactness(
        &self,
        context: &Context<'_>,
        path: &Path,
        judge: Option<&ExactJudge>,
        keyed: &mut [(Key, DocId)],
    ) -> Result<(), SearchError> {
        if let (Some(step), Some(judge)) = (self.exact_attribute, judge) {
            for_each_outside(keyed, &judge.candidates, |key| {
                key.set(step, ExactAttribute::NoExactMatch as u64);
            });
        }
        if let Some(step) = self.exact_words {
            for node in path.iter().filter(|node| node.allows_exact()) {
                let exact = node.exact_documents(context)?;
                let size = u64::from(node.size());
                for_each_outside(keyed, &exact, |key| key.add(step, size));
            }
        }
        Ok(())
    }
}

/// Each document that is not in a set; the documents are in order.
fn for_each_outside(
    keyed: &mut [(Key, DocId)],
    set: &RoaringBitmap,
    mut each: impl FnMut(&mut Key),
) {
    /// Looking for a document takes as long as so many steps through the set.
    const STEPS: u64 = 8;
    if set.len() > STEPS * keyed.len() as u64 {
        let outside = keyed.iter_mut().filter(|(_, doc_id)| !set.contains(*doc_id));
        return outside.for_each(|(key, _)| each(key));
    }
    let mut members = set.iter().peekable();
    for (key, doc_id) in keyed {
        while members.next_if(|member| member < doc_id).is_some() {}
        if members.peek() != Some(doc_id) {
            each(key);
        }
    }
}
