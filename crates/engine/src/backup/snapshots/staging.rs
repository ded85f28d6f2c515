//! The folder in which a snapshot is assembled. It is inside the data folder, because hard links
//! need the same file system; it is removed when the snapshot is done or given up, or by the next
//! start after a crash.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use model::{ServiceError, private};

use crate::common::failure::io_failure;
use crate::storage::folder::{remove_staging, staging_of};

#[derive(Debug)]
pub(super) struct Staging {
    root: PathBuf,
}

impl Staging {
    pub fn create(data_folder: &Path) -> Result<Self, ServiceError> {
        let staging = Self { root: staging_of(data_folder) };
        let created = remove_staging(data_folder)
            .and_then(|()| private::create_dir(&staging.root))
            .and_then(|()| private::create_dir(&staging.payloads()))
            .and_then(|()| private::create_dir(&staging.indexes()));
        created.map_err(|error| failed(&error))?;
        Ok(staging)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn meta(&self) -> PathBuf {
        self.root.join("meta.redb")
    }

    pub fn payloads(&self) -> PathBuf {
        self.root.join("payloads")
    }

    pub fn indexes(&self) -> PathBuf {
        self.root.join("indexes")
    }

    /// Name of the archive where it is not written to its final place directly.
    pub fn archive_name() -> &'static str {
        "archive"
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.root) {
            tracing::warn!(%error, "staging files of a snapshot remain until the next start");
        }
    }
}

/// Hard-links an immutable file, or copies it where the file system has no links. Returns false if
/// the file does not exist.
pub(super) fn link(from: &Path, to: &Path) -> Result<bool, ServiceError> {
    match fs::hard_link(from, to) {
        Ok(()) => return Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(true),
        Err(_) => {}
    }
    match fs::copy(from, to) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed(&error)),
    }
}

pub(super) fn failed(error: &io::Error) -> ServiceError {
    io_failure("the snapshot cannot be put together", error)
}
