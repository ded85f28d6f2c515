//! Imports dumps of Meilisearch v1. Their entries come in any order, so all small ones are read
//! first, then the bodies of waiting tasks, then documents and tasks as they come.

mod batches;
mod documents;
mod instance_records;
mod settings;
mod tasks;

use std::collections::BTreeMap;
use std::path::Path;

use ::tasks::Restorer;
use dump::Archive;
use dump::v6::{Batch, IndexMetadata, Task, V6Entry};
use serde_json::Value;

use self::batches::Batches;
use self::documents::NewDocuments;
use super::contents::InstanceRecords;
use super::error::ImportError;
use super::new_instance::NewInstance;

/// Contents of a dump without documents and tasks.
#[derive(Default)]
pub(super) struct Survey {
    /// Indexes by their folders in the archive.
    indexes: BTreeMap<String, IndexParts>,
    records: InstanceRecords,
    has_update_files: bool,
}

#[derive(Default)]
struct IndexParts {
    metadata: Option<IndexMetadata>,
    settings: Option<Value>,
}

/// Reads the whole archive.
pub(super) fn survey(file: &Path) -> Result<Survey, ImportError> {
    let mut survey = Survey::default();
    let mut archive = Archive::open(file)?;
    while let Some(head) = archive.next_entry()? {
        match V6Entry::named(&head.name) {
            V6Entry::Metadata | V6Entry::Documents(_) | V6Entry::Tasks | V6Entry::Batches => {}
            V6Entry::UpdateFile(_) => survey.has_update_files = true,
            V6Entry::IndexMetadata(folder) => {
                survey.index(folder).metadata = Some(archive.json()?);
            }
            V6Entry::Settings(folder) => survey.index(folder).settings = Some(archive.json()?),
            V6Entry::Unknown => {
                tracing::warn!("the dump has an entry `{}`, which is left out", head.name);
            }
            part => instance_records::take(part, &mut archive, &mut survey.records)?,
        }
    }
    archive.finish()?;
    Ok(survey)
}

impl Survey {
    fn index(&mut self, folder: &str) -> &mut IndexParts {
        self.indexes.entry(folder.to_owned()).or_default()
    }

    pub fn fill(mut self, file: &Path, mut instance: NewInstance<'_>) -> Result<(), ImportError> {
        let mut restorer = instance.restorer()?;
        if self.has_update_files {
            take_update_files(file, &mut restorer)?;
        }
        let mut batches = Batches::default();
        let mut archive = Archive::open(file)?;
        while let Some(head) = archive.next_entry()? {
            match V6Entry::named(&head.name) {
                V6Entry::Documents(folder) => {
                    let parts = self.indexes.remove(folder).unwrap_or_default();
                    take_index(folder, parts, Some(&mut archive), &mut instance)?;
                }
                V6Entry::Tasks => archive.for_each_json(|task: Task| {
                    let uid = task.uid;
                    let Some(task) = tasks::task(task)? else { return Ok(()) };
                    batches.note(&task);
                    match restorer.task(task)? {
                        true => Ok(()),
                        false => {
                            Err(ImportError(format!("the documents of task {uid} are missing")))
                        }
                    }
                })?,
                V6Entry::Batches => {
                    archive.for_each_json(|batch: Batch| {
                        batches.add(batch);
                        Ok::<(), ImportError>(())
                    })?;
                }
                _ => {}
            }
        }
        for batch in batches.finish() {
            restorer.batch(batch)?;
        }
        restorer.finish()?;
        for (folder, parts) in self.indexes {
            take_index(&folder, parts, None, &mut instance)?;
        }
        instance.finish(self.records)
    }
}

fn take_update_files(file: &Path, restorer: &mut Restorer) -> Result<(), ImportError> {
    let mut archive = Archive::open(file)?;
    while let Some(head) = archive.next_entry()? {
        if let V6Entry::UpdateFile(uid) = V6Entry::named(&head.name) {
            restorer.payload(uid, |body| {
                let written = archive.copy_to(body)?;
                written
                    .map_err(|error| ImportError(format!("a payload cannot be written: {error}")))
            })?;
        }
    }
    Ok(())
}

/// Imports an index. `archive` is at its documents, if it has any.
fn take_index(
    folder: &str,
    parts: IndexParts,
    archive: Option<&mut Archive>,
    instance: &mut NewInstance<'_>,
) -> Result<(), ImportError> {
    let Some(metadata) = parts.metadata else {
        return Err(ImportError(format!("its folder `indexes/{folder}` has no metadata.json")));
    };
    let in_index =
        |ImportError(why): ImportError| ImportError(format!("index `{}`: {why}", metadata.uid));
    let settings = settings::stored(&metadata.uid, parts.settings).map_err(in_index)?;
    let index = instance.create_index(metadata.created_at)?;
    let documents = NewDocuments::new(&index, &metadata, settings).map_err(in_index)?;
    documents.take(archive, instance.options).map_err(in_index)?;
    instance.name_index(&metadata.uid, index)
}
