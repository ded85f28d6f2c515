//! Imports dumps of this program.

use std::collections::BTreeMap;
use std::path::Path;

use auth::Key;
use document::PrimaryKey;
use dump::layout::DumpEntry;
use dump::{Archive, EntryHeader, Metadata};
use index::Writer;
use model::ServiceError;
use tasks::{Restorer, StoredBatch, Task};
use transfer::WholeDocument;

use super::contents::{ChatLine, IndexRecord, InstanceRecords, WebhookLine};
use super::error::ImportError;
use super::new_index::{commit, define};
use super::new_instance::NewInstance;
use crate::common::failure::index_failure;
use crate::search_rules::Rule;

/// Contents of a dump without documents and tasks.
pub(super) struct Survey {
    indexes: BTreeMap<u32, IndexRecord>,
    records: InstanceRecords,
    has_payloads: bool,
    tasks: u64,
}

/// Reads the whole archive and refuses one that is no dump of this program.
pub(super) fn survey(file: &Path, metadata: Metadata) -> Result<Survey, ImportError> {
    let records =
        InstanceRecords { instance_uid: metadata.instance_uid, ..InstanceRecords::default() };
    let mut survey =
        Survey { indexes: BTreeMap::new(), records, has_payloads: false, tasks: metadata.tasks };
    let mut archive = Archive::open(file)?;
    let mut parts = BTreeMap::new();
    let mut last_index = None;
    while let Some(head) = archive.next_entry()? {
        let index_before = last_index.take();
        match DumpEntry::named(&head.name) {
            DumpEntry::Documents(index, part) => {
                // Parts of an index must be consecutive.
                let expected = parts.entry(index).or_insert(0);
                let is_next = *expected == part && (part == 0 || index_before == Some(index));
                if !is_next || !survey.indexes.contains_key(&index) {
                    return Err(archive.wrong("is not where it should be").into());
                }
                *expected += 1;
                last_index = Some(index);
            }
            DumpEntry::Index(index) => drop(survey.indexes.insert(index, archive.json()?)),
            DumpEntry::Payload(_) => survey.has_payloads = true,
            DumpEntry::Metadata | DumpEntry::Tasks | DumpEntry::Batches => {}
            DumpEntry::Unknown => return Err(archive.wrong("is no part of a dump").into()),
            part => survey.instance_record(part, &mut archive)?,
        }
    }
    archive.finish()?;
    if survey.indexes.len() as u64 != metadata.indexes {
        return Err(ImportError("some of its indexes are missing".to_owned()));
    }
    // Every instance has keys, at least the default ones.
    survey.records.keys.get_or_insert_default();
    Ok(survey)
}

impl Survey {
    fn instance_record(
        &mut self,
        part: DumpEntry,
        archive: &mut Archive,
    ) -> Result<(), ImportError> {
        let records = &mut self.records;
        match part {
            DumpEntry::Instance => records.instance = archive.json()?,
            DumpEntry::Keys => {
                let keys = records.keys.get_or_insert_default();
                archive.for_each_json(|key: Key| {
                    key.check()?;
                    keys.push(key);
                    Ok::<(), ImportError>(())
                })?;
            }
            DumpEntry::Webhooks => archive.for_each_json(|WebhookLine { uuid, webhook }| {
                records.webhooks.insert(uuid, webhook);
                Ok::<(), ImportError>(())
            })?,
            DumpEntry::Chats => archive.for_each_json(|ChatLine { uid, settings }| {
                records.chats.insert(uid, settings);
                Ok::<(), ImportError>(())
            })?,
            DumpEntry::Rules => archive.for_each_json(|rule: Rule| {
                records.rules.push(rule);
                Ok::<(), ImportError>(())
            })?,
            _ => {}
        }
        Ok(())
    }

