//! Free disk space. A full disk is no damage: it fills up before anything is lost, and space
//! returns when the batch that filled it is given up or an operator frees some. So the queue keeps
//! a small reserve for recording outcomes, accepts nothing new when less is left, and waits for a
//! while when even the reserve is gone.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Free bytes below which nothing new is accepted.
const RESERVE: u64 = 32 << 20;
/// Long enough to give up a merge or to call an operator.
const MAX_WAIT: Duration = Duration::from_secs(10 * 60);
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(100);

/// Watches the free space of one disk. Clones share it.
#[derive(Clone)]
pub struct DiskSpace {
    shared: Arc<Shared>,
}

struct Shared {
    /// None if free space cannot be measured.
    folder: Option<PathBuf>,
    max_wait: Duration,
    /// True if a write is waiting for space.
    is_waiting: AtomicBool,
    closed: Mutex<bool>,
    closing: Condvar,
}

impl DiskSpace {
    /// Watches the disk of this folder.
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Self::new(Some(folder.into()), MAX_WAIT)
    }

    /// For a disk whose free space is unknown until a write fails.
    pub fn unmeasured(max_wait: Duration) -> Self {
        Self::new(None, max_wait)
    }

    fn new(folder: Option<PathBuf>, max_wait: Duration) -> Self {
        let (is_waiting, closed) = (AtomicBool::new(false), Mutex::new(false));
        let shared = Shared { folder, max_wait, is_waiting, closed, closing: Condvar::new() };
        Self { shared: Arc::new(shared) }
    }

    /// Returns whether there is space for something new.
    pub(crate) fn has_reserve(&self) -> bool {
        !self.shared.is_waiting.load(Ordering::Acquire)
            && self.free_bytes().is_none_or(|free| free >= RESERVE)
    }

    fn free_bytes(&self) -> Option<u64> {
        let folder = self.shared.folder.as_ref()?;
        #[cfg(unix)]
        return rustix::fs::statvfs(folder)
            .ok()
            .map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        #[cfg(not(unix))]
        return None;
    }

    /// Calls `write` until it succeeds, fails otherwise, or the disk stayed full for `max_wait`.
    pub(crate) fn retry_while_full(
        &self,
        mut write: impl FnMut() -> io::Result<()>,
    ) -> io::Result<()> {
        let mut outcome = write();
        if !is_full(&outcome) {
            return outcome;
        }
        tracing::error!("the disk is full: the task queue waits for space and accepts no writes");
        self.shared.is_waiting.store(true, Ordering::Release);
        let until = Instant::now() + self.shared.max_wait;
        while is_full(&outcome) && Instant::now() < until && !self.pause_or_close() {
            outcome = write();
        }
        self.shared.is_waiting.store(false, Ordering::Release);
        if outcome.is_ok() {
            tracing::info!("the disk has free space again");
        }
        outcome
    }

    /// Pauses; returns whether the queue is closing.
    fn pause_or_close(&self) -> bool {
        let mut closed = self.shared.closed.lock();
        if !*closed {
            self.shared.closing.wait_for(&mut closed, BETWEEN_ATTEMPTS);
        }
        *closed
    }

    /// Ends all waits: unfinished writes are settled at the next start.
    pub(crate) fn close(&self) {
        *self.shared.closed.lock() = true;
        self.shared.closing.notify_all();
    }
}

/// Returns whether the disk or the user's quota is full.
fn is_full(outcome: &io::Result<()>) -> bool {
    outcome.as_ref().is_err_and(|error| {
        matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    })
}

impl Default for DiskSpace {
    fn default() -> Self {
        Self::unmeasured(Duration::ZERO)
    }
}

impl fmt::Debug for DiskSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiskSpace").field("folder", &self.shared.folder).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> io::Error {
        io::ErrorKind::StorageFull.into()
    }

    #[test]
    fn a_write_is_tried_until_there_is_room() {
        let disk_space = DiskSpace::unmeasured(Duration::from_secs(60));
        let mut attempts = 0;
        let outcome = disk_space.retry_while_full(|| {
            attempts += 1;
            assert_eq!(disk_space.has_reserve(), attempts == 1, "nothing new is taken meanwhile");
            if attempts < 4 { Err(full()) } else { Ok(()) }
        });
        outcome.unwrap();
        assert!(attempts == 4 && disk_space.has_reserve());
    }

    #[test]
    fn wait_ends() {
        let disk_space = DiskSpace::unmeasured(Duration::from_millis(300));
        let begun = Instant::now();
        let outcome = disk_space.retry_while_full(|| Err(full()));
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!((Duration::from_millis(300)..Duration::from_secs(30)).contains(&begun.elapsed()));
        assert!(disk_space.has_reserve());
    }

    #[test]
    fn only_a_full_disk_is_waited_for() {
        let mut attempts = 0;
        let outcome = DiskSpace::unmeasured(Duration::from_secs(60)).retry_while_full(|| {
            attempts += 1;
            Err(io::ErrorKind::PermissionDenied.into())
        });
        assert!(outcome.is_err() && attempts == 1);
    }

    #[test]
    fn a_closed_queue_does_not_wait() {
        let disk_space = DiskSpace::unmeasured(Duration::from_secs(600));
        let closer = disk_space.clone();
        let closing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            closer.close();
        });
        assert!(disk_space.retry_while_full(|| Err(full())).is_err());
        closing.join().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn the_disk_of_a_folder_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        assert!(DiskSpace::of(folder.path()).free_bytes().is_some_and(|free| free > 0));
        // An unknown free space refuses nothing.
        assert!(DiskSpace::of(folder.path().join("missing")).has_reserve());
    }
}
