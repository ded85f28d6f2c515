//! Selects documents by a filter. The tree is checked as a whole before anything is read, so that a
//! filter is rejected for the same reason whatever the documents contain; then each condition
//! becomes a set of documents, by the values stored in segments.

mod check;
mod contains;
mod evaluate;
mod geo;

use evaluate::Evaluation;
use filter::Filter;
use index::Snapshot;
use model::Cancel;
use roaring::RoaringBitmap;
use settings::Settings;

use crate::error::SearchError;

/// Checks that the settings allow a filter. Conditions on shards and other indexes are skipped:
/// they can be judged only when the filter is used.
pub fn check(settings: &Settings, filter: &Filter) -> Result<(), SearchError> {
    match filter.names_shards() || !filter.foreign().is_empty() {
        true => Ok(()),
        false => check::check(settings, filter.condition()),
    }
}

/// Returns the live documents that satisfy the filter. Messages quote it as given. It is
/// cancelled when the client has gone away.
pub fn matching(
    snapshot: &Snapshot,
    filter: &Filter,
    cancel: &Cancel,
) -> Result<RoaringBitmap, SearchError> {
    check::check(snapshot.typed_settings(), filter.condition())?;
    let found = Evaluation::new(snapshot, filter.condition(), cancel).all_documents();
    snapshot.check_maps()?;
    found
}

#[cfg(test)]
mod tests;
