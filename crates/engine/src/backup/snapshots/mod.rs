//! Snapshots: a consistent state of the whole instance as one file, taken while writes go on.
//!
//! The copy is what a crash at that moment would have left on disk, from which every start can
//! recover. It is consistent for these reasons:
//!
//! - The files of an index are never written to again, and a manifest names those that belong
//!   together. Hard links to them are a copy of that state, whatever comes later (`index_copies`).
//! - `meta.redb` says which tasks are finished, and all its changes pass through the one writer of
//!   the queue. The point is fixed inside a transaction of that writer (`snapshot_point`): while it
//!   lasts no task is enqueued, finishes or is deleted, and no index is created or removed.
//! - A batch commits to its index, with a receipt, before it is marked finished, and the next
//!   batch of the index starts after that. So an index is at most one batch ahead of `meta.redb`,
//!   and that batch is the one whose receipt its manifest carries: the start settles it. It is
//!   never behind, because a batch is committed before it is marked finished.
//! - Indexes are checked again until none has changed while the others were checked, so all of
//!   them show the same point in time.
//!
//! Nearly everything is linked before the transaction; within it only what has changed since. The
//! copy of `meta.redb` is read afterwards through a reader opened within the transaction, which
//! sees that state for as long as it lives.

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

use model::{Cancel, ServiceError};
use outbound::Client;
use tasks::{Progress, Queue, RunError, TaskUid};

use crate::indexes::catalog::Indexes;
use crate::storage::folder::DataFolder;

pub use import::import_snapshot;
pub use options::{ObjectStorage, SnapshotOptions};
pub(crate) use schedule::Schedule;

/// Takes snapshots, one at a time: the queue batches all waiting requests.
#[derive(Debug)]
pub(crate) struct SnapshotMaker {
    pub indexes: Arc<Indexes>,
    pub queue: Queue,
    pub client: Client,
    pub options: SnapshotOptions,
}

impl SnapshotMaker {
    /// Takes a snapshot without `own_tasks`, which would otherwise ask for another after a restore.
    pub fn take(
        &self,
        own_tasks: &[TaskUid],
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<(), RunError> {
        let steps = progress.enter("taking a snapshot", 3);
        let point = snapshot_point::make(self, progress, cancel)?;
        steps.set(1);
        let staging = {
            let _step = progress.enter("copying the task queue", 1);
            point.complete(own_tasks)?
        };
        steps.set(2);
        let name = name_for(self.indexes.folder.root());
        match &self.options.storage {
            None => local::deliver(&staging, &self.options, &name, progress, cancel),
            Some(storage) => {
                object_storage::deliver(&staging, storage, &name, &self.client, progress, cancel)
            }
        }
    }
}

/// Returns the name of the snapshot: that of the data folder with an extension.
fn name_for(data_folder: &Path) -> String {
    let root = data_folder.canonicalize().unwrap_or_else(|_| data_folder.to_owned());
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    format!("{}.snapshot", name.unwrap_or_else(|| "data.sonde".to_owned()))
}

/// Removes an unfinished snapshot of this data folder; returns whether there was one.
pub(crate) fn remove_draft(data_folder: &DataFolder, folder: &Path) -> io::Result<bool> {
    local::remove_draft(folder, &name_for(data_folder.root()))
}

/// Returns `Stopped` if the cancellation explains the failure.
fn unless_stopped(cancel: &Cancel, error: ServiceError) -> RunError {
    match cancel.check() {
        Err(cancelled) => cancelled.into(),
        Ok(()) => RunError::Failed(error),
    }
}
