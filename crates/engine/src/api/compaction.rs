//! Rewrites the task store without its free space. Writes wait for it and then go to the new file.

use std::sync::atomic::Ordering;

use model::ServiceError;

use super::Engine;
use crate::backup::meta_copy::copy_meta;

impl Engine {
    /// Returns the size of the task store before and after, in bytes.
    pub fn compact_tasks(&self) -> Result<(u64, u64), ServiceError> {
        let meta = self.indexes.folder.meta();
        let sizes = self
            .queue
            .rewrite_database(&meta, |moment, path| copy_meta(moment, path, |_| Ok(())))?;
        self.must_restart.store(true, Ordering::Release);
        Ok((sizes.before, sizes.after))
    }
}
