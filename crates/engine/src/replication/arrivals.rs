//! A bell that rings when something of another member arrives while the topology changes.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    count: Mutex<u64>,
    waiters: Condvar,
}

impl Arrivals {
    /// To be read before looking at what has arrived.
    pub fn count(&self) -> u64 {
        *self.count.lock()
    }

    pub fn notify(&self) {
        *self.count.lock() += 1;
        self.waiters.notify_all();
    }

    /// Waits until something has arrived since `seen`, but not longer than this.
    pub fn wait(&self, seen: u64, longest: Duration) {
        let mut count = self.count.lock();
        if *count == seen {
            self.waiters.wait_for(&mut count, longest);
        }
    }
}
