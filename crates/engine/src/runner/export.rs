//! Runs the task that sends indexes to another instance.

use model::Cancel;
use tasks::{Batch, Outcome, Progress, RunError, TaskOutcome};

use super::{BatchRunner, outcome, single_task};

impl BatchRunner {
    pub(super) fn export(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let details = self.whole.exports.export(single_task(batch)?, progress, cancel)?;
        Ok(outcome(vec![TaskOutcome::Succeeded(details)]))
    }
}
