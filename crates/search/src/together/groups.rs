//! The documents of a universe in groups, by what sets can tell of their costs. The group that can
//! cost the least is measured first, so that the others need not be when it is good enough.

use roaring::RoaringBitmap;
use settings::Precision;

use super::cost_sets::{self, CostSets};
use super::{Costs, MAX_STEPS, is_position};
use crate::context::Context;
use crate::graph::{Path, are_adjacent};
use crate::query::SearchError;
use crate::ranking::Step;
use crate::rules::Measure;
use crate::score::ExactAttribute;

/// Fewer documents than this are measured one by one.
const WORTH_A_LOOK: u64 = 512;

/// Documents of which the same is known.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub documents: RoaringBitmap,
    /// The least that each of them can cost, step by step.
    pub least: Costs,
    /// Under which steps all of them cost just that.
    pub is_known: [bool; MAX_STEPS],
}

/// The universe in groups, those that can cost the least first, so that the pass may end early.
/// What cannot be among the best `count` may be missing. `with_phrases` are documents in which
/// several words in a row stand for a node: only a look can tell what they cost.
pub(super) fn groups(
    context: &Context<'_>,
    steps: &[Step],
    path: &Path,
    universe: Group,
    with_phrases: &RoaringBitmap,
    count: usize,
) -> Result<Vec<Group>, SearchError> {
    if universe.documents.len() < WORTH_A_LOOK {
        return Ok(vec![universe]);
    }
    let Group { documents, least, is_known } = universe;
    let unclear = &documents & with_phrases;
    let documents = documents - &unclear;
    let mut groups = vec![Group { documents, least, is_known }];
    let by_word = context.settings.proximity_precision == Precision::ByWord;
    for (place, step) in steps.iter().enumerate() {
        if is_known[place] || documents_in(&groups) < WORTH_A_LOOK {
            continue;
        }
        groups = match step {
            Step::Measure(Measure::Proximity) if by_word => {
                let pairs = path.windows(2).filter(|pair| are_adjacent(&pair[0], &pair[1]));
                divided_by_all(groups, place, pairs, |pair, documents| {
                    cost_sets::of_neighbours(context, &pair[0], &pair[1], documents)
                })?
            }
            step if is_position(step) => {
                divided_by_all(groups, place, path.iter(), |node, documents| {
                    cost_sets::of_position(context, node, documents)
                })?
            }
            _ => groups,
        };
        drop_hopeless(&mut groups, place, count);
    }
    groups.push(Group { documents: unclear, least, is_known });
    if let Some(exact) = documents_as_typed(context, steps, path)? {
        groups = divided_by_exactness(groups, steps, &exact);
    }
    groups.retain(|group| !group.documents.is_empty());
    groups.sort_by_key(|group| group.least);
    Ok(groups)
}

fn documents_in(groups: &[Group]) -> u64 {
    groups.iter().map(|group| group.documents.len()).sum()
}

/// Drops the groups that come after enough documents which certainly cost less.
fn drop_hopeless(groups: &mut Vec<Group>, place: usize, count: usize) {
    groups.sort_by_key(|group| group.least);
    let mut known = 0;
    let mut worst_needed = groups.iter().filter(|group| {
        if group.is_known[..=place].iter().all(|known| *known) {
            known += group.documents.len();
        }
        known >= count as u64
    });
    if let Some(worst) = worst_needed.next().map(|group| group.least) {
        groups.retain(|group| group.least[..=place] <= worst[..=place]);
    }
}

/// Divides groups by what they cost under one step: the sum of what each of `parts` costs, as far
/// as sets can tell.
fn divided_by_all<T>(
    mut groups: Vec<Group>,
    place: usize,
    parts: impl Iterator<Item = T>,
    sets_of: impl Fn(T, u64) -> Result<Option<CostSets>, SearchError>,
) -> Result<Vec<Group>, SearchError> {
    let count = documents_in(&groups);
    let mut are_all_known = true;
    for group in &mut groups {
        group.is_known[place] = true;
    }
    for part in parts {
        match sets_of(part, count)? {
            Some(costs) => groups = divided_by_costs(groups, place, &costs),
            None => are_all_known = false,
        }
    }
    for group in &mut groups {
        group.is_known[place] &= are_all_known;
    }
    Ok(groups)
}

fn divided_by_costs(groups: Vec<Group>, place: usize, costs: &CostSets) -> Vec<Group> {
    let mut divided: Vec<Group> = Vec::with_capacity(groups.len() * (costs.sets.len() + 1));
    let mut add = |part: Group| {
        if part.documents.is_empty() {
            return;
        }
        let alike =
            |other: &&mut Group| other.least == part.least && other.is_known == part.is_known;
        match divided.iter_mut().find(alike) {
            Some(group) => group.documents |= part.documents,
            None => divided.push(part),
        }
    };
    for Group { documents: mut left, least, is_known } in groups {
        for (cost, set) in costs.sets.iter().enumerate() {
            let documents = &left & set;
            if !documents.is_empty() {
                left -= &documents;
                let mut least = least;
                least[place] += cost as u32;
                add(Group { documents, least, is_known });
            }
        }
        let mut rest = Group { documents: left, least, is_known };
        rest.least[place] += costs.rest;
        rest.is_known[place] &= costs.is_rest_exact;
        add(rest);
    }
    divided
}

/// Divides groups into the documents in which every term stands as it was typed and the others.
fn divided_by_exactness(groups: Vec<Group>, steps: &[Step], exact: &RoaringBitmap) -> Vec<Group> {
    let mut divided = Vec::with_capacity(groups.len() * 2);
    for Group { documents, least, is_known } in groups {
        let mut rest = Group { documents: &documents - exact, least, is_known };
        for (place, step) in steps.iter().enumerate() {
            match step {
                Step::ExactAttribute => {
                    rest.least[place] = ExactAttribute::NoExactMatch as u32;
                    rest.is_known[place] = true;
                }
                Step::Measure(Measure::ExactWords) => rest.least[place] += 1,
                _ => {}
            }
        }
        divided.push(Group { documents: documents & exact, least, is_known });
        divided.push(rest);
    }
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
