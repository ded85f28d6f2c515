//! Counts calls to providers for the statistics of a batch.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

#[derive(Debug, Default)]
pub struct Requests {
    total: AtomicU64,
    failed: AtomicU64,
    last_error: Mutex<Option<String>>,
}

impl Requests {
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    pub fn last_error(&self) -> Option<String> {
        self.last_error.lock().clone()
    }

    pub(crate) fn sent(&self) {
        self.total.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failed_with(&self, error: String) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        *self.last_error.lock() = Some(error);
    }
}
