//! Snapshots: their contents, their import, and errors.

mod archives;
mod importing;
mod moments;
mod object_storage;
mod operation_log;
mod scheduled;

use std::path::{Path, PathBuf};

use engine::snapshots::import_snapshot;
use engine::{Import, OpenError};
use tasks::{Content, Status};

use crate::support::Instance;

/// Default path of the snapshot of an instance.
fn snapshot_of(instance: &Instance) -> PathBuf {
    instance.path().with_file_name("snapshots").join("data.snapshot")
}

/// Takes a snapshot and gives the uid of its task.
fn take(instance: &Instance) -> u32 {
    let task = instance.wait(&instance.enqueue(Content::SnapshotCreation));
    assert_eq!(task.status, Status::Succeeded, "{:?}", task.error);
    task.uid
}

fn import(file: &Path, db_path: &Path) -> Result<bool, OpenError> {
    let file = file.to_owned();
    import_snapshot(&Import { file, ignore_missing: false, ignore_if_db_exists: false }, db_path)
}
