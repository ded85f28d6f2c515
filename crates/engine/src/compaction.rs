//! Rewriting the task store without its free space. The new file takes the place of the old one,
//! which this process still has open; so nothing more is written until a restart.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use model::ServiceError;
use redb::ReadableDatabase;
use tasks::RegistryUpdate;

use crate::Engine;
use crate::failure::io_failure;
use crate::folder::sync_folder;
use crate::meta_copy::copy_meta;

const CAUSE: &str = "the task store was compacted, and the service must be restarted to use it";

impl Engine {
    /// The size of the task store before and after, in bytes.
    pub fn compact_tasks(&self) -> Result<(u64, u64), ServiceError> {
        let _one_at_a_time = self.compacting.lock();
        if let Some(stopped) = self.queue.stopped() {
            return Err(stopped);
        }
        let current = self.instance.folder.meta();
        let rewritten = current.with_extension("redb.new");
        let failed = |error| io_failure("the task store cannot be compacted", &error);
        let before = fs::metadata(&current).map_err(failed)?.len();
        // Left behind when an earlier attempt was cut short.
        match fs::remove_file(&rewritten) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            _ => {}
        }
        let (path, meta) = (rewritten.clone(), Arc::clone(&self.instance.meta));
        // Within the last transaction, which changes nothing, a reader sees everything.
        let copy = RegistryUpdate::new(move |_| copy_meta(&meta.begin_read()?, &path, |_| Ok(())));
        self.queue.transact_last(copy, CAUSE)?;
        // From here on no write is accepted, so both files hold the same.
        self.must_restart.store(true, Ordering::Release);
        let after = fs::metadata(&rewritten).map_err(failed)?.len();
        fs::rename(&rewritten, &current).map_err(failed)?;
        sync_folder(self.instance.folder.root()).map_err(failed)?;
        Ok((before, after))
    }
}
