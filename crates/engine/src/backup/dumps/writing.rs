//! Writes the view of a dump to an archive.

use std::sync::Arc;

use dump::{DumpError, DumpWriter, Metadata, layout};
use index::Snapshot;
use model::Cancel;
use tasks::{Progress, RunError, Step};
use time::OffsetDateTime;
use transfer::WholeDocument;

use super::contents::{ChatLine, IndexRecord, InstanceRecords, WebhookLine};
use super::dump_failure;
use super::view::DumpView;
use crate::common::batch_error::BatchError;

impl From<DumpError> for BatchError {
    fn from(error: DumpError) -> Self {
        dump_failure(&error).into()
    }
}

pub(super) struct ContentsWriter<'w> {
    pub writer: &'w mut DumpWriter,
    pub progress: &'w Progress,
    pub cancel: &'w Cancel,
}

impl ContentsWriter<'_> {
    pub fn write(&mut self, view: &DumpView, date: OffsetDateTime) -> Result<(), RunError> {
        let (indexes, tasks) = (view.indexes.len() as u64, view.queue.number_of_tasks()?);
        let metadata = Metadata::new(date, view.records.instance_uid, indexes, tasks);
        self.writer.json(Metadata::ENTRY, &metadata).map_err(BatchError::from)?;
        self.instance_records(&view.records)?;
        self.indexes(view)?;
        self.queue(view)?;
        Ok(())
    }

    fn instance_records(&mut self, records: &InstanceRecords) -> Result<(), BatchError> {
        self.writer.json(layout::INSTANCE, &records.instance)?;
        let mut keys = self.writer.lines(layout::KEYS);
        records.keys.iter().flatten().try_for_each(|key| keys.add(key))?;
        keys.finish()?;
        let mut webhooks = self.writer.lines(layout::WEBHOOKS);
        for (uuid, webhook) in &records.webhooks {
            webhooks.add(&WebhookLine { uuid: *uuid, webhook: webhook.clone() })?;
        }
        webhooks.finish()?;
        let mut chats = self.writer.lines(layout::CHATS);
        for (uid, settings) in &records.chats {
            chats.add(&ChatLine { uid: uid.clone(), settings: settings.clone() })?;
        }
        chats.finish()?;
        let mut rules = self.writer.lines(layout::RULES);
        records.rules.iter().try_for_each(|rule| rules.add(rule))?;
        Ok(rules.finish()?)
    }

    fn indexes(&mut self, view: &DumpView) -> Result<(), BatchError> {
        let step = self.progress.enter("dumping the indexes", view.indexes.len() as u32);
        for (number, (uid, snapshot)) in view.indexes.iter().enumerate() {
            let number = number as u32;
            let record = IndexRecord::of(uid, snapshot, view.shares_numbers);
            self.writer.json(&layout::index_entry(number), &record)?;
            let total = u32::try_from(record.documents).unwrap_or(u32::MAX);
            let documents = self.progress.enter("dumping the documents", total);
            self.documents(number, snapshot, &documents).map_err(
                |BatchError(error)| match error {
                    RunError::Failed(error) => BatchError::from(error.in_index(uid)),
                    RunError::Stopped => BatchError(RunError::Stopped),
                },
            )?;
            drop(documents);
            step.add(1);
        }
        Ok(())
    }

    fn documents(
        &mut self,
        number: u32,
        snapshot: &Arc<Snapshot>,
        step: &Step,
    ) -> Result<(), BatchError> {
        let name = layout::documents_entry(number);
        let mut lines = self.writer.lines(&name);
        snapshot.for_each_document(snapshot.live(), |doc_id, json| {
            self.cancel.check()?;
            lines.add(&WholeDocument::of(snapshot, doc_id, json)?)?;
            step.add(1);
            Ok::<(), BatchError>(())
        })?;
        Ok(lines.finish()?)
    }

    /// Writes the queue. Bodies come before their tasks, so that an import can restore tasks one by
    /// one.
    fn queue(&mut self, view: &DumpView) -> Result<(), BatchError> {
        let step = self.progress.enter("dumping the tasks", 3);
        view.queue.for_each_payload(|uid, body| {
            self.cancel.check()?;
            self.writer.bytes(&layout::payload_entry(uid), body)?;
            Ok::<(), BatchError>(())
        })?;
        step.add(1);
        let mut tasks = self.writer.lines(layout::TASKS);
        view.queue.for_each_task(|task| {
            self.cancel.check()?;
            Ok::<(), BatchError>(tasks.add(task)?)
        })?;
        tasks.finish()?;
        step.add(1);
        let mut batches = self.writer.lines(layout::BATCHES);
        view.queue.for_each_batch(|batch| {
            self.cancel.check()?;
            Ok::<(), BatchError>(batches.add(batch)?)
        })?;
        Ok(batches.finish()?)
    }
}
