//! Rewrites an index as one segment without deleted documents.

use model::{Cancel, ServiceError, size};
use tasks::{Batch, Details, Outcome, RunError, TaskOutcome};

use super::{BatchRunner, failed_in, index_uid, outcome};
use crate::common::failure::index_failure;

impl BatchRunner {
    pub(super) fn compact_index(
        &self,
        batch: &Batch,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let uid = index_uid(batch)?;
        let index = self.indexes.find(uid)?.ok_or_else(|| ServiceError::index_not_found(uid))?;
        let compaction = match index.compact(cancel) {
            Ok(compaction) => compaction,
            Err(error) if error.is_stopped_on_request() => return Err(RunError::Stopped),
            Err(error) => return Err(failed_in(batch, &index_failure(error))),
        };
        let details = Details::IndexCompaction {
            pre_compaction_size: Some(size::human_binary(compaction.size_before)),
            post_compaction_size: Some(size::human_binary(compaction.size_after)),
        };
        Ok(outcome(batch.tasks.iter().map(|_| TaskOutcome::Succeeded(details.clone())).collect()))
    }
}
