//! Batches that a task deletion waits for: those that were running and held one of its targets when
//! the deletion began. Their tasks are finished by the time it runs, so it deletes them too.
//! Batches that start later are not waited for; otherwise an index under constant writes would
//! block a deletion forever.

use std::collections::{HashMap, HashSet};

use crate::task::ids::{BatchUid, TaskUid};

#[derive(Debug, Default)]
pub(crate) struct AwaitedBatches {
    by_deletion: HashMap<TaskUid, HashSet<BatchUid>>,
}

impl AwaitedBatches {
    pub fn have_all_begun(&self, deletions: &[TaskUid]) -> bool {
        deletions.iter().all(|deletion| self.has_begun(*deletion))
    }

    pub fn has_begun(&self, deletion: TaskUid) -> bool {
        self.by_deletion.contains_key(&deletion)
    }

    pub fn begin(&mut self, deletion: TaskUid, batches: HashSet<BatchUid>) {
        self.by_deletion.insert(deletion, batches);
    }

    /// Returns whether the deletion has begun and every batch it waits for is over.
    pub fn is_ready(&self, deletion: TaskUid) -> bool {
        self.by_deletion.get(&deletion).is_some_and(HashSet::is_empty)
    }

    /// Returns whether a batch that the deletion waits for is still running.
    pub fn is_waiting(&self, deletion: TaskUid) -> bool {
        self.by_deletion.get(&deletion).is_some_and(|batches| !batches.is_empty())
    }

    /// Removes a batch that finished, or that gave up and left its uid to another one.
    pub fn end(&mut self, batch: BatchUid) {
        for batches in self.by_deletion.values_mut() {
            batches.remove(&batch);
        }
    }

    /// Removes a deletion that is finished or canceled.
    pub fn forget(&mut self, deletion: TaskUid) {
        self.by_deletion.remove(&deletion);
    }
}
