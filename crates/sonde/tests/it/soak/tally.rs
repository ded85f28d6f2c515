//! Counts of operations and differences found, over all clients.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// More differences than these tell nothing new.
const KEPT: usize = 20;

#[derive(Debug, Default)]
pub struct Tally {
    pub writes: AtomicU64,
    pub searches: AtomicU64,
    pub reads: AtomicU64,
    pub snapshots: AtomicU64,
    pub kills: AtomicU64,
    /// Requests whose answer a kill took away, and those of them that had been taken.
    pub lost: AtomicU64,
    pub taken: AtomicU64,
    checks: AtomicU64,
    wanted_neighbours: AtomicU64,
    found_neighbours: AtomicU64,
    differences: Mutex<Vec<String>>,
}

impl Tally {
    pub fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a comparison, with what was compared where it fails.
    pub fn check(&self, holds: bool, what: impl FnOnce() -> String) {
        Self::count(&self.checks);
        if holds {
            return;
        }
        let mut differences = self.differences.lock().unwrap();
        if differences.len() < KEPT {
            differences.push(what());
        }
    }

    pub fn neighbours(&self, wanted: usize, found: usize) {
        self.wanted_neighbours.fetch_add(wanted as u64, Ordering::Relaxed);
        self.found_neighbours.fetch_add(found as u64, Ordering::Relaxed);
    }

    pub fn recall(&self) -> f64 {
        let wanted = self.wanted_neighbours.load(Ordering::Relaxed).max(1);
        let found = self.found_neighbours.load(Ordering::Relaxed);
        if wanted == 1 { 1.0 } else { found as f64 / wanted as f64 }
    }

    pub fn differences(&self) -> Vec<String> {
        self.differences.lock().unwrap().clone()
    }

    pub fn has_differences(&self) -> bool {
        !self.differences.lock().unwrap().is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [writes, searches, reads, snapshots, kills, lost, taken, checks] = [
            &self.writes,
            &self.searches,
            &self.reads,
            &self.snapshots,
            &self.kills,
            &self.lost,
            &self.taken,
            &self.checks,
        ]
        .map(|counter| counter.load(Ordering::Relaxed));
        let operations = writes + searches + reads + snapshots;
        write!(
            formatter,
            "operations {operations} (writes {writes}, searches {searches}, reads {reads}, \
             snapshots {snapshots}), kills {kills}, answers lost {lost} (of requests that were \
             taken {taken}), checks {checks}, recall {:.4}, differences {}",
            self.recall(),
            self.differences().len()
        )
    }
}
