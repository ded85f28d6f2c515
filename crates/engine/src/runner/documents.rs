//! Batches of additions, updates and deletions of documents. An invalid payload fails its own task
//! and leaves no trace; the others of the batch are applied.

use std::collections::HashSet;
use std::sync::Arc;

use index::{Index, Writer};
use model::{Cancel, Code, ServiceError};
use network::Placement;
use roaring::RoaringBitmap;
use settings::Settings;
use tasks::{Batch, Content, Details, Outcome, Progress, RunError, Task, TaskOutcome};

use super::payload::{Addition, DOCUMENTS_BETWEEN_CHECKS};
use super::{BatchRunner, failed_in, in_index, index_uid, outcome};
use crate::common::failure::index_failure;
use crate::documents::filters::matching;
use crate::models::embedding::{VectorWriter, names_index};

/// State shared by the additions of a batch.
#[derive(Clone, Copy)]
struct Conditions<'b> {
    batch: &'b Batch,
    placement: &'b Placement,
    settings: &'b Settings,
    cancel: &'b Cancel,
}

impl BatchRunner {
    pub(super) fn documents(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let placement = self.indexes.placements.current();
        let outcome = self.write_documents(batch, &placement, progress, cancel);
        if placement.is_sharded()
            && let Err(RunError::Failed(error)) = &outcome
        {
            self.count_failed(batch, error)?;
        }
        outcome
    }

    /// Reserves document numbers for a failed batch too: whether it fails can depend on the
    /// instance.
    fn count_failed(&self, batch: &Batch, error: &ServiceError) -> Result<(), RunError> {
        let documents = batch.tasks.iter().map(sent_documents).sum();
        let Some(index) = self.indexes.find(index_uid(batch)?)? else { return Ok(()) };
        let failed = |error: index::IndexError| failed_in(batch, &index_failure(error));
        let mut writer = index.writer().map_err(failed)?;
        writer.take_numbers(documents);
        let tasks = batch.tasks.iter().map(|_| TaskOutcome::Failed(error.clone())).collect();
        self.commit(batch, &index, writer, &outcome(tasks))
    }

    fn write_documents(
        &self,
        batch: &Batch,
        placement: &Placement,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let may_create = batch.tasks.iter().any(may_create_index);
        let index = self.work.index_or_create(index_uid(batch)?, may_create)?;
        let mut writer = index.writer().map_err(|e| failed_in(batch, &index_failure(e)))?;
        // No other writer exists while this one does.
        let begun_with = index.snapshot();
        let has_additions = batch.tasks.iter().any(is_addition);
        let settings = begun_with.typed_settings();
        let mut vectors = match has_additions {
            true => VectorWriter::new(settings, &begun_with, &self.embedders, progress, cancel)
                .map_err(|error| in_index(batch, error))?,
            false => VectorWriter::idle(settings, &self.embedders, progress, cancel),
        };

        let conditions = Conditions { batch, placement, settings, cancel };
        let indexing = progress.enter("indexing", batch.tasks.len() as u32);
        let mut outcomes = Vec::with_capacity(batch.tasks.len());
        for task in &batch.tasks {
            cancel.check()?;
            outcomes.push(match &task.content {
                Content::DocumentDeletion { ids, .. } => {
                    // Otherwise documents that wait to be embedded would come back.
                    vectors.flush(&mut writer).map_err(|error| in_index(batch, error))?;
                    let deleted = delete_ids(&mut writer, ids, has_additions, cancel)
                        .map_err(|error| in_index(batch, error))?;
                    deletion_outcome(task, deleted)
                }
                Content::DocumentDeletionByFilter { filter, .. } => {
                    let placements = &self.indexes.placements;
                    let found = matching(placements, &begun_with, filter, cancel);
                    cancel.check()?;
                    match found.and_then(|found| delete_found(&mut writer, &found, has_additions)) {
                        Ok(deleted) => deletion_outcome(task, deleted),
                        // Additions must not be applied without the deletions before them.
                        Err(error) if has_additions => return Err(failed_in(batch, &error)),
                        Err(error) => TaskOutcome::Failed(error.in_index(index_uid(batch)?)),
                    }
                }
                _ => self.add(task, &conditions, &mut writer, &mut vectors)?,
            });
            indexing.add(1);
        }
        drop(indexing);
        vectors.flush(&mut writer).map_err(|error| in_index(batch, error))?;
        let outcome = Outcome { stats: vectors.stats(), ..outcome(outcomes) };
        let counts = has_additions && placement.is_sharded();
        self.finish_documents(batch, &index, writer, outcome, counts, progress)
    }

