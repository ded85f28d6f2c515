//! Removes, at the next start, what a killed process left in folders outside the data folder:
//! unfinished dumps and snapshots; and the copy of a task store under compaction. The owners of the
//! rest sweep it: the queue its payloads, indexes their files, the data folder the staging of
//! snapshots.

use std::path::Path;

use super::snapshots::remove_draft;
use crate::storage::folder::DataFolder;

/// Removes leftovers. A folder that cannot be cleared does not prevent the start.
pub(crate) fn clear(folder: &DataFolder, dumps: &Path, snapshots: &Path) {
    match dump::remove_unfinished(dumps) {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "dumps that were cut short are removed"),
        Err(error) => {
            let path = dumps.display();
            tracing::warn!("leftover files of dumps in {path} cannot be removed: {error}");
        }
    }
    match tasks::remove_unfinished_rewrite(&folder.meta()) {
        Ok(false) => {}
        Ok(true) => tracing::info!("a compaction of the task store that was cut short is removed"),
        Err(error) => tracing::warn!("leftover files of a compaction cannot be removed: {error}"),
    }
    match remove_draft(folder, snapshots) {
        Ok(false) => {}
        Ok(true) => tracing::info!("a snapshot that was cut short is removed"),
        Err(error) => {
            let path = snapshots.display();
            tracing::warn!("leftover files of a snapshot in {path} cannot be removed: {error}");
        }
    }
}
