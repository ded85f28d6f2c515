//! Batches of settings updates: all are merged and applied at once. A delete-all among them comes
//! first, so that nothing is rebuilt for documents to delete. Index changes are built before the
//! commit and reported as progress of the batch.

use embed::RerankError;
use index::{IndexError, RebuildObserver, RebuildProgress, Snapshot, Writer};
use model::{Cancel, Code, ServiceError};
use parking_lot::Mutex;
use serde_json::Value;
use settings::{Change, Settings};
use tasks::{
    Batch, Content, Details, Outcome, Progress, RunError, RunStats, Step, Task, TaskOutcome, Work,
};

use super::{BatchRunner, failed_in, in_index, index_uid, outcome};
use crate::common::failure::index_failure;
use crate::models::embedding::EmbeddersChange;
use crate::search::check_stored_boosts;

impl BatchRunner {
    pub(super) fn update_settings(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let may_create = batch.tasks.iter().any(may_create_index);
        let index = self.work.index_or_create(index_uid(batch)?, may_create)?;
        let failed = |error: IndexError| failed_in(batch, &index_failure(error));
        let mut writer = index.writer().map_err(failed)?;
        let settings =
            changed(batch, writer.settings()).map_err(|error| failed_in(batch, &error))?;
        // No other writer exists while this one does.
        let (before, after) = (index.snapshot(), Settings::from_stored(&settings));
        self.load_rerankers(batch, before.typed_settings(), &after, cancel)?;
        let stats = self.change_embedders(batch, &before, &after, &mut writer, progress, cancel)?;
        let removed = match batch.work {
            Work::SettingsAndClear => writer.clear().map_err(failed)?,
            _ => 0,
        };
        writer.set_settings(settings);
        let applying = progress.enter("applying settings", 2);
        match writer.rebuild(&RebuildReporter { progress, shown: Mutex::default() }, cancel) {
            Err(error) if error.is_stopped_on_request() => return Err(RunError::Stopped),
            built => built.map_err(failed)?,
        }
        applying.set(1);

        // The first delete-all removed everything; later ones found nothing.
        let mut counts = std::iter::once(removed).chain(std::iter::repeat(0));
        let tasks = batch.tasks.iter().map(|task| match task.content {
            Content::DocumentClear { .. } => {
                TaskOutcome::Succeeded(Details::ClearAll { deleted_documents: counts.next() })
            }
            _ => TaskOutcome::Succeeded(task.details.clone()),
        });
        let outcome = Outcome { stats, ..outcome(tasks.collect()) };
        let _step = progress.enter("committing", 1);
        self.commit(batch, &index, writer, &outcome)?;
        self.embedders.forget_changed(before.typed_settings(), &after);
        self.rerankers.forget_changed(before.typed_settings(), &after);
        Ok(outcome)
    }
}

impl BatchRunner {
    /// Loads the local models of new rerankers now: an error fails the task, and no search waits
    /// for them.
    fn load_rerankers(
        &self,
        batch: &Batch,
        before: &Settings,
        after: &Settings,
        cancel: &Cancel,
    ) -> Result<(), RunError> {
        let loaded = self.rerankers.load_new(before, after, cancel);
        loaded.map_err(|(name, error)| match error {
            RerankError::Stopped => RunError::Stopped,
            error => {
                let message = format!("`.rerankers.{name}`: {error}");
                failed_in(batch, &ServiceError::new(Code::InvalidSettingsRerankers, message))
            }
        })
    }

    /// Updates the vectors of documents for the new embedders; returns statistics of provider
    /// requests.
    fn change_embedders(
        &self,
        batch: &Batch,
        before: &Snapshot,
        after: &Settings,
        writer: &mut Writer<'_>,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<RunStats, RunError> {
        let failed = |error| in_index(batch, error);
        let change = EmbeddersChange::new(before, after, &self.embedders, progress, cancel)
            .map_err(failed)?;
        let keeps_documents = batch.work != Work::SettingsAndClear;
        change.apply(writer, keeps_documents, progress, cancel).map_err(failed)
    }
}

/// Reports the progress of a rebuild: its steps by segment, and the documents within the current
/// step. Reports nothing if nothing is rebuilt.
struct RebuildReporter<'b> {
    progress: &'b Progress,
    shown: Mutex<Option<Shown>>,
}

struct Shown {
    what: String,
    segments_done: usize,
    // Dropped in this order, the inner step first.
    documents: Step,
    _segments: Step,
}

impl RebuildObserver for RebuildReporter<'_> {
    fn note(&self, at: &RebuildProgress<'_>) {
        let mut shown = self.shown.lock();
        let is_new = shown
            .as_ref()
            .is_none_or(|shown| shown.segments_done != at.segments_done || shown.what != at.step);
        if is_new {
            *shown = None;
            let segments = self.progress.enter(at.step.to_owned(), count(at.segments as u64));
            segments.set(count(at.segments_done as u64));
            let documents = self.progress.enter("indexing documents", count(at.documents));
            let (what, segments_done) = (at.step.to_owned(), at.segments_done);
            *shown = Some(Shown { what, segments_done, documents, _segments: segments });
        }
        if let Some(shown) = &*shown {
            shown.documents.set(count(at.documents_done));
        }
    }
}

fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns the settings once every task of the batch is applied, in order.
fn changed(batch: &Batch, stored: &Value) -> Result<Value, ServiceError> {
    let mut stored = stored.clone();
    for task in &batch.tasks {
        if let Content::SettingsUpdate { settings, .. } = &task.content {
            stored = Change::from_value(settings).apply_checked(&stored)?;
            check_stored_boosts(&stored)?;
        }
    }
    Ok(stored)
}

fn may_create_index(task: &Task) -> bool {
    matches!(task.content, Content::SettingsUpdate { may_create_index: true, .. })
}
