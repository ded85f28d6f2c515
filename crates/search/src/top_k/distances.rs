//! Groups documents by the distances of their words. If few documents have words as near as their
//! posting lists allow, nearly all documents have to be measured anyway, and it is faster to do
//! that at once, in order, than to compute bounds for all other rules first.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use segment::DocId;

use super::pass::TopKPass;
use crate::context::Context;
use crate::error::SearchError;

/// In smaller groups, bounds are always computed first.
const MANY: u64 = 1024;
/// In documents with fewer tokens, most distances follow from posting lists.
const SHORT: u64 = 64;
/// Number of documents measured to estimate how many have near words.
const SAMPLE: usize = 64;

/// Returns whether an estimate says that fewer than `count` documents of the group cost as little
/// as `least` under the first step, `proximity`.
pub(super) fn are_rarely_near(
    context: &Context<'_>,
    pass: &mut TopKPass<'_, '_>,
    group: &RoaringBitmap,
    least: u32,
    count: usize,
) -> Result<bool, SearchError> {
    let tokens: u64 = context.segments.iter().map(|view| view.text.token_count()).sum();
    let are_short = tokens < SHORT * context.live.len();
    if are_short || group.len() < MANY.max(4 * count as u64) {
        return Ok(false);
    }
    let step = group.len() as usize / SAMPLE;
    let mut near = 0;
    for doc_id in group.iter().step_by(step) {
        near += usize::from(pass.cost_of(doc_id, least)?.is_some_and(|cost| cost <= least));
    }
    Ok(near * step < 2 * count)
}

/// Returns the documents of the group that can be among the best `count`, by their cost under the
/// first step; `None` if the time is over.
pub(super) fn by_distance(
    pass: &mut TopKPass<'_, '_>,
    group: &RoaringBitmap,
    count: usize,
) -> Result<Option<BTreeMap<u32, Vec<DocId>>>, SearchError> {
    let mut found: BTreeMap<u32, Vec<DocId>> = BTreeMap::new();
    let mut limit = u32::MAX;
    for doc_id in group {
        if pass.is_late()? {
            return Ok(None);
        }
        let Some(cost) = pass.cost_of(doc_id, limit)?.filter(|cost| *cost <= limit) else {
            continue;
        };
        found.entry(cost).or_default().push(doc_id);
        // With enough documents that cost less, those that cost more are not needed.
        let mut nearer = 0;
        for (cost, documents) in &found {
            nearer += documents.len();
            if nearer >= count {
                limit = *cost;
                break;
            }
        }
        found.retain(|cost, _| *cost <= limit);
    }
    Ok(Some(found))
}
