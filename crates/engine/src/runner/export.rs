//! Runs the task that sends indexes to another instance.

use tasks::{Batch, Outcome, Progress, RunError, StopFlag, TaskOutcome};

use super::{BatchRunner, outcome, single_task};

impl BatchRunner {
    pub(super) fn export(
        &self,
        batch: &Batch,
        progress: &Progress,
        stop: &StopFlag,
    ) -> Result<Outcome, RunError> {
        let details = self.whole.exports.export(single_task(batch)?, progress, stop)?;
        Ok(outcome(vec![TaskOutcome::Succeeded(details)]))
    }
}
