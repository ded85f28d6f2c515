//! Takes one snapshot for all tasks that asked for one.

use model::Cancel;
use tasks::{Batch, Outcome, Progress, RunError, TaskOutcome, TaskUid};

use super::{BatchRunner, outcome};

impl BatchRunner {
    pub(super) fn take_snapshot(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let own_tasks: Vec<TaskUid> = batch.tasks.iter().map(|task| task.uid).collect();
        self.whole.snapshots.take(&own_tasks, progress, cancel)?;
        let succeeded = |task: &tasks::Task| TaskOutcome::Succeeded(task.details.clone());
        Ok(outcome(batch.tasks.iter().map(succeeded).collect()))
    }
}