    pub fn fill(mut self, file: &Path, mut instance: NewInstance<'_>) -> Result<(), ImportError> {
        let mut restorer = instance.restorer()?;
        if self.has_payloads {
            take_payloads(file, &mut restorer)?;
        }
        let mut tasks = 0;
        let mut archive = Archive::open(file)?;
        let mut next = archive.next_entry()?;
        while let Some(head) = next {
            next = match DumpEntry::named(&head.name) {
                DumpEntry::Documents(number, _) => {
                    let record = self.indexes.remove(&number);
                    let record = record.ok_or_else(|| archive.wrong("belongs to no index"))?;
                    take_index(&mut archive, number, &record, &mut instance)?
                }
                DumpEntry::Tasks => {
                    tasks += take_tasks(&mut archive, &mut restorer)?;
                    archive.next_entry()?
                }
                DumpEntry::Batches => {
                    let take = |batch: StoredBatch| Ok::<(), ImportError>(restorer.batch(batch)?);
                    archive.for_each_json(take)?;
                    archive.next_entry()?
                }
                _ => archive.next_entry()?,
            };
        }
        if tasks != self.tasks {
            return Err(ImportError("some of its tasks are missing".to_owned()));
        }
        restorer.finish()?;
        for record in self.indexes.values() {
            if record.documents > 0 {
                return Err(ImportError(format!(
                    "the documents of index `{}` are missing",
                    record.uid
                )));
            }
            let index = instance.create_index(record.created_at)?;
            let mut writer = index.writer()?;
            define(&mut writer, record);
            commit(writer, record.updated_at)?;
            instance.name_index(&record.uid, index)?;
        }
        instance.finish(self.records)
    }
}

fn take_payloads(file: &Path, restorer: &mut Restorer) -> Result<(), ImportError> {
    let mut archive = Archive::open(file)?;
    while let Some(head) = archive.next_entry()? {
        if let DumpEntry::Payload(uid) = DumpEntry::named(&head.name) {
            restorer.payload(uid, |body| {
                let written = archive.copy_to(body)?;
                written
                    .map_err(|error| ImportError(format!("a payload cannot be written: {error}")))
            })?;
        }
    }
    Ok(())
}

/// Restores the tasks and returns how many there were.
fn take_tasks(archive: &mut Archive, restorer: &mut Restorer) -> Result<u64, ImportError> {
    let mut taken = 0;
    archive.for_each_json(|task: Task| {
        let uid = task.uid;
        taken += 1;
        match restorer.task(task)? {
            true => Ok(()),
            false => Err(ImportError(format!("the payload of task {uid} is missing"))),
        }
    })?;
    Ok(taken)
}

/// Puts a document, and fails if the dump has it twice.
fn put_new(
    writer: &mut Writer<'_>,
    key: &PrimaryKey,
    line: &WholeDocument<'_>,
) -> Result<(), ImportError> {
    let (document, id) = line.read(key)?;
    if writer.contains(&id).map_err(index_failure)? {
        return Err(ServiceError::internal(format!("the document `{id}` is there twice")).into());
    }
    Ok(line.put(writer, &id, &document)?)
}

/// Imports all parts of an index; returns the entry after them.
fn take_index(
    archive: &mut Archive,
    number: u32,
    record: &IndexRecord,
    instance: &mut NewInstance<'_>,
) -> Result<Option<EntryHeader>, ImportError> {
    let in_index =
        |ImportError(why): ImportError| ImportError(format!("index `{}`: {why}", record.uid));
    let index = instance.create_index(record.created_at)?;
    let mut writer = index.writer()?;
    define(&mut writer, record);
    let key = record.primary_key.as_deref().map(PrimaryKey::new);
    let key = key.ok_or_else(|| in_index(ImportError("it has no primary key".to_owned())))?;
    let mut documents = 0;
    let next = loop {
        archive
            .for_each_line(|line| {
                let line: WholeDocument<'_> =
                    serde_json::from_slice(line).map_err(|error| ImportError(error.to_string()))?;
                documents += 1;
                put_new(&mut writer, &key, &line)
            })
            .map_err(in_index)?;
        match archive.next_entry()? {
            Some(head) if matches!(DumpEntry::named(&head.name), DumpEntry::Documents(of, _) if of == number) =>
                {}
            other => break other,
        }
    };
    if documents != record.documents {
        return Err(in_index(ImportError("some of its documents are missing".to_owned())));
    }
    commit(writer, record.updated_at).map_err(in_index)?;
    tracing::info!(documents, "the index `{}` is imported", record.uid);
    instance.name_index(&record.uid, index)?;
    Ok(next)
}
