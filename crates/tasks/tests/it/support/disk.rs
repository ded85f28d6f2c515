//! A disk in memory: its bytes can be looked at and opened again, and it can be made to fail at
//! the n-th write or sync and every time after.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::{Builder, StorageBackend};
use testkit::wait_until;

#[derive(Clone, Default)]
pub struct MemoryDisk(Arc<Mutex<Bytes>>);

#[derive(Default)]
struct Bytes {
    written: Vec<u8>,
    synced: Vec<u8>,
    operations_left: Option<usize>,
    /// Whether writes fail for lack of space; synced data stays.
    is_full: bool,
    /// Number of writes that failed for lack of space.
    refused: usize,
}

impl MemoryDisk {
    /// Returns the disk as found after the process was killed.
    pub fn after_kill(&self) -> Self {
        let bytes = self.bytes().written.clone();
        Self::holding(bytes)
    }

    /// Returns the disk as found after a power cut, at worst.
    pub fn after_power_cut(&self) -> Self {
        let bytes = self.bytes().synced.clone();
        Self::holding(bytes)
    }

    pub fn fail_after(&self, operations: usize) {
        self.bytes().operations_left = Some(operations);
    }

    pub fn fill(&self, is_full: bool) {
        self.bytes().is_full = is_full;
    }

    /// Waits until a write has failed more than once, and so is being retried.
    pub fn wait_until_waited_for(&self) {
        wait_until("a write waits for room", || self.bytes().refused >= 2);
    }

    pub fn open_database(&self) -> Arc<redb::Database> {
        Self::database_in(self.clone())
    }

    /// Opens a database that retries writes on a full disk.
    pub fn open_retrying_database(&self, disk_space: &tasks::DiskSpace) -> Arc<redb::Database> {
        Self::database_in(tasks::FullDiskRetry::new(self.clone(), disk_space.clone()))
    }

    fn database_in(backend: impl StorageBackend) -> Arc<redb::Database> {
        let mut builder = Builder::new();
        builder.set_cache_size(1 << 20);
        Arc::new(builder.create_with_backend(backend).unwrap())
    }

    fn holding(bytes: Vec<u8>) -> Self {
        let (written, synced) = (bytes.clone(), bytes);
        Self(Arc::new(Mutex::new(Bytes { written, synced, ..Bytes::default() })))
    }

    fn bytes(&self) -> MutexGuard<'_, Bytes> {
        self.0.lock().unwrap()
    }
}

const NO_SPACE_LEFT: i32 = 28;

impl Bytes {
    fn write(&mut self) -> io::Result<()> {
        if !self.is_full {
            return self.operation();
        }
        self.refused += 1;
        Err(io::Error::from_raw_os_error(NO_SPACE_LEFT))
    }

    fn operation(&mut self) -> io::Result<()> {
        match &mut self.operations_left {
            None => Ok(()),
            Some(0) => Err(io::Error::from_raw_os_error(NO_SPACE_LEFT)),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }
}

impl fmt::Debug for MemoryDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryDisk")
    }
}

impl StorageBackend for MemoryDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes().written.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.bytes();
        let found = bytes.written.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut bytes = self.bytes();
        bytes.write()?;
        bytes.written.resize(length as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut bytes = self.bytes();
        bytes.operation()?;
        bytes.synced = bytes.written.clone();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.bytes();
        bytes.write()?;
        bytes.written[offset as usize..offset as usize + data.len()].copy_from_slice(data);
        Ok(())
    }
}
