//! Rewriting the file of the database without its free space. The only writer of the queue does
//! it, so writes wait meanwhile and then go to the new file; readers go on as always. Until the
//! new file has the name of the old one, and that is sure to outlive a crash, both hold the same.

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

/// The length of the file before and after, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewriteSizes {
    pub before: u64,
    pub after: u64,
}

pub(crate) struct Rewrite {
    pub file: PathBuf,
    pub copy: CopyTo,
}

/// What takes the place of the database so far.
pub(crate) struct Replacement {
    pub database: Arc<Database>,
    pub view: View,
    pub sizes: RewriteSizes,
}

impl Rewrite {
    /// An error is `Refused` where the old file is still the one in force.
    pub fn perform(self, core: &Core) -> Result<Replacement, QueueError> {
        let Self { file, copy } = self;
        let new_file = unfinished(&file);
        let prepared = prepare(core, &file, &new_file, copy).and_then(|replacement| {
            fs::rename(&new_file, &file).map_err(redb::Error::Io)?;
            Ok(replacement)
        });
        let replacement = prepared.map_err(|error| {
            // What stays behind is removed before the next attempt.
            let _ = fs::remove_file(&new_file);
            let error = QueueError::from(error);
            let message = format!("the task store cannot be compacted: {error}");
            QueueError::Refused(ServiceError::new(error.code(), message))
        })?;
        // After this failure nobody knows which of the two a crash would leave.
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

/// Removes what a rewriting of this file left behind when it was cut short.
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
