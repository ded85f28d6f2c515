//! Editing documents by a function of the user: every document, or none if one edit fails.

use document::edit::{Edit, EditFunction};
use document::{Document, PrimaryKey};
use model::ServiceError;
use tasks::{Batch, Content, Details, Outcome, Progress, RunError, StopFlag, TaskOutcome};

use super::payload::{Failure, write_document};
use super::{BatchRunner, failed_in, outcome, single_task};
use crate::failure::index_failure;

impl BatchRunner {
    pub(super) fn edit_documents(
        &self,
        batch: &Batch,
        progress: &Progress,
        stop: &StopFlag,
    ) -> Result<Outcome, RunError> {
        let task = single_task(batch)?;
        let Content::DocumentEdition { index_uid, context, function: source, filter } =
            &task.content
        else {
            return Err(ServiceError::internal("an edition of another kind").into());
        };
        let index = self.instance.index(index_uid)?;
        let function = EditFunction::compile(source, context.as_ref())?;
        let snapshot = index.snapshot();
        let matched = snapshot.number_of_documents();
        let details = Details::DocumentEdition {
            edited_documents: Some(matched),
            // Both counters hold the number of documents matched; clients rely on it.
            deleted_documents: Some(matched),
            context: context.clone(),
            function: source.clone(),
            original_filter: filter.as_ref().map(ToString::to_string),
        };
        let outcome = outcome(vec![TaskOutcome::Succeeded(details)]);
        let Some(primary_key) = snapshot.primary_key().map(PrimaryKey::new) else {
            return Ok(outcome);
        };

        let step = progress.enter("editing documents", u32::try_from(matched).unwrap_or(u32::MAX));
        let mut writer = index.writer().map_err(|e| failed_in(batch, &index_failure(&e)))?;
        for doc_id in snapshot.live() {
            stop.check()?;
            let edited = edit_one(&function, &primary_key, &snapshot, doc_id, &mut writer);
            edited.map_err(|error| failed_in(batch, &error))?;
            step.add(1);
        }
        drop(step);
        self.commit(batch, &index, writer, &outcome)?;
        Ok(outcome)
    }
}

fn edit_one(
    function: &EditFunction,
    primary_key: &PrimaryKey,
    snapshot: &index::Snapshot,
    doc_id: index::DocId,
    writer: &mut index::Writer<'_>,
) -> Result<(), ServiceError> {
    let Some(json) = snapshot.document(doc_id).map_err(|e| index_failure(&e))? else {
        return Ok(());
    };
    let id = primary_key.id_of(&Document::parse(&json)?)?;
    match function.apply(primary_key, &json)? {
        Edit::Unchanged => Ok(()),
        Edit::Deleted => {
            writer.delete(&id).map_err(|e| index_failure(&e))?;
            Ok(())
        }
        Edit::Replaced(edited) => {
            let edited = Document::parse(&edited)?;
            write_document(writer, &id, &edited).map_err(|Failure(error)| error)
        }
    }
}
