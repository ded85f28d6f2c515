//! Batches of settings updates: all of them are laid over each other and applied at once. A
//! delete-all among them comes first, so that nothing is rebuilt for documents that go.

use index::IndexError;
use model::ServiceError;
use serde_json::Value;
use settings::Change;
use tasks::{Batch, Content, Details, Outcome, Progress, RunError, Task, TaskOutcome, Work};

use super::{BatchRunner, failed_in, index_uid, outcome};
use crate::failure::index_failure;

impl BatchRunner {
    pub(super) fn update_settings(
        &self,
        batch: &Batch,
        progress: &Progress,
    ) -> Result<Outcome, RunError> {
        let may_create = batch.tasks.iter().any(may_create_index);
        let index = self.index_or_create(index_uid(batch)?, may_create)?;
        let failed = |error: &IndexError| failed_in(batch, &index_failure(error));
        let mut writer = index.writer().map_err(|e| failed(&e))?;
        let settings =
            changed(batch, writer.settings()).map_err(|error| failed_in(batch, &error))?;
        let removed = match batch.work {
            Work::SettingsAndClear => writer.clear().map_err(|e| failed(&e))?,
            _ => 0,
        };
        writer.set_settings(settings);

        // The first delete-all did it; the later ones found nothing left.
        let mut counts = std::iter::once(removed).chain(std::iter::repeat(0));
        let tasks = batch.tasks.iter().map(|task| match task.content {
            Content::DocumentClear { .. } => {
                TaskOutcome::Succeeded(Details::ClearAll { deleted_documents: counts.next() })
            }
            _ => TaskOutcome::Succeeded(task.details.clone()),
        });
        let outcome = outcome(tasks.collect());
        let _step = progress.enter("applying settings", 1);
        self.commit(batch, &index, writer, &outcome)?;
        Ok(outcome)
    }
}

/// What is stored once every task of the batch is applied, in their order.
fn changed(batch: &Batch, stored: &Value) -> Result<Value, ServiceError> {
    let mut stored = stored.clone();
    for task in &batch.tasks {
        if let Content::SettingsUpdate { settings, .. } = &task.content {
            stored = Change::from_value(settings).apply(&stored)?;
        }
    }
    Ok(stored)
}

fn may_create_index(task: &Task) -> bool {
    matches!(task.content, Content::SettingsUpdate { may_create_index: true, .. })
}
