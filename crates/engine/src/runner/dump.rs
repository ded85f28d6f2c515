//! Runs the task that creates a dump.

use model::Cancel;
use tasks::{Batch, Outcome, Progress, RunError, TaskOutcome};

use super::{BatchRunner, outcome};

impl BatchRunner {
    pub(super) fn make_dump(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let details = self.whole.dumps.make(batch, progress, cancel)?;
        Ok(outcome(vec![TaskOutcome::Succeeded(details)]))
    }
}
