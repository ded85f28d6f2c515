//! The books the crash suite keeps: what was asked for, what was acknowledged, and what a
//! simple model says must have come of it.

pub mod model;
pub mod operation;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use operation::Operation;

/// An operation that was sent, by the number it carries as its metadata.
#[derive(Debug, Clone)]
pub struct Entry {
    pub number: u64,
    pub operation: Operation,
    /// The uid the server answered with; `None` when the connection broke before it did.
    pub task_uid: Option<u64>,
}

#[derive(Debug, Default)]
pub struct Ledger {
    next: AtomicU64,
    entries: Mutex<Vec<Entry>>,
}

impl Ledger {
    pub fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub fn record(&self, entry: Entry) {
        self.entries.lock().unwrap().push(entry);
    }

    pub fn len(&self) -> usize {
        self.entries.lock().unwrap().len()
    }

    /// Entries recorded since the ledger had this length.
    pub fn since(&self, length: usize) -> Vec<Entry> {
        self.entries.lock().unwrap()[length..].to_vec()
    }
}
