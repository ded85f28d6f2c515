//! What a process that was killed leaves in the folders of others: drafts of dumps and of the
//! snapshot; and the draft of a task store that was being compacted. They go at the next start.
//! The rest that it leaves in the data folder is swept by whoever wrote it: payloads by the queue,
//! files of indexes by these, the staging of snapshots by the folder.

use std::path::Path;

use super::snapshots::remove_draft;
use crate::storage::folder::DataFolder;

/// A folder that cannot be cleared is no reason not to start.
pub(crate) fn clear(folder: &DataFolder, dumps: &Path, snapshots: &Path) {
    match dump::remove_unfinished(dumps) {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "dumps that were cut short are removed"),
        Err(error) => {
            let path = dumps.display();
            tracing::warn!("what is left of dumps in {path} cannot be removed: {error}");
        }
    }
    match tasks::remove_unfinished_rewrite(&folder.meta()) {
        Ok(false) => {}
        Ok(true) => tracing::info!("a compaction of the task store that was cut short is removed"),
        Err(error) => tracing::warn!("what is left of a compaction cannot be removed: {error}"),
    }
    match remove_draft(folder, snapshots) {
        Ok(false) => {}
        Ok(true) => tracing::info!("a snapshot that was cut short is removed"),
        Err(error) => {
            let path = snapshots.display();
            tracing::warn!("what is left of a snapshot in {path} cannot be removed: {error}");
        }
    }
}
