//! From a moment to an archive.

use std::sync::Arc;

use dump::{DumpError, DumpWriter, Metadata, layout};
use index::Snapshot;
use model::ServiceError;
use segment::SegmentError;
use tasks::{Progress, RunError, Step, StopFlag};
use time::OffsetDateTime;

use super::contents::{ChatLine, IndexRecord, SmallThings, WebhookLine};
use super::dump_failure;
use super::moment::Moment;
use crate::common::failure::index_failure;
use crate::indexes::whole_document::WholeDocument;

/// What stops the writing of a dump.
struct Ended(RunError);

impl From<Ended> for RunError {
    fn from(Ended(error): Ended) -> Self {
        error
    }
}

impl From<RunError> for Ended {
    fn from(error: RunError) -> Self {
        Ended(error)
    }
}

impl From<ServiceError> for Ended {
    fn from(error: ServiceError) -> Self {
        Ended(RunError::Failed(error))
    }
}

impl From<DumpError> for Ended {
    fn from(error: DumpError) -> Self {
        dump_failure(&error).into()
    }
}

impl From<SegmentError> for Ended {
    fn from(error: SegmentError) -> Self {
        index_failure(&error.into()).into()
    }
}

pub(super) struct Writing<'w> {
    pub writer: &'w mut DumpWriter,
    pub progress: &'w Progress,
    pub stop: &'w StopFlag,
}

impl Writing<'_> {
    pub fn write(&mut self, moment: &Moment, date: OffsetDateTime) -> Result<(), RunError> {
        let (indexes, tasks) = (moment.indexes.len() as u64, moment.queue.number_of_tasks()?);
        let metadata = Metadata::new(date, moment.small.instance_uid, indexes, tasks);
        let written = self.writer.json(Metadata::ENTRY, &metadata).map_err(Ended::from);
        written?;
        self.small_things(&moment.small)?;
        self.indexes(moment)?;
        self.queue(moment)?;
        Ok(())
    }

    fn small_things(&mut self, small: &SmallThings) -> Result<(), Ended> {
        self.writer.json(layout::INSTANCE, &small.instance)?;
        let mut keys = self.writer.lines(layout::KEYS);
        small.keys.iter().flatten().try_for_each(|key| keys.add(key))?;
        keys.finish()?;
        let mut webhooks = self.writer.lines(layout::WEBHOOKS);
        for (uuid, webhook) in &small.webhooks {
            webhooks.add(&WebhookLine { uuid: *uuid, webhook: webhook.clone() })?;
        }
        webhooks.finish()?;
        let mut chats = self.writer.lines(layout::CHATS);
        for (uid, settings) in &small.chats {
            chats.add(&ChatLine { uid: uid.clone(), settings: settings.clone() })?;
        }
        chats.finish()?;
        let mut rules = self.writer.lines(layout::RULES);
        small.rules.iter().try_for_each(|rule| rules.add(rule))?;
        Ok(rules.finish()?)
    }

    fn indexes(&mut self, moment: &Moment) -> Result<(), Ended> {
        let step = self.progress.enter("dumping the indexes", moment.indexes.len() as u32);
        for (number, (uid, snapshot)) in moment.indexes.iter().enumerate() {
            let number = number as u32;
            let record = IndexRecord::of(uid, snapshot, moment.shares_numbers);
            self.writer.json(&layout::index_entry(number), &record)?;
            let total = u32::try_from(record.documents).unwrap_or(u32::MAX);
            let documents = self.progress.enter("dumping the documents", total);
            self.documents(number, snapshot, &documents).map_err(|Ended(error)| match error {
                RunError::Failed(error) => Ended::from(error.in_index(uid)),
                RunError::Stopped => Ended(RunError::Stopped),
            })?;
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
    ) -> Result<(), Ended> {
        let name = layout::documents_entry(number);
        let mut lines = self.writer.lines(&name);
        snapshot.for_each_document(snapshot.live(), |doc_id, json| {
            self.stop.check()?;
            lines.add(&WholeDocument::of(snapshot, doc_id, json)?)?;
            step.add(1);
            Ok::<(), Ended>(())
        })?;
        Ok(lines.finish()?)
    }

    /// Bodies come before their tasks, so that an import can take them in one by one.
    fn queue(&mut self, moment: &Moment) -> Result<(), Ended> {
        let step = self.progress.enter("dumping the tasks", 3);
        moment.queue.for_each_payload(|uid, body| {
            self.stop.check()?;
            self.writer.bytes(&layout::payload_entry(uid), body)?;
            Ok::<(), Ended>(())
        })?;
        step.add(1);
        let mut tasks = self.writer.lines(layout::TASKS);
        moment.queue.for_each_task(|task| {
            self.stop.check()?;
            Ok::<(), Ended>(tasks.add(task)?)
        })?;
        tasks.finish()?;
        step.add(1);
        let mut batches = self.writer.lines(layout::BATCHES);
        moment.queue.for_each_batch(|batch| {
            self.stop.check()?;
            Ok::<(), Ended>(batches.add(batch)?)
        })?;
        Ok(batches.finish()?)
    }
}
