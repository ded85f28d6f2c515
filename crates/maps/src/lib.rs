//! Memory maps of files that survive the loss of their files.
//!
//! Truncating a mapped file, or an unreadable sector, raises SIGBUS at the next access, which by
//! default ends the process. Here the unreadable page becomes a page of zeros and the map is marked
//! as failed; the program checks that mark before it uses what it has read. Only the unreadable
//! bytes change.
//!
//! Other changes are not noticed: a file cut inside its last page shows zeros there without a
//! signal.

mod registry;
#[cfg(unix)]
mod signal;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use parking_lot::Mutex;

use registry::Registration;

/// Maps files and records whether one of them has failed. Clones share the record.
#[derive(Debug, Clone, Default)]
pub struct MapWatch {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The number of the first map that failed; 0 while none has. The signal handler writes it.
    failed: AtomicU64,
    /// Names by number, of the maps that are open and of the one that failed.
    names: Mutex<HashMap<u64, String>>,
}

/// Next number; none is reused in a process.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

impl MapWatch {
    /// Maps a whole file, which must not be empty.
    ///
    /// # Safety
    ///
    /// The file must not be written to while it is mapped. Truncating it is allowed.
    #[allow(unsafe_code)]
    pub unsafe fn map(&self, file: &File, name: &str) -> io::Result<WatchedMap> {
        // SAFETY: the caller vouches for the file; the loss of its end is handled below.
        let map = unsafe { Mmap::map(file) }?;
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        self.shared.names.lock().insert(number, name.to_owned());
        #[cfg(unix)]
        signal::install();
        let registration = Registration::new(&map, &self.shared.failed, number);
        Ok(WatchedMap { registration, map, watch: self.clone(), number })
    }

    /// Returns the name of the first map that failed, if one has.
    pub fn failed(&self) -> Option<String> {
        match self.shared.failed.load(Ordering::Acquire) {
            0 => None,
            number => Some(self.shared.names.lock().get(&number).cloned().unwrap_or_default()),
        }
    }
}

/// The bytes of a mapped file.
// Fields are dropped in this order: the range is unregistered before it is unmapped, and the memory
// that the handler writes to outlives both.
#[derive(Debug)]
pub struct WatchedMap {
    registration: Registration,
    map: Mmap,
    watch: MapWatch,
    number: u64,
}

impl AsRef<[u8]> for WatchedMap {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for WatchedMap {
    fn drop(&mut self) {
        self.registration.end();
        let shared = &self.watch.shared;
        // The name of the failed map is still needed.
        if shared.failed.load(Ordering::Acquire) != self.number {
            shared.names.lock().remove(&self.number);
        }
    }
}
