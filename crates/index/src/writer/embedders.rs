//! Vectors of a batch, for each embedder.

use model::Cancel;
use roaring::RoaringBitmap;
use segment::DocId;
use vectors::StoreOptions;

use super::Writer;
use crate::embedders::{ChangedVectors, EmbedderVectors, VectorOrigin};
use crate::error::{IndexError, Result};

impl Writer<'_> {
    /// Replaces an embedder by an empty one, or adds it.
    pub fn reset_embedder(&mut self, name: &str, options: StoreOptions) {
        let number = self.index.take_segment_number();
        let empty = ChangedVectors::new(EmbedderVectors::new(number, options));
        self.embedders.insert(name.to_owned(), empty);
    }

    pub fn remove_embedder(&mut self, name: &str) {
        self.embedders.remove(name);
    }

    pub fn has_embedder(&self, name: &str) -> bool {
        self.embedders.contains_key(name)
    }

    /// Replaces the vectors of a document; an empty list removes them.
    pub fn set_vectors(
        &mut self,
        doc_id: DocId,
        embedder: &str,
        vectors: &[impl AsRef<[f32]>],
        origin: VectorOrigin,
    ) -> Result<()> {
        self.check_complete()?;
        let index = self.index;
        let generation = || index.take_segment_number();
        let outcome = changed(&mut self.embedders, embedder)?.set(
            doc_id,
            vectors,
            origin,
            &index.directory,
            generation,
        );
        outcome.inspect_err(|error| index.note_failed_write(error))
    }

    /// Sets the fragments of which a document has vectors.
    pub fn set_fragments(
        &mut self,
        doc_id: DocId,
        embedder: &str,
        fragments: &[&str],
    ) -> Result<()> {
        changed(&mut self.embedders, embedder)?.set_fragments(doc_id, fragments);
        Ok(())
    }

    /// Returns where the vectors of a document come from, as this batch sees it. Those of a new
    /// document are yet to be generated.
    pub fn vector_origin(&self, doc_id: DocId, embedder: &str) -> Option<VectorOrigin> {
        self.embedders.get(embedder).map(|changed| changed.origin_of(doc_id))
    }

    pub(super) fn forget_vectors(&mut self, doc_ids: &RoaringBitmap) {
        let index = self.index;
        for changed in self.embedders.values_mut() {
            changed.forget(doc_ids, &index.directory, || index.take_segment_number());
        }
    }

    pub(super) fn clear_vectors(&mut self) {
        let embedders: Vec<(String, StoreOptions)> = self
            .embedders
            .iter()
            .map(|(name, changed)| (name.clone(), *changed.options()))
            .collect();
        for (name, options) in embedders {
            self.reset_embedder(&name, options);
        }
    }

    /// Writes the vectors that have changed.
    pub(super) fn finish_vectors(&mut self) -> Result<()> {
        let (directory, threads) = (&self.index.directory, self.index.options.threads);
        let finished = std::mem::take(&mut self.embedders).into_iter().map(|(name, changed)| {
            let vectors = changed.finish(directory, threads, &Cancel::default());
            let vectors = vectors.inspect_err(|error| self.index.note_failed_write(error))?;
            Ok((name, vectors))
        });
        self.meta.embedders = finished.collect::<Result<_>>()?;
        Ok(())
    }
}

fn changed<'e>(
    embedders: &'e mut std::collections::BTreeMap<String, ChangedVectors>,
    name: &str,
) -> Result<&'e mut ChangedVectors> {
    embedders.get_mut(name).ok_or_else(|| IndexError::NoEmbedder { name: name.to_owned() })
}
