//! Signals that something of another member arrived while the topology changes.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

#[derive(Debug, Default)]
pub struct Arrivals {
    count: Mutex<u64>,
    waiters: Condvar,
}

impl Arrivals {
    /// Returns the number of arrivals, to be read before looking at them.
    pub fn count(&self) -> u64 {
        *self.count.lock()
    }

    pub fn notify(&self) {
        *self.count.lock() += 1;
        self.waiters.notify_all();
    }

    /// Waits until something has arrived since `seen`, for at most `longest`.
    pub fn wait(&self, seen: u64, longest: Duration) {
        let mut count = self.count.lock();
        if *count == seen {
            self.waiters.wait_for(&mut count, longest);
        }
    }
}
