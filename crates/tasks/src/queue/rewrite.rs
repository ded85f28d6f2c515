//! Rewrites the database file without its free space. The queue's only writer does it, so writes
//! wait and then go to the new file; reads continue. Until the rename of the new file is durable,
//! both files hold the same data.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::ServiceError;
use redb::{Database, ReadTransaction, ReadableDatabase};

use crate::memory::core::Core;
use crate::store::full_disk_retry::open_database;
use crate::store::task_store::View;
use crate::task::error::QueueError;

type CopyTo = Box<dyn FnOnce(&ReadTransaction, &Path) -> Result<(), redb::Error> + Send>;

/// File lengths before and after, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewriteSizes {
    pub before: u64,
    pub after: u64,
}

pub(crate) struct Rewrite {
    pub file: PathBuf,
    pub copy: CopyTo,
}

/// Replacement for the current database.
pub(crate) struct Replacement {
    pub database: Arc<Database>,
    pub view: View,
    pub sizes: RewriteSizes,
}

impl Rewrite {
    /// Rewrites the file. An error is `Refused` if the old file is still current.
    pub fn perform(self, core: &Core) -> Result<Replacement, QueueError> {
        let Self { file, copy } = self;
        let new_file = unfinished(&file);
        let prepared = prepare(core, &file, &new_file, copy).and_then(|replacement| {
            fs::rename(&new_file, &file).map_err(redb::Error::Io)?;
            Ok(replacement)
        });
        let replacement = prepared.map_err(|error| {
            // A leftover is removed before the next attempt.
            let _ = fs::remove_file(&new_file);
            let error = QueueError::from(error);
            let message = format!("the task store cannot be compacted: {error}");
            QueueError::Refused(ServiceError::new(error.code(), message))
        })?;
        // After this failure it is unknown which of the two files a crash would leave.
        sync_folder_of(&file).map_err(redb::Error::Io)?;
        Ok(replacement)
    }
}

fn prepare(
    core: &Core,
    file: &Path,
    new_file: &Path,
    copy: CopyTo,
) -> Result<Replacement, redb::Error> {
    remove_unfinished_rewrite(file)?;
    let before = fs::metadata(file)?.len();
    let current = core.database.now();
    copy(&current.begin_read()?, new_file)?;
    let after = fs::metadata(new_file)?.len();
    let database = Arc::new(open_database(new_file, &core.options.disk_space)?);
    let view = View::of_now(&database).map_err(|error| match error {
        QueueError::Storage(error) => *error,
        other => redb::Error::Corrupted(other.to_string()),
    })?;
    Ok(Replacement { database, view, sizes: RewriteSizes { before, after } })
}

/// Removes the leftover of an interrupted rewrite of this file.
pub fn remove_unfinished_rewrite(file: &Path) -> io::Result<bool> {
    match fs::remove_file(unfinished(file)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn unfinished(file: &Path) -> PathBuf {
    file.with_extension("redb.new")
}

fn sync_folder_of(file: &Path) -> io::Result<()> {
    File::open(file.parent().unwrap_or(file))?.sync_all()
}
