//! Batches that leave no document. Tasks before the deletion in the batch succeed without being
//! carried out.

use model::ServiceError;
use tasks::{Batch, Content, Details, Outcome, RunError, TaskOutcome};

use super::documents::may_create_index;
use super::{BatchRunner, failed_in, index_uid, outcome};
use crate::common::failure::index_failure;

impl BatchRunner {
    pub(super) fn clear_documents(&self, batch: &Batch) -> Result<Outcome, RunError> {
        // Skipped additions still create their index, as they would on their own.
        let may_create = batch.tasks.iter().any(may_create_index);
        let index = self.work.index_or_create(index_uid(batch)?, may_create)?;
        let failed = |error: index::IndexError| failed_in(batch, &index_failure(error));
        let mut writer = index.writer().map_err(failed)?;
        let removed = writer.clear().map_err(failed)?;

        // The first delete-all removed everything; later ones found nothing.
        let mut counts = std::iter::once(removed).chain(std::iter::repeat(0));
        let outcome = outcome(
            batch
                .tasks
                .iter()
                .map(|task| match task.content {
                    Content::DocumentClear { .. } => TaskOutcome::Succeeded(Details::ClearAll {
                        deleted_documents: counts.next(),
                    }),
                    _ => TaskOutcome::Succeeded(task.details.clone()),
                })
                .collect(),
        );
        self.commit(batch, &index, writer, &outcome)?;
        Ok(outcome)
    }

    /// Deletes an index, skipping the tasks of the batch that wait before the deletion.
    pub(super) fn delete_index(&self, batch: &Batch) -> Result<Outcome, RunError> {
        let uid = index_uid(batch)?;
        let documents = match self.indexes.find(uid) {
            Ok(Some(index)) => Some(index.snapshot().number_of_documents()),
            Ok(None) => None,
            // An index too damaged to open can still be deleted.
            Err(_) => Some(0),
        };
        if documents.is_none() && batch.tasks.len() == 1 {
            return Err(RunError::Failed(ServiceError::index_not_found(uid)));
        }
        let swallowed = |details: &Details| match details {
            Details::ClearAll { .. } => details.clone(),
            other => other.clone().into_failed(),
        };
        let outcome = outcome(
            batch
                .tasks
                .iter()
                .map(|task| match task.content {
                    Content::IndexDeletion { .. } => TaskOutcome::Succeeded(Details::ClearAll {
                        deleted_documents: Some(documents.unwrap_or(0)),
                    }),
                    _ => TaskOutcome::Succeeded(swallowed(&task.details)),
                })
                .collect(),
        );
        let edits = match documents {
            Some(_) => vec![crate::indexes::registry::RegistryEdit::Remove { uid: uid.to_owned() }],
            None => Vec::new(),
        };
        Ok(self.with_registry(outcome, edits))
    }
}
