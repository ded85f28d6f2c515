//! Snapshots: the whole instance at one moment as one file, made while writes go on.
//!
//! What is copied is what a crash at that moment would have left on the disk, which every start
//! knows how to go on from. It is exact for these reasons:
//!
//! - The files of an index are never written to again, and a manifest names those that belong
//!   together. Hard links to them are a copy of that state, whatever comes later (`index_copies`).
//! - `meta.redb` says which tasks are finished, and all its changes pass through the one writer of
//!   the queue. The cut is made inside a transaction of that writer (`cut`): for as long as it
//!   lasts no task is enqueued, finishes or is deleted, and no index appears or goes.
//! - A batch commits to its index, with a receipt, before it is marked finished, and the next
//!   batch of the index starts after that. So during the cut an index is at most one batch ahead
//!   of `meta.redb`, and that batch is the one whose receipt its manifest carries: the start
//!   settles it. It is never behind, because what is marked finished was committed before.
//! - Indexes are looked at again until none has changed while the others were looked at, so all
//!   of them are of one moment.
//!
//! Nearly everything is linked before the cut, outside of the writer; within it only what has
//! changed since. The copy of `meta.redb` is read afterwards through a reader that was opened
//! within the cut and sees that moment for as long as it lives.

mod import;
mod index_copies;
mod local;
mod object_storage;
mod options;
mod pack;
mod schedule;
mod snapshot_point;
mod staging;

use std::io;
use std::path::Path;
use std::sync::Arc;

use model::ServiceError;
use outbound::Client;
use tasks::{Progress, Queue, RunError, StopFlag, TaskUid};

use crate::indexes::catalog::Indexes;
use crate::storage::folder::DataFolder;

pub use import::import_snapshot;
pub use options::{ObjectStorage, SnapshotOptions};
pub(crate) use schedule::Schedule;

/// Takes snapshots, one at a time: the queue gives all that wait to one batch.
#[derive(Debug)]
pub(crate) struct SnapshotMaker {
    pub indexes: Arc<Indexes>,
    pub queue: Queue,
    pub client: Client,
    pub options: SnapshotOptions,
}

impl SnapshotMaker {
    /// Leaves out `own_tasks`: those that asked for it would else ask again after the restore.
    pub fn take(
        &self,
        own_tasks: &[TaskUid],
        progress: &Progress,
        stop: &StopFlag,
    ) -> Result<(), RunError> {
        let steps = progress.enter("taking a snapshot", 3);
        let cut = snapshot_point::make(self, progress, stop)?;
        steps.set(1);
        let staging = {
            let _step = progress.enter("copying the task queue", 1);
            cut.complete(own_tasks)?
        };
        steps.set(2);
        let name = name_for(self.indexes.folder.root());
        match &self.options.storage {
            None => local::deliver(&staging, &self.options, &name, progress, stop),
            Some(storage) => {
                object_storage::deliver(&staging, storage, &name, &self.client, progress, stop)
            }
        }
    }
}

/// The name of the data folder with an ending.
fn name_for(data_folder: &Path) -> String {
    let root = data_folder.canonicalize().unwrap_or_else(|_| data_folder.to_owned());
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    format!("{}.snapshot", name.unwrap_or_else(|| "data.sonde".to_owned()))
}

/// Removes what is left of a snapshot of this data folder that was cut short; gives whether there
/// was something.
pub(crate) fn remove_draft(data_folder: &DataFolder, folder: &Path) -> io::Result<bool> {
    local::remove_draft(folder, &name_for(data_folder.root()))
}

/// A failure that a raised flag explains is no failure.
fn unless_stopped(stop: &StopFlag, error: ServiceError) -> RunError {
    match stop.check() {
        Err(stopped) => stopped,
        Ok(()) => RunError::Failed(error),
    }
}
