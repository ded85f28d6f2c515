//! An index being imported from a dump. It gets its name when it is complete.

use std::path::Path;
use std::sync::Arc;

use index::{Index, IndexError, Options, Writer};
use model::Cancel;
use model::private;
use segment::DiskDirectory;
use time::OffsetDateTime;
use uuid::Uuid;

use super::contents::IndexRecord;
use super::error::ImportError;
use crate::common::failure::index_failure;

pub(super) struct NewIndex {
    id: Uuid,
    index: Index,
}

impl NewIndex {
    pub fn create(
        indexes: &Path,
        created_at: OffsetDateTime,
        options: Options,
    ) -> Result<Self, ImportError> {
        let id = Uuid::new_v4();
        let path = indexes.join(id.to_string());
        let unwritable =
            |error| ImportError(format!("the folder of an index cannot be written: {error}"));
        private::create_dir(&path).map_err(unwritable)?;
        let directory = DiskDirectory::existing(&path).map_err(|error| failed(error.into()))?;
        let index = Index::create_with(Arc::new(directory), created_at, options).map_err(failed)?;
        Ok(Self { id, index })
    }

    pub fn writer(&self) -> Result<Writer<'_>, ImportError> {
        self.index.writer().map_err(failed)
    }

    /// Merges the segments, so that the first searches do not wait for it.
    pub fn finish(self) -> Result<Uuid, ImportError> {
        while let Some(plan) = self.index.next_vector_merge() {
            if !self.index.run_vector_merge(&plan, &Cancel::default()).map_err(failed)? {
                break;
            }
        }
        while let Some(plan) = self.index.next_merge() {
            self.index.run_merge(plan, &Cancel::default()).map_err(failed)?;
        }
        Ok(self.id)
    }
}

/// Commits the last write to an index.
pub(super) fn commit(writer: Writer<'_>, updated_at: OffsetDateTime) -> Result<(), ImportError> {
    // There is no receipt, since no batch wrote it.
    writer.commit(&[], updated_at).map(drop).map_err(failed)
}

/// Sets primary key, settings and fields of a new index from its record.
pub(super) fn define(writer: &mut Writer<'_>, record: &IndexRecord) {
    writer.set_primary_key(record.primary_key.as_deref());
    if record.leads_with_key {
        writer.lead_with_primary_key();
    }
    writer.set_settings(record.settings.clone());
    writer.register_fields(record.fields.iter().map(String::as_str));
    if let Some(next) = record.next_doc_id {
        writer.raise_numbers(next);
    }
    for (name, options) in &record.embedders {
        writer.reset_embedder(name, *options);
    }
}

fn failed(error: IndexError) -> ImportError {
    index_failure(error).into()
}
