//! The log line of a finished batch. It names the index and counts tasks, and shows no content.

use time::Duration;

use crate::queue::batch_end::BatchEnd;
use crate::task::batch::{Batch, Work};
use crate::task::ids::BatchUid;

/// Built before the parts of the batch are moved into its final transaction.
pub(crate) struct LogLine {
    uid: BatchUid,
    work: Work,
    index: Option<String>,
    tasks: usize,
    failed: usize,
    elapsed: Duration,
}

impl LogLine {
    pub fn of(batch: &Batch, end: &BatchEnd, failed: usize) -> Self {
        Self {
            uid: batch.uid,
            work: batch.work,
            index: batch.index_uid.clone(),
            tasks: batch.tasks.len(),
            failed,
            elapsed: end.finished_at - end.started_at,
        }
    }

    pub fn write(self) {
        let Self { uid, work, index, tasks, failed, elapsed } = self;
        let elapsed = elapsed.unsigned_abs();
        tracing::info!(batch = uid, ?work, index, tasks, failed, ?elapsed, "batch finished");
    }
}
