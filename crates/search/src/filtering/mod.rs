//! Which documents a filter selects. The tree is checked as a whole before anything is read, so
//! that a filter is refused for the same reason whatever the documents hold; then each condition
//! becomes a set of documents, by the values that the segments keep.

mod check;
mod evaluate;
mod geo;

use filter::Filter;
use index::Snapshot;
use roaring::RoaringBitmap;

use crate::query::SearchError;

/// The live documents that satisfy the filter. Messages quote it as it is given.
pub fn matching(snapshot: &Snapshot, filter: &Filter) -> Result<RoaringBitmap, SearchError> {
    check::check(snapshot.typed_settings(), filter.condition())?;
    evaluate::Evaluation::new(snapshot).documents(filter.condition())
}

#[cfg(test)]
mod tests;
