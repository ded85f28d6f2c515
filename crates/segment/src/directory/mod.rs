//! One folder with flat names: the only access to the disk. Memory and faulty disks are further
//! implementations of the same trait, so that every crash test runs the real code.
//!
//! A directory knows names and bytes, but nothing of what the bytes mean.

mod disk;
mod fault;
mod file_bytes;
mod memory;

#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::io::Write;
use std::sync::Arc;

pub use disk::DiskDirectory;
pub use fault::{Effect, FaultDirectory, InjectedFault, Operation};
pub use file_bytes::FileBytes;
pub use memory::MemoryDirectory;

use crate::error::{Result, SegmentError};

pub trait Directory: Send + Sync + Debug {
    /// Starts a new file. Fails if the name exists: names are never reused, so that a reader can
    /// keep a file mapped for as long as it likes.
    fn create(&self, name: &str) -> Result<Box<dyn FileWriter>>;

    fn open(&self, name: &str) -> Result<FileBytes>;

    /// Returns a file its final name, atomically. Fails if that name exists.
    fn rename(&self, from: &str, to: &str) -> Result<()>;

    fn delete(&self, name: &str) -> Result<()>;

    /// Lists every file with its length, sorted by name.
    fn list(&self) -> Result<Vec<(String, u64)>>;

    /// Makes created, renamed and deleted names durable.
    fn sync(&self) -> Result<()>;

    /// Fails, with the name of the file, once a part of an opened file could not be read. Readers
    /// see zeros there, so this must be called before anything that was read is used.
    fn check_maps(&self) -> Result<()> {
        Ok(())
    }
}

/// A file being written, front to back.
pub trait FileWriter: Write + Send {
    /// Makes the bytes written so far durable. The name needs [`Directory::sync`] as well.
    fn sync(&mut self) -> Result<()>;
}

/// Forwards to the shared directory.
impl<D: Directory + ?Sized> Directory for Arc<D> {
    fn create(&self, name: &str) -> Result<Box<dyn FileWriter>> {
        (**self).create(name)
    }

    fn open(&self, name: &str) -> Result<FileBytes> {
        (**self).open(name)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        (**self).rename(from, to)
    }

    fn delete(&self, name: &str) -> Result<()> {
        (**self).delete(name)
    }

    fn list(&self) -> Result<Vec<(String, u64)>> {
        (**self).list()
    }

    fn sync(&self) -> Result<()> {
        (**self).sync()
    }

    fn check_maps(&self) -> Result<()> {
        (**self).check_maps()
    }
}

/// Names stay inside the folder and are the same on every file system.
fn check_name(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    if name.is_empty() || name.len() > 255 || name.starts_with('.') || !name.bytes().all(allowed) {
        return Err(SegmentError::BadName { name: name.to_owned() });
    }
    Ok(())
}
