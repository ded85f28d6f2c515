//! Preselects documents for queries that consist of one prefix and match very many documents: the
//! first letters that people type. Documents without the exact word differ only in the first
//! positions of their words; segments store these, so that few documents need to be read.

use std::ops::ControlFlow;

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::LATE;

use super::bounds::PositionCosts;
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::graph::{Node, Path};
use crate::rules::Measure;
use crate::steps::Step;

/// Fewer documents are measured quickly anyway.
const MANY: u64 = 4096;

/// Returns a part of the universe that contains its best `count` documents; `None` if it cannot be
/// determined.
pub(super) fn shortlist(
    context: &Context<'_>,
    steps: &[Step<'_>],
    path: &Path,
    universe: &RoaringBitmap,
    unclear: &RoaringBitmap,
    count: usize,
) -> Result<Option<RoaringBitmap>, SearchError> {
    let [node] = &path[..] else {
        return Ok(None);
    };
    let looks_at_attributes = context.weights > 1
        && steps.iter().any(|step| matches!(step, Step::Measure(Measure::AttributeRank { .. })));
    if universe.len() < MANY.max(2 * count as u64)
        || node.is_phrase()
        || node.first_position > 0
        || looks_at_attributes
    {
        return Ok(None);
    }
    let exact = node.exact_documents(context)?;
    let mut chosen = universe & &*exact;
    chosen |= universe & unclear;
    let others = universe - &chosen;
    for (number, view) in context.segments.iter().enumerate() {
        match first_documents(view, number, node, &others, count)? {
            Some(first) => chosen.extend(first),
            None => chosen |= &(&others & view.text.doc_ids()),
        }
    }
    Ok(Some(chosen))
}

/// Returns the first documents of a segment for each first position of words of the prefix; `None`
/// if positions are not stored.
fn first_documents(
    view: &SegmentView<'_>,
    segment: usize,
    node: &Node,
    universe: &RoaringBitmap,
    count: usize,
) -> Result<Option<Vec<DocId>>, SearchError> {
    let words = node.words(segment);
    let range = match &words[..] {
        [] => return Ok(Some(Vec::new())),
        [(range, _)] if range.len() > 1 && !view.is_restricted && !view.has_strict_fields => range,
        _ => return Ok(None),
    };
    let Some(positions) = view.text.union_positions(range)? else {
        return Ok(None);
    };
    let costs = PositionCosts::of(node);
    let mut found = Vec::new();
    let mut missing = [count; LATE as usize];
    let mut certain = 0;
    positions.try_for_each(|doc_id, position| {
        if let Some(missing_here) = missing.get_mut(usize::from(position))
            && *missing_here > 0
            && universe.contains(doc_id)
            && !view.deleted.contains(doc_id)
        {
            *missing_here -= 1;
            found.push(doc_id);
            certain += usize::from(costs.of_union(position) < costs.of_union(LATE));
        }
        // No document can precede enough documents that start with the word.
        match missing[0] {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    if missing[0] == 0 {
        return Ok(Some(found));
    }
    // Late positions share a bucket: they must not be needed.
    Ok((certain >= count).then_some(found))
}
