//! Edits documents with a user's function: all that a filter selects, or none if one edit fails.

use std::sync::Arc;

use document::edit::{Edit, EditFunction, with_deep_stack};
use document::{Document, PrimaryKey};
use index::{DocId, Index, Snapshot, Writer};
use model::{Cancel, ServiceError};
use roaring::RoaringBitmap;
use tasks::{Batch, Content, Details, Outcome, Progress, RunError, TaskOutcome};

use super::{BatchRunner, failed_in, in_index, outcome, single_task};
use crate::common::failure::index_failure;
use crate::documents::filters::matching;
use crate::models::embedding::VectorWriter;

impl BatchRunner {
    pub(super) fn edit_documents(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let task = single_task(batch)?;
        let Content::DocumentEdition { index_uid, context, function: source, filter } =
            &task.content
        else {
            return Err(ServiceError::internal("an edition of another kind").into());
        };
        let index = self.indexes.index(index_uid)?;
        let function = EditFunction::compile(source, context.as_ref())?;
        let snapshot = index.snapshot();
        let matched = match filter {
            Some(filter) => {
                let found = matching(&self.indexes.placements, &snapshot, filter, cancel);
                cancel.check()?;
                found.map_err(|error| failed_in(batch, &error))?
            }
            None => snapshot.live().clone(),
        };
        let details = Details::DocumentEdition {
            edited_documents: Some(matched.len()),
            // Both counters hold the number of documents matched; clients rely on it.
            deleted_documents: Some(matched.len()),
            context: context.clone(),
            function: source.clone(),
            original_filter: filter.as_ref().map(ToString::to_string),
        };
        let outcome = outcome(vec![TaskOutcome::Succeeded(details)]);
        let Some(primary_key) = snapshot.primary_key().map(PrimaryKey::new) else {
            return Ok(outcome);
        };

        let edition = Edition { function, primary_key, index, snapshot, matched };
        with_deep_stack(move || self.apply_edition(&edition, batch, outcome, progress, cancel))?
    }

    /// Runs on the thread with enough stack for the user's script.
    fn apply_edition(
        &self,
        edition: &Edition,
        batch: &Batch,
        outcome: Outcome,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let documents = edition.matched.len();
        let step =
            progress.enter("editing documents", u32::try_from(documents).unwrap_or(u32::MAX));
        let mut writer =
            edition.index.writer().map_err(|error| failed_in(batch, &index_failure(error)))?;
        let failed = |error| in_index(batch, error);
        let settings = edition.snapshot.typed_settings();
        let mut vectors =
            VectorWriter::new(settings, &edition.snapshot, &self.embedders, progress, cancel)
                .map_err(failed)?;
        for doc_id in &edition.matched {
            cancel.check()?;
            edition.edit(doc_id, &mut writer, &mut vectors).map_err(failed)?;
            step.add(1);
        }
        drop(step);
        vectors.flush(&mut writer).map_err(failed)?;
        let outcome = Outcome { stats: vectors.stats(), ..outcome };
        self.commit(batch, &edition.index, writer, &outcome)?;
        Ok(outcome)
    }
}

struct Edition {
    function: EditFunction,
    primary_key: PrimaryKey,
    index: Arc<Index>,
    snapshot: Arc<Snapshot>,
    matched: RoaringBitmap,
}

impl Edition {
    fn edit(
        &self,
        doc_id: DocId,
        writer: &mut Writer<'_>,
        vectors: &mut VectorWriter<'_>,
    ) -> Result<(), RunError> {
        let Some(json) = self.snapshot.document(doc_id).map_err(index_failure)? else {
            return Ok(());
        };
        let document = Document::parse(&json).map_err(ServiceError::from)?;
        let id = self.primary_key.id_of(&document).map_err(ServiceError::from)?;
        match self.function.apply(&self.primary_key, &json)? {
            Edit::Unchanged => {}
            Edit::Deleted => drop(writer.delete(&id).map_err(index_failure)?),
            Edit::Replaced(edited) => {
                let edited = Document::parse(&edited).map_err(ServiceError::from)?;
                vectors.write(writer, &id, &edited, &edited, Some(&json))?;
            }
        }
        Ok(())
    }
}
