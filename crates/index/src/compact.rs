//! Compaction: rewrites the index on request into one segment without deleted documents. It holds
//! the writer's lock, so that nothing it copies is deleted meanwhile; a concurrent merge finds its
//! segments gone and is dropped.

use model::Cancel;

use crate::error::Result;
use crate::index::Index;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compaction {
    /// Size of all files of the index in bytes.
    pub size_before: u64,
    pub size_after: u64,
}

impl Index {
    /// Compacts the index. Checks `cancel` regularly; cancelled, it leaves the index unchanged.
    pub fn compact(&self, cancel: &Cancel) -> Result<Compaction> {
        let mut state = self.commit_state.lock();
        self.check_writable()?;
        let before = self.snapshot();
        let size_before = before.sizes().total;
        let is_compact = match &before.segments[..] {
            [] => true,
            [only] => only.deleted().is_empty(),
            _ => false,
        };
        if !is_compact {
            let rules = before.meta.settings.rules();
            let merged = self.merge_segments(&before.segments, rules, cancel)?;
            self.publish_merged(&mut state, &before.segments, rules, merged)?;
        }
        Ok(Compaction { size_before, size_after: self.snapshot().sizes().total })
    }
}
