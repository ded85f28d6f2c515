//! Which documents a filter selects. The tree is checked as a whole before anything is read, so
//! that a filter is refused for the same reason whatever the documents hold; then each condition
//! becomes a set of documents, by the values that the segments keep.

mod check;
mod contains;
mod evaluate;
mod geo;

use std::sync::atomic::AtomicBool;

use evaluate::Evaluation;
use filter::Filter;
use index::Snapshot;
use roaring::RoaringBitmap;
use settings::Settings;

use crate::error::SearchError;

/// Whether the settings allow a filter. What it says of shards and of other indexes is not looked at:
/// that is known only when it is used.
pub fn check(settings: &Settings, filter: &Filter) -> Result<(), SearchError> {
    match filter.names_shards() || !filter.foreign().is_empty() {
        true => Ok(()),
        false => check::check(settings, filter.condition()),
    }
}

/// The live documents that satisfy the filter. Messages quote it as it is given. `cancelled` is
/// set when nobody waits for them any more.
pub fn matching(
    snapshot: &Snapshot,
    filter: &Filter,
    cancelled: &AtomicBool,
) -> Result<RoaringBitmap, SearchError> {
    check::check(snapshot.typed_settings(), filter.condition())?;
    let found = Evaluation::new(snapshot, filter.condition(), cancelled).all_documents();
    snapshot.check_maps()?;
    found
}

#[cfg(test)]
mod tests;
