//! Vectors of one embedder that a batch changes. They go to a file as they come; the commit decides
//! whether the file is kept.

use std::sync::Arc;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::{Directory, DocId};
use vectors::StoreWriter;

use super::{EmbedderVectors, VectorOrigin};
use crate::error::Result;
use crate::file_name::FileName;

#[derive(Debug)]
pub(crate) struct ChangedVectors {
    /// State before the batch, except for the origins, which are current.
    embedder: EmbedderVectors,
    writer: Option<StoreWriter>,
}

impl ChangedVectors {
    pub fn new(embedder: EmbedderVectors) -> Self {
        Self { embedder, writer: None }
    }

    pub fn origin_of(&self, doc_id: DocId) -> VectorOrigin {
        self.embedder.origin_of(doc_id)
    }

    pub fn options(&self) -> &vectors::StoreOptions {
        self.embedder.store.options()
    }

    /// Replaces the vectors of a document. `generation` returns a number that no file has.
    pub fn set(
        &mut self,
        doc_id: DocId,
        vectors: &[impl AsRef<[f32]>],
        origin: VectorOrigin,
        directory: &Arc<dyn Directory>,
        generation: impl FnOnce() -> u64,
    ) -> Result<()> {
        self.writer(directory, generation).set(doc_id, vectors)?;
        Arc::make_mut(&mut self.embedder.origins).set(doc_id, origin);
        Ok(())
    }

    pub fn set_fragments(&mut self, doc_id: DocId, names: &[&str]) {
        if !names.is_empty() || !self.embedder.origins.fragments.is_empty() {
            Arc::make_mut(&mut self.embedder.origins).set_fragments(doc_id, names);
        }
    }

    /// Removes the vectors of deleted documents.
    pub fn forget(
        &mut self,
        doc_ids: &RoaringBitmap,
        directory: &Arc<dyn Directory>,
        generation: impl FnOnce() -> u64,
    ) {
        if self.embedder.origins.know_any(doc_ids) {
            Arc::make_mut(&mut self.embedder.origins).forget(doc_ids);
        }
        // Vectors set in this batch may be among them too.
        let is_touched = self.writer.is_some();
        if is_touched || !self.embedder.store.documents().is_disjoint(doc_ids) {
            let writer = self.writer(directory, generation);
            doc_ids.iter().for_each(|doc_id| writer.remove(doc_id));
        }
    }

    /// Writes the changes.
    pub fn finish(
        self,
        directory: &Arc<dyn Directory>,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<EmbedderVectors> {
        let Some(writer) = self.writer else {
            return Ok(self.embedder);
        };
        let store = writer.finish(threads, cancel)?;
        Ok(self.embedder.with_store(directory, store, &[]))
    }

    fn writer(
        &mut self,
        directory: &Arc<dyn Directory>,
        generation: impl FnOnce() -> u64,
    ) -> &mut StoreWriter {
        let embedder = &self.embedder;
        self.writer.get_or_insert_with(|| {
            let name = FileName::vectors_of(embedder.number);
            embedder.store.writer(directory, &name, generation())
        })
    }
}
