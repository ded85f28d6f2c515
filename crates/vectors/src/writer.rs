//! Writer of the changes of one commit. Rows go to a new file as they come; none are visible before
//! `finish`, and a dropped writer deletes its file.

use std::sync::Arc;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::{Directory, DocId};

use crate::entry;
use crate::error::{Result, VectorsError};
use crate::file::format::NO_OWNER;
use crate::file::{VectorFile, VectorFileEnd, VectorFileWriter};
use crate::store::Store;
use crate::unfinished_file::UnfinishedFile;

/// Most vectors of a document.
pub const MOST_VECTORS: usize = 256;

pub struct StoreWriter {
    directory: Arc<dyn Directory>,
    name: String,
    generation: u64,
    base: Store,
    file: Option<OpenFile>,
    /// Changes in order; the last one of a document counts.
    changes: Vec<Change>,
}

/// Fields drop in order: the file is closed before it is deleted.
struct OpenFile {
    writer: VectorFileWriter,
    unfinished: UnfinishedFile,
}

struct Change {
    doc_id: DocId,
    first_row: u32,
    /// Number of rows; 0 if the document has no vectors any more.
    rows: u32,
}

impl Store {
    /// Starts the changes of a commit, in a file named by `name` and the unique generation.
    pub fn writer(
        &self,
        directory: &Arc<dyn Directory>,
        name: &str,
        generation: u64,
    ) -> StoreWriter {
        StoreWriter {
            directory: Arc::clone(directory),
            name: name.to_owned(),
            generation,
            base: self.clone(),
            file: None,
            changes: Vec::new(),
        }
    }
}

impl StoreWriter {
    /// Replaces the vectors of a document; an empty slice removes it from the store.
    pub fn set(&mut self, doc_id: DocId, vectors: &[impl AsRef<[f32]>]) -> Result<()> {
        self.check(doc_id, vectors)?;
        if vectors.is_empty() {
            self.remove(doc_id);
            return Ok(());
        }
        let file = self.open_file()?;
        let first_row = file.writer.count();
        for vector in vectors {
            file.writer.push_vector(vector.as_ref())?;
        }
        self.changes.push(Change { doc_id, first_row, rows: vectors.len() as u32 });
        Ok(())
    }

    pub fn remove(&mut self, doc_id: DocId) {
        self.changes.push(Change { doc_id, first_row: 0, rows: 0 });
    }

    /// Removes all documents from the store, including those set by this writer.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.base = Store::new(*self.base.options());
    }

    /// Writes and syncs the changes; returns the new store. The caller syncs the directory. Checks
    /// `cancel` regularly.
    pub fn finish(mut self, threads: usize, cancel: &Cancel) -> Result<Store> {
        let rows = self.file.as_ref().map_or(0, |file| file.writer.count());
        let (owners, gone) = self.settle(rows);
        if owners.iter().all(|&owner| owner == NO_OWNER) {
            if gone.is_empty() {
                return Ok(self.base);
            }
            if gone == *self.base.documents() {
                return Ok(Store::new(*self.base.options()));
            }
        }
        self.open_file()?;
        let Some(OpenFile { writer, unfinished }) = self.file.take() else {
            return Ok(self.base);
        };
        writer.finish(VectorFileEnd { owners: &owners, gone: &gone, nodes: None })?;
        let file = Arc::new(VectorFile::open(&*self.directory, unfinished.name())?);
        let store = self.base.with_file(self.generation, file)?;
        store.insert_newest(threads, cancel)?;
        unfinished.keep();
        Ok(store)
    }

    /// Returns the owner of each written row, and the documents that lost their earlier vectors.
    fn settle(&mut self, rows: u32) -> (Vec<DocId>, RoaringBitmap) {
        let mut owners = vec![NO_OWNER; rows as usize];
        let mut gone = RoaringBitmap::new();
        self.changes.sort_by_key(|change| change.doc_id);
        for changes in self.changes.chunk_by(|left, right| left.doc_id == right.doc_id) {
            let Some(last) = changes.last() else {
                continue;
            };
            if last.rows == 0 && self.base.documents().contains(last.doc_id) {
                gone.insert(last.doc_id);
            }
            let start = last.first_row as usize;
            owners[start..start + last.rows as usize].fill(last.doc_id);
        }
        (owners, gone)
    }

    fn check(&self, doc_id: DocId, vectors: &[impl AsRef<[f32]>]) -> Result<()> {
        if vectors.len() > MOST_VECTORS {
            let (found, most) = (vectors.len(), MOST_VECTORS);
            return Err(VectorsError::TooMany { doc_id, found, most });
        }
        if doc_id == NO_OWNER {
            return Err(VectorsError::Full);
        }
        for vector in vectors {
            self.base.check_dimensions(vector.as_ref())?;
            if vector.as_ref().iter().any(|value| !value.is_finite()) {
                return Err(VectorsError::NotFinite { doc_id });
            }
        }
        Ok(())
    }

    /// Returns the file of this commit, created with the first row.
    fn open_file(&mut self) -> Result<&mut OpenFile> {
        if self.file.is_none() {
            let name = entry::vectors_name(&self.name, self.generation);
            let unfinished = UnfinishedFile::new(&self.directory, name);
            let space = self.base.state().space;
            let writer = VectorFileWriter::create(&*self.directory, unfinished.name(), space)?;
            self.file = Some(OpenFile { writer, unfinished });
        }
        self.file.as_mut().ok_or(VectorsError::Full)
    }
}

impl std::fmt::Debug for StoreWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreWriter")
            .field("name", &self.name)
            .field("changes", &self.changes.len())
            .finish_non_exhaustive()
    }
}