    /// Commits the batch, unless nothing changed: a batch of failures leaves the index alone,
    /// except that `counts` says that it used up numbers.
    fn finish_documents(
        &self,
        batch: &Batch,
        index: &Arc<Index>,
        writer: Writer<'_>,
        outcome: Outcome,
        counts: bool,
        progress: &Progress,
    ) -> Result<Outcome, RunError> {
        let any_succeeded =
            outcome.tasks.iter().any(|task| matches!(task, TaskOutcome::Succeeded(_)));
        if any_succeeded || counts {
            let _step = progress.enter("committing", 1);
            self.commit(batch, index, writer, &outcome)?;
        }
        Ok(outcome)
    }

    fn add(
        &self,
        task: &Task,
        conditions: &Conditions<'_>,
        writer: &mut Writer<'_>,
        vectors: &mut VectorWriter<'_>,
    ) -> Result<TaskOutcome, RunError> {
        let Conditions { batch, placement, settings, cancel } = *conditions;
        let first_number = match placement.is_sharded() {
            true => writer.take_numbers(sent_documents(task)),
            false => None,
        };
        let addition = match Addition::open(&self.payloads, task) {
            Ok(addition) => addition,
            Err(error) => return Ok(TaskOutcome::Failed(error)),
        };
        let primary_key = match addition.primary_key(writer.primary_key()) {
            Ok(primary_key) => primary_key,
            Err(error) => return Ok(TaskOutcome::Failed(error)),
        };
        let Some(primary_key) = primary_key else {
            // An empty payload for an index without a key: nothing to do and no error.
            return Ok(addition.succeeded(0));
        };
        // All documents are checked before the first is written, so that an invalid last one leaves
        // nothing of the payload behind.
        let checked = addition.check_documents(
            &primary_key,
            settings,
            writer,
            placement,
            vectors.check(),
            cancel,
        )?;
        let distinct = match checked {
            Ok(distinct) => distinct,
            // Reported like an error met while indexing.
            Err(error) if error.code == Code::InvalidDocumentGeoField || names_index(&error) => {
                return Ok(TaskOutcome::Failed(error.in_index(index_uid(batch)?)));
            }
            Err(error) => return Ok(TaskOutcome::Failed(error)),
        };
        if writer.primary_key() != Some(primary_key.as_str()) {
            match addition.names_key() {
                true => writer.set_named_primary_key(primary_key.as_str()),
                false => writer.set_primary_key(Some(primary_key.as_str())),
            }
        }
        addition
            .write(&primary_key, writer, placement, first_number, vectors, cancel)
            .map_err(|error| in_index(batch, error))?;
        Ok(addition.succeeded(distinct))
    }
}

pub(super) fn may_create_index(task: &Task) -> bool {
    matches!(task.content, Content::DocumentAdditionOrUpdate { may_create_index: true, .. })
}

/// Returns how many documents a task brought.
fn sent_documents(task: &Task) -> u64 {
    match task.content {
        Content::DocumentAdditionOrUpdate { documents, .. } => documents,
        _ => 0,
    }
}

fn is_addition(task: &Task) -> bool {
    matches!(task.content, Content::DocumentAdditionOrUpdate { .. })
}

/// Deletes by id and returns how many: among additions the distinct ids given are counted,
/// otherwise the documents that existed.
fn delete_ids(
    writer: &mut Writer<'_>,
    ids: &[String],
    has_additions: bool,
    cancel: &Cancel,
) -> Result<u64, RunError> {
    let distinct: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let mut present = 0;
    for (position, id) in distinct.iter().enumerate() {
        if position % DOCUMENTS_BETWEEN_CHECKS == 0 {
            cancel.check()?;
        }
        if writer.delete(id).map_err(index_failure)? {
            present += 1;
        }
    }
    Ok(if has_additions { distinct.len() as u64 } else { present })
}

/// Deletes the documents that pass a filter. A batch takes no filter after an addition, so only its
/// initial documents can match, less those that its earlier deletions removed.
fn delete_found(
    writer: &mut Writer<'_>,
    found: &RoaringBitmap,
    has_additions: bool,
) -> Result<u64, ServiceError> {
    let present = writer.delete_doc_ids(found).map_err(index_failure)?;
    Ok(if has_additions { found.len() } else { present })
}

pub(super) fn deletion_outcome(task: &Task, deleted: u64) -> TaskOutcome {
    match &task.details {
        Details::DocumentDeletion { provided_ids, original_filter, .. } => {
            TaskOutcome::Succeeded(Details::DocumentDeletion {
                provided_ids: *provided_ids,
                deleted_documents: Some(deleted),
                original_filter: original_filter.clone(),
            })
        }
        _ => TaskOutcome::Failed(ServiceError::new(
            Code::Internal,
            "a deletion carries the details of other work",
        )),
    }
}
