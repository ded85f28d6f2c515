//! A data folder being imported. A mark prevents it from being opened until it is complete; a
//! failure removes it, and the next import clears what a crash leaves.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use model::private;

use super::folder::{LOCK, UNFINISHED, VERSION_DRAFT, lock, sync_folder};
use crate::common::error::OpenError;

/// A new data folder. Dropping it before `finish` removes it.
#[derive(Debug)]
pub(crate) struct NewFolder {
    root: PathBuf,
    is_finished: bool,
    // Held for its lock.
    _lock: File,
}

/// Returns whether the path holds no data: there is no folder, or it has only files of interrupted
/// starts and imports.
pub(crate) fn is_vacant(root: &Path) -> Result<bool, OpenError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(unusable(root, "cannot be read", error)),
    };
    let mut is_vacant = true;
    for entry in entries {
        let name = entry.map_err(|error| unusable(root, "cannot be read", error))?.file_name();
        if name == UNFINISHED {
            return Ok(true);
        }
        is_vacant &= name == LOCK || name == VERSION_DRAFT;
    }
    Ok(is_vacant)
}

impl NewFolder {
    /// Creates the folder, which must be vacant.
    pub fn create(root: &Path) -> Result<Self, OpenError> {
        private::create_root(root).map_err(|error| unusable(root, "cannot be created", error))?;
        let lock = lock(root)?;
        let folder = Self { root: root.to_owned(), is_finished: false, _lock: lock };
        folder.clear().map_err(|error| unusable(root, "cannot be cleared", error))?;
        let marked = private::create_file(&root.join(UNFINISHED)).and_then(|mark| mark.sync_all());
        marked
            .and_then(|()| sync_folder(root))
            .map_err(|error| unusable(root, "cannot be written", error))?;
        Ok(folder)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Turns it into a data folder. Everything in it must have been synced.
    pub fn finish(mut self) -> Result<(), OpenError> {
        let finished = sync_folder(&self.root)
            .and_then(|()| fs::remove_file(self.root.join(UNFINISHED)))
            .and_then(|()| sync_folder(&self.root));
        finished.map_err(|error| unusable(&self.root, "cannot be synced", error))?;
        self.is_finished = true;
        Ok(())
    }

    /// Removes everything except the lock, the mark last.
    fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == LOCK || name == UNFINISHED {
                continue;
            }
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path())?,
                false => fs::remove_file(entry.path())?,
            }
        }
        match fs::remove_file(self.root.join(UNFINISHED)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        // A mount point stays, empty.
        if let Err(error) = self.clear().and_then(|()| fs::remove_file(self.root.join(LOCK))) {
            tracing::warn!(%error, "what was imported could not be removed");
        }
        let _ = fs::remove_dir(&self.root);
    }
}

fn unusable(root: &Path, what: &str, error: io::Error) -> OpenError {
    OpenError::Folder { path: root.to_owned(), what: what.to_owned(), error }
}
