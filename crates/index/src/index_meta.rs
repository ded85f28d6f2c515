//! Metadata of an index: dates, primary key, settings, field names, receipt of the last batch.

use std::sync::Arc;

use segment::Directory;
use time::OffsetDateTime;

use crate::embedders::{EmbedderVectors, Embedders};
use crate::error::Result;
use crate::field_names::FieldNames;
use crate::indexing::Indexing;
use crate::options::Options;
use crate::settings::Settings;
use crate::tracked_file::TrackedFile;

#[derive(Debug, Clone)]
pub(crate) struct IndexMeta {
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    pub primary_key: Option<Arc<str>>,
    /// True if stored documents begin with the primary key.
    pub leads_with_key: bool,
    pub fields: FieldNames,
    pub settings: Settings,
    pub embedders: Embedders,
    /// If several instances share document numbers: the lowest number never shared out.
    pub next_doc_id: Option<u64>,
    /// Opaque bytes of the caller.
    pub receipt: Arc<[u8]>,
}

impl IndexMeta {
    pub fn new(now: OffsetDateTime) -> Self {
        Self {
            created_at: now,
            updated_at: now,
            primary_key: None,
            leads_with_key: false,
            fields: FieldNames::default(),
            settings: Settings::default(),
            embedders: Embedders::default(),
            next_doc_id: None,
            receipt: Arc::default(),
        }
    }

    /// Returns what is needed to index documents under the current settings.
    pub fn indexing(&self, threads: usize) -> Indexing<'_> {
        Indexing {
            settings: self.settings.typed(),
            rules: self.settings.rules(),
            tokenizer: self.settings.tokenizer(),
            primary_key: self.primary_key.as_deref(),
            threads,
        }
    }

    pub fn move_large_to_files(
        &mut self,
        directory: &Arc<dyn Directory>,
        generation: u64,
        options: &Options,
    ) -> Result<()> {
        self.fields.move_to_file_if_large(directory, generation, options.inline_bytes)?;
        self.settings.move_to_file_if_large(directory, generation, options.inline_bytes)
    }

    pub fn files(&self) -> impl Iterator<Item = &TrackedFile> {
        let vectors = self.embedders.values().flat_map(EmbedderVectors::files);
        self.fields.file().into_iter().chain(self.settings.file()).chain(vectors)
    }
}
