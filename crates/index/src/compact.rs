//! Compaction: the whole index in one segment without deleted documents, because someone asked
//! for it. It keeps the writer's lock, so that nothing is deleted meanwhile that it would copy;
//! a merge that runs at the same time finds its segments gone and is dropped.

use crate::error::Result;
use crate::index::Index;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compaction {
    /// Bytes of all files of the index.
    pub size_before: u64,
    pub size_after: u64,
}

impl Index {
    /// `should_stop` is asked regularly; when it says yes the index is as before.
    pub fn compact(&self, should_stop: &dyn Fn() -> bool) -> Result<Compaction> {
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
            let rules = before.attributes.settings.rules();
            let merged = self.merge_segments(&before.segments, rules, should_stop)?;
            self.publish_merged(&mut state, &before.segments, rules, merged)?;
        }
        Ok(Compaction { size_before, size_after: self.snapshot().sizes().total })
    }
}
