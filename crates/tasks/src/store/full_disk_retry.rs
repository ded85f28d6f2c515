//! Database file that retries writes while the disk is full. The database would treat a failed
//! write as damage and require reopening. A failed sync is different and is reported at once: the
//! state of the disk is then unknown.

use std::io;
use std::ops::Bound;
use std::path::Path;

use model::private;
use redb::backends::FileBackend;
use redb::{BackendError, Database, DatabaseError, StorageBackend};

use super::disk_space::DiskSpace;

#[derive(Debug)]
pub struct FullDiskRetry<B> {
    below: B,
    disk_space: DiskSpace,
}

impl<B> FullDiskRetry<B> {
    pub fn new(below: B, disk_space: DiskSpace) -> Self {
        Self { below, disk_space }
    }
}

/// Opens the database in this file, creating it if missing.
pub fn open_database(path: &Path, disk_space: &DiskSpace) -> Result<Database, DatabaseError> {
    let mut options = private::file_options();
    let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
    let file = FullDiskRetry::new(FileBackend::new(file)?, disk_space.clone());
    Database::builder().create_with_backend(file)
}

impl<B: StorageBackend> StorageBackend for FullDiskRetry<B> {
    fn len(&self) -> io::Result<u64> {
        self.below.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.below.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.disk_space.retry_while_full(|| self.below.set_len(length))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.below.sync_data()
    }

    /// Writes; a part written before the disk was full is written again.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk_space.retry_while_full(|| self.below.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.below.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.below.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.below.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.below.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.below.query_lock_range(start, end)
    }
}
