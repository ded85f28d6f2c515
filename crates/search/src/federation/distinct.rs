//! Distinct values across several indexes: the values of hits, and the documents that remain in the
//! totals and facets of each index.

use std::collections::HashSet;

use index::Snapshot;
use model::Cancel;
use roaring::RoaringBitmap;
use segment::DocId;

use crate::context::Context;
use crate::distinct::{Contenders, Distinct, DistinctValue};
use crate::error::SearchError;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;

/// Maximum size on the wire of the contenders of all indexes; an answer has to fit beside them.
const MOST_LISTED_BYTES: usize = 48 << 20;

/// The counted documents of one index.
#[derive(Debug)]
pub struct CountedDocuments<'s> {
    pub snapshot: &'s Snapshot,
    pub candidates: RoaringBitmap,
    /// The documents among the hits.
    pub kept: RoaringBitmap,
}

/// Returns the values of an attribute by document.
pub fn values_of(
    snapshot: &Snapshot,
    attribute: &str,
    documents: impl IntoIterator<Item = DocId>,
    cancel: &Cancel,
) -> Result<Vec<Vec<DistinctValue>>, SearchError> {
    let context = Context::new(snapshot, None, None, cancel)?;
    let mut distinct = Distinct::new(&context, attribute)?;
    documents.into_iter().map(|doc_id| distinct.values(doc_id)).collect()
}

/// Removes the documents that share a value with a hit (the values in `seen`) or, if `exhaustive`,
/// with a document counted before them.
pub fn drop_duplicates(
    indexes: &mut [CountedDocuments<'_>],
    attribute: &str,
    seen: &HashSet<DistinctValue>,
    exhaustive: bool,
    cancel: &Cancel,
) -> Result<(), SearchError> {
    let contexts = indexes
        .iter()
        .map(|index| Context::new(index.snapshot, None, None, cancel))
        .collect::<Result<Vec<_>, _>>()?;
    let mut of_indexes = Vec::with_capacity(contexts.len());
    for (context, index) in contexts.iter().zip(indexes.iter()) {
        let mut distinct = Distinct::new(context, attribute)?;
        for value in seen {
            distinct.see_value(value)?;
        }
        distinct.hold(&index.kept);
        of_indexes.push(distinct);
    }
    of_indexes.reverse();
    for (context, index) in contexts.iter().zip(indexes) {
        let Some(distinct) = of_indexes.pop() else { break };
        let candidates = std::mem::take(&mut index.candidates);
        index.candidates = distinct.apply(context, candidates, exhaustive)?;
        if exhaustive && !of_indexes.is_empty() {
            let mut counted = Distinct::new(context, attribute)?;
            for doc_id in &index.candidates - &index.kept {
                context.check_cancelled()?;
                for value in counted.values(doc_id)? {
                    of_indexes.iter_mut().try_for_each(|later| later.see_value(&value))?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the contenders of each index, which count depending on the other instances, and leaves
/// only the documents that count in any case: the hits, and documents without a value. Returns
/// nothing and changes nothing if the contenders would be too large.
pub fn list_contenders(
    indexes: &mut [CountedDocuments<'_>],
    attribute: &str,
    cancel: &Cancel,
) -> Result<Option<Vec<Contenders>>, SearchError> {
    let mut room = MOST_LISTED_BYTES;
    let mut all = Vec::with_capacity(indexes.len());
    for index in indexes.iter() {
        let context = Context::new(index.snapshot, None, None, cancel)?;
        let mut distinct = Distinct::new(&context, attribute)?;
        let others = &index.candidates - &index.kept;
        match distinct.contenders(&context, &others, &mut room)? {
            Some(listed) => all.push(listed),
            None => return Ok(None),
        }
    }
    let mut contenders = Vec::with_capacity(all.len());
    for (index, (without_value, listed)) in indexes.iter_mut().zip(all) {
        index.candidates &= without_value | &index.kept;
        contenders.push(listed);
    }
    Ok(Some(contenders))
}

/// Removes all documents with a value except the hits and those chosen among the contenders of all
/// instances.
pub fn keep_chosen(
    indexes: &mut [CountedDocuments<'_>],
    chosen: &[RoaringBitmap],
    attribute: &str,
    cancel: &Cancel,
) -> Result<(), SearchError> {
    for (index, chosen) in indexes.iter_mut().zip(chosen) {
        let context = Context::new(index.snapshot, None, None, cancel)?;
        let mut distinct = Distinct::new(&context, attribute)?;
        let mut left = &index.candidates & (chosen | &index.kept);
        for (count, doc_id) in (&index.candidates - &left).iter().enumerate() {
            if count.is_multiple_of(DOCUMENTS_BETWEEN_CHECKS) {
                context.check_cancelled()?;
            }
            if !distinct.has_value(doc_id)? {
                left.insert(doc_id);
            }
        }
        index.candidates = left;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
