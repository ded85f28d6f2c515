//! Runs the task that creates a dump.

use tasks::{Batch, Outcome, Progress, RunError, StopFlag, TaskOutcome};

use super::{BatchRunner, outcome};

impl BatchRunner {
    pub(super) fn make_dump(
        &self,
        batch: &Batch,
        progress: &Progress,
        stop: &StopFlag,
    ) -> Result<Outcome, RunError> {
        let details = self.whole.dumps.make(batch, progress, stop)?;
        Ok(outcome(vec![TaskOutcome::Succeeded(details)]))
    }
}
