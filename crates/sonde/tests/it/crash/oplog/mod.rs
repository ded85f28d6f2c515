//! The operation log of the crash suite: what was asked for, what was acknowledged, and what a
//! simple model says must have come of it.

pub mod model;
pub mod operation;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use operation::Operation;

/// An operation that was sent, by the number it carries as its metadata.
#[derive(Debug, Clone)]
pub struct SentOperation {
    pub number: u64,
    pub operation: Operation,
    /// The uid the server answered with; `None` when the connection broke before it did.
    pub task_uid: Option<u64>,
}

#[derive(Debug, Default)]
pub struct OperationLog {
    next: AtomicU64,
    entries: Mutex<Vec<SentOperation>>,
}

impl OperationLog {
    pub fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub fn record(&self, entry: SentOperation) {
        self.entries.lock().unwrap().push(entry);
    }

    pub fn len(&self) -> usize {
        self.entries.lock().unwrap().len()
    }

    /// Entries recorded since the log had this length.
    pub fn since(&self, length: usize) -> Vec<SentOperation> {
        self.entries.lock().unwrap()[length..].to_vec()
    }
}
