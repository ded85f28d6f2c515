//! The documents of a universe in groups, by what sets can tell of their costs. The group that can
//! cost the least is measured first, so that the others need not be when it is good enough.

use roaring::RoaringBitmap;
use settings::Precision;

use super::{Costs, is_position};
use crate::context::Context;
use crate::graph::{Node, Path, are_adjacent};
use crate::query::SearchError;
use crate::ranking::Step;
use crate::rules::Measure;
use crate::score::ExactAttribute;

/// Fewer documents than this are measured one by one.
const WORTH_A_LOOK: u64 = 512;
/// Pairs of words looked for in a row, for two neighbours of the query.
const MOST_PAIRS: usize = 32;
/// Neighbours of the query by which the universe is divided; each doubles the groups at most.
const MOST_DIVISIONS: usize = 4;

/// Documents with the least that each of them can cost.
pub(super) type Group = (RoaringBitmap, Costs);

/// The universe in groups, those that can cost the least first, so that the pass may end early.
pub(super) fn groups(
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
