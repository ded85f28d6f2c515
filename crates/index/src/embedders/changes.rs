//! What a batch changes of the vectors of one embedder. Vectors go to a file as they come; what
//! becomes of them is decided by the commit.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::{Directory, DocId};
use vectors::StoreWriter;

use super::{EmbedderVectors, VectorOrigin};
use crate::error::Result;
use crate::file_name::FileName;

#[derive(Debug)]
pub(crate) struct ChangedVectors {
    /// As the batch found them, but for what it says about their origins.
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

    /// Gives a document these vectors in place of those it has. `generation` gives a number that
    /// no file has.
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

    /// These documents are deleted.
    pub fn forget(
        &mut self,
        doc_ids: &RoaringBitmap,
        directory: &Arc<dyn Directory>,
        generation: impl FnOnce() -> u64,
    ) {
        if self.embedder.origins.know_any(doc_ids) {
            Arc::make_mut(&mut self.embedder.origins).forget(doc_ids);
        }
        // What came in this batch may be among them too.
        let is_touched = self.writer.is_some();
        if is_touched || !self.embedder.store.documents().is_disjoint(doc_ids) {
            let writer = self.writer(directory, generation);
            doc_ids.iter().for_each(|doc_id| writer.remove(doc_id));
        }
    }

    /// Writes what has changed.
    pub fn finish(
        self,
        directory: &Arc<dyn Directory>,
        threads: usize,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<EmbedderVectors> {
        let Some(writer) = self.writer else {
            return Ok(self.embedder);
        };
        let store = writer.finish(threads, should_stop)?;
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
