//! The changes of one commit on their way to the next store. Rows go to a new file as they come;
//! nothing of it is visible before `finish`, and a writer that is dropped takes its file with it.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::{Directory, DocId};

use crate::entry;
use crate::error::{Result, VectorsError};
use crate::file::format::NOBODY;
use crate::file::{VectorFile, VectorFileEnd, VectorFileWriter};
use crate::store::Store;
use crate::unfinished::Unfinished;

/// The most vectors of a document.
pub const MOST_VECTORS: usize = 256;

pub struct StoreWriter {
    directory: Arc<dyn Directory>,
    name: String,
    generation: u64,
    base: Store,
    file: Option<OpenFile>,
    /// In the order in which they came; the last one of a document counts.
    changes: Vec<Change>,
}

/// Fields are dropped in their order: a file is closed before it is deleted.
struct OpenFile {
    writer: VectorFileWriter,
    unfinished: Unfinished,
}

struct Change {
    doc_id: DocId,
    first_row: u32,
    /// None: the document has no vectors any more.
    rows: u32,
}

impl Store {
    /// Starts the changes of a commit. The name of their file is `name` and the generation; no
    /// other file may have the same.
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
    /// Gives a document these vectors in place of those it has; none takes it out of the store.
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

    /// Takes all documents out of the store, those set before by this writer included.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.base = Store::new(*self.base.options());
    }

    /// Writes and syncs what has changed; the store that it gives has it. The names of files are
    /// for the caller to sync. `should_stop` is asked regularly.
    pub fn finish(mut self, threads: usize, should_stop: &dyn Fn() -> bool) -> Result<Store> {
        let rows = self.file.as_ref().map_or(0, |file| file.writer.count());
        let (owners, gone) = self.settle(rows);
        if owners.iter().all(|&owner| owner == NOBODY) {
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
        store.enter_newest(threads, should_stop)?;
        unfinished.keep();
        Ok(store)
    }

    /// The owner of each row that has been written, and the documents that have lost theirs.
    fn settle(&mut self, rows: u32) -> (Vec<DocId>, RoaringBitmap) {
        let mut owners = vec![NOBODY; rows as usize];
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
        if doc_id == NOBODY {
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

    /// The file of this commit, begun with the first row.
    fn open_file(&mut self) -> Result<&mut OpenFile> {
        if self.file.is_none() {
            let name = entry::vectors_name(&self.name, self.generation);
            let unfinished = Unfinished::new(&self.directory, name);
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
