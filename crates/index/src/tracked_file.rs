//! A file that is deleted on drop unless it is needed. It starts as not needed, so that the files
//! of a commit that did not happen are removed; the commit that names it declares it needed, and
//! the commit that drops it takes that back. Deletion happens when the last snapshot that holds the
//! file is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use segment::Directory;

use crate::error::Result;
use crate::file_name::FileName;

#[derive(Debug)]
pub(crate) struct TrackedFile {
    directory: Arc<dyn Directory>,
    name: String,
    length: u64,
    needed: AtomicBool,
}

impl TrackedFile {
    /// Writes a new file. It is removed again if `write` fails half-way.
    pub fn write(
        directory: &Arc<dyn Directory>,
        name: &FileName,
        write: impl FnOnce(&dyn Directory, &str) -> segment::Result<u64>,
    ) -> Result<Self> {
        let mut file = Self {
            directory: directory.clone(),
            name: name.to_string(),
            length: 0,
            needed: AtomicBool::new(false),
        };
        file.length = write(&**directory, &file.name)?;
        Ok(file)
    }

    /// Tracks a file that the current manifest names.
    pub fn committed(directory: &Arc<dyn Directory>, name: &FileName, length: u64) -> Self {
        Self {
            directory: directory.clone(),
            name: name.to_string(),
            length,
            needed: AtomicBool::new(true),
        }
    }

    /// Tracks a file that another crate has written; `is_needed` if the current manifest names it.
    pub fn named(
        directory: &Arc<dyn Directory>,
        name: String,
        length: u64,
        is_needed: bool,
    ) -> Self {
        Self { directory: directory.clone(), name, length, needed: AtomicBool::new(is_needed) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn keep(&self) {
        self.needed.store(true, Ordering::Release);
    }

    pub fn release(&self) {
        self.needed.store(false, Ordering::Release);
    }
}

impl Drop for TrackedFile {
    fn drop(&mut self) {
        if self.needed.load(Ordering::Acquire) {
            return;
        }
        // A failure is harmless: the next open removes what no manifest names.
        if let Err(error) = self.directory.delete(&self.name)
            && !error.is_not_found()
        {
            tracing::warn!(file = self.name, %error, "a file that is no longer needed stays");
        }
    }
}
