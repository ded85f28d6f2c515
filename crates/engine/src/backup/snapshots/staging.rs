//! The folder in which a snapshot is put together before it is archived. It is inside the data
//! folder, because hard links need to be on the same file system; and it is gone when the
//! snapshot is done or given up. What a crash leaves goes at the next start.

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

    /// The archive, where it is not written to its final place at once.
    pub fn archive_name() -> &'static str {
        "archive"
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.root) {
            tracing::warn!(%error, "what a snapshot was made of stays until the next start");
        }
    }
}

/// Gives a file that is never written to again a second name; a copy where the file system knows
/// no such thing. False if the file is not there.
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
