//! Vectors of an index: each embedder has a store of its own, and records where the vectors of each
//! document come from.
//!
//! Stores are keyed by document number, like everything else, but belong to no segment: merging
//! segments leaves them alone.

mod changes;
mod entry;

use std::collections::BTreeMap;
use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::{Directory, DocId};
use vectors::{Store, StoreOptions};

use crate::error::Result;
use crate::file_name::FileName;
use crate::tracked_file::TrackedFile;

pub(crate) use changes::ChangedVectors;
pub(crate) use entry::{EmbedderEntry, EmbedderHead, entries, heads};

/// Embedders by name.
pub(crate) type Embedders = BTreeMap<String, EmbedderVectors>;

/// The vectors of one embedder in one state of the index. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EmbedderVectors {
    /// Prefix of its file names; never reused.
    pub(crate) number: u64,
    pub(crate) store: Store,
    pub(crate) files: Vec<Arc<TrackedFile>>,
    origins: Arc<Origins>,
}

/// Origins of the vectors of all documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Origins {
    /// The user provided them, or said that there are none.
    pub given: RoaringBitmap,
    /// Documents whose vectors are not regenerated when the document changes.
    pub fixed: RoaringBitmap,
    /// Documents that have a vector of each fragment.
    pub fragments: BTreeMap<String, RoaringBitmap>,
}

/// Origin of the vectors of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorOrigin {
    /// The user provided them, or said that there are none.
    pub given: bool,
    /// They are regenerated when the document changes.
    pub regenerate: bool,
}

impl EmbedderVectors {
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the documents whose vectors, possibly none, the user provided.
    pub fn given(&self) -> &RoaringBitmap {
        &self.origins.given
    }

    /// Returns the documents whose vectors are not regenerated when the document changes. Such a
    /// document without vectors wants none.
    pub fn fixed(&self) -> &RoaringBitmap {
        &self.origins.fixed
    }

    /// Returns the documents that have a vector of a fragment.
    pub fn fragment(&self, name: &str) -> Option<&RoaringBitmap> {
        self.origins.fragments.get(name)
    }

    /// Returns every fragment with the documents that have a vector of it.
    pub fn fragments(&self) -> impl Iterator<Item = (&str, &RoaringBitmap)> {
        self.origins.fragments.iter().map(|(name, documents)| (name.as_str(), documents))
    }

    pub fn origin_of(&self, doc_id: DocId) -> VectorOrigin {
        self.origins.of(doc_id)
    }

    pub(crate) fn new(number: u64, options: StoreOptions) -> Self {
        Self { number, store: Store::new(options), files: Vec::new(), origins: Arc::default() }
    }

    pub(crate) fn open(directory: &Arc<dyn Directory>, entry: EmbedderEntry) -> Result<Self> {
        let name = FileName::vectors_of(entry.number);
        let store = Store::open(&**directory, &name, &entry.store)?;
        let files = store.files().into_iter();
        let files =
            files.map(|file| Arc::new(TrackedFile::named(directory, file.name, file.length, true)));
        Ok(Self {
            number: entry.number,
            files: files.collect(),
            store,
            origins: Arc::new(entry.origins),
        })
    }

    /// Returns the embedder with another store. Files that are neither in the current store nor in
    /// `others` have just been written.
    pub(crate) fn with_store(
        &self,
        directory: &Arc<dyn Directory>,
        store: Store,
        others: &[Arc<TrackedFile>],
    ) -> Self {
        let files = store.files().into_iter().map(|file| {
            let known = self.files.iter().chain(others).find(|known| known.name() == file.name);
            known.cloned().unwrap_or_else(|| {
                Arc::new(TrackedFile::named(directory, file.name, file.length, false))
            })
        });
        Self { files: files.collect(), store, ..self.clone() }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TrackedFile> {
        self.files.iter().map(|file| &**file)
    }
}

impl Origins {
    pub fn of(&self, doc_id: DocId) -> VectorOrigin {
        VectorOrigin {
            given: self.given.contains(doc_id),
            regenerate: !self.fixed.contains(doc_id),
        }
    }

    pub fn set(&mut self, doc_id: DocId, origin: VectorOrigin) {
        put(&mut self.given, doc_id, origin.given);
        put(&mut self.fixed, doc_id, !origin.regenerate);
    }

    pub fn set_fragments(&mut self, doc_id: DocId, names: &[&str]) {
        for (name, documents) in &mut self.fragments {
            if !names.contains(&name.as_str()) {
                documents.remove(doc_id);
            }
        }
        for name in names {
            match self.fragments.get_mut(*name) {
                Some(documents) => drop(documents.insert(doc_id)),
                None => drop(self.fragments.insert((*name).to_owned(), [doc_id].into())),
            }
        }
        self.fragments.retain(|_, documents| !documents.is_empty());
    }

    fn forget(&mut self, doc_ids: &RoaringBitmap) {
        self.given -= doc_ids;
        self.fixed -= doc_ids;
        for documents in self.fragments.values_mut() {
            *documents -= doc_ids;
        }
        self.fragments.retain(|_, documents| !documents.is_empty());
    }

    fn know_any(&self, doc_ids: &RoaringBitmap) -> bool {
        let meets = |known: &RoaringBitmap| !known.is_disjoint(doc_ids);
        meets(&self.given) || meets(&self.fixed) || self.fragments.values().any(meets)
    }
}

fn put(set: &mut RoaringBitmap, doc_id: DocId, is_in: bool) {
    if is_in {
        set.insert(doc_id);
    } else {
        set.remove(doc_id);
    }
}
