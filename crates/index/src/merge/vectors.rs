//! Background maintenance of the vector stores: recent vectors go into the graph on disk, deleted
//! ones are removed. Like a merge of segments it holds no lock while it works, and brings in
//! concurrent commits at the end.

use std::sync::Arc;

use model::Cancel;
use parking_lot::Mutex;

use super::MergeRegistry;
use crate::commit::NextState;
use crate::embedders::EmbedderVectors;
use crate::error::Result;
use crate::file_name::FileName;
use crate::index::Index;

/// A planned merge of a store, which is in no other plan while this one exists.
#[derive(Debug)]
pub struct VectorMergePlan {
    embedder: EmbedderVectors,
    registry: Arc<Mutex<MergeRegistry>>,
}

impl Drop for VectorMergePlan {
    fn drop(&mut self) {
        self.registry.lock().free_vectors(self.embedder.number);
    }
}

impl Index {
    /// Plans the next merge of a store, if any needs it.
    pub fn next_vector_merge(&self) -> Option<VectorMergePlan> {
        self.check_writable().ok()?;
        let mut registry = self.merge_registry.lock();
        let snapshot = self.snapshot();
        let embedder = snapshot.embedders().map(|(_, embedder)| embedder).find(|embedder| {
            embedder.store.wants_merge() && registry.has_vectors(embedder.number)
        })?;
        registry.take_vectors(embedder.number);
        Some(VectorMergePlan { embedder: embedder.clone(), registry: self.merge_registry.clone() })
    }

    /// Runs the merge; returns whether something was published. Checks `cancel` regularly;
    /// stopping costs only the work done. Must not be called by the thread that holds the writer.
    pub fn run_vector_merge(&self, plan: &VectorMergePlan, cancel: &Cancel) -> Result<bool> {
        let cancel = self.or_lost(cancel);
        let published = self.unless_lost(self.merge_vectors(&plan.embedder, &cancel));
        if let Err(error) = &published {
            self.note_failed_write(error);
            self.merge_registry.lock().note_vectors_failure(plan.embedder.number, error);
        }
        published
    }

    fn merge_vectors(&self, embedder: &EmbedderVectors, cancel: &Cancel) -> Result<bool> {
        let name = FileName::vectors_of(embedder.number);
        let mut next_generation = || self.take_segment_number();
        let merged = embedder.store.merge(
            &self.directory,
            &name,
            &mut next_generation,
            self.options.threads,
            cancel,
        )?;
        let Some(merged) = merged else {
            return Ok(false);
        };
        // Its files are removed with it if it is not published.
        let merged = embedder.with_store(&self.directory, merged, &[]);

        let mut state = self.lock_unless_stopped(cancel)?;
        let current = self.snapshot();
        let is_same = |other: &EmbedderVectors| other.number == embedder.number;
        let Some((name, now)) = current.embedders().find(|(_, other)| is_same(other)) else {
            return Ok(false);
        };
        let Some(store) = now.store.rebase(&embedder.store, &merged.store)? else {
            return Ok(false);
        };
        let rebased = now.with_store(&self.directory, store, &merged.files);
        let mut meta = current.meta.clone();
        meta.embedders.insert(name.to_owned(), rebased);
        let next =
            NextState { meta, segments: current.segments.clone(), live: current.live.clone() };
        self.publish(&mut state, next)?;
        Ok(true)
    }
}
