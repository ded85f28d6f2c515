//! A segment as a snapshot sees it: the files, which never change and are shared by every
//! snapshot that has the segment, and the ids deleted from it, which belong to the snapshot.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::documents::DocumentsReader;
use segment::{Directory, DocId, SegmentError};

use crate::deleted::DeletedIds;
use crate::error::Result;
use crate::file_name::FileName;
use crate::manifest::SegmentEntry;
use crate::tracked_file::TrackedFile;

/// Generation of a component that has not been rebuilt since its segment was made.
pub(crate) const FIRST_GENERATION: u64 = 1;

#[derive(Debug, Clone)]
pub struct Segment {
    files: Arc<SegmentFiles>,
    deleted: DeletedIds,
}

#[derive(Debug)]
struct SegmentFiles {
    number: u64,
    documents: DocumentsReader,
    documents_generation: u64,
    documents_file: TrackedFile,
}

impl Segment {
    /// Opens a segment that has just been written; its files vanish again unless a commit keeps
    /// them.
    pub(crate) fn open_new(
        directory: &dyn Directory,
        number: u64,
        documents_file: TrackedFile,
    ) -> Result<Self> {
        let documents = DocumentsReader::open(directory, documents_file.name())?;
        Ok(Self {
            files: Arc::new(SegmentFiles {
                number,
                documents,
                documents_generation: FIRST_GENERATION,
                documents_file,
            }),
            deleted: DeletedIds::default(),
        })
    }

    pub(crate) fn open(directory: &Arc<dyn Directory>, entry: SegmentEntry) -> Result<Self> {
        let SegmentEntry { number, documents: generation, deleted_file, deleted } = entry;
        let name = FileName::documents(number, generation);
        let documents = DocumentsReader::open(&**directory, &name.to_string())?;
        let deleted = DeletedIds::open(directory, number, deleted_file, deleted)?;
        if !deleted.ids().is_subset(documents.doc_ids()) {
            let what = "documents are marked as deleted that it never had";
            return Err(SegmentError::damaged(&name.to_string(), what).into());
        }
        let length = documents.sizes().file;
        let files = SegmentFiles {
            number,
            documents,
            documents_generation: generation,
            documents_file: TrackedFile::committed(directory, &name, length),
        };
        Ok(Self { files: Arc::new(files), deleted })
    }

    pub fn number(&self) -> u64 {
        self.files.number
    }

    pub fn documents(&self) -> &DocumentsReader {
        &self.files.documents
    }

    pub fn deleted(&self) -> &RoaringBitmap {
        self.deleted.ids()
    }

    pub fn live_count(&self) -> u64 {
        self.documents().len() - self.deleted().len()
    }

    /// The live documents of this segment, as a set of its own.
    pub fn live(&self) -> RoaringBitmap {
        self.documents().doc_ids() - self.deleted()
    }

    /// Whether this segment holds the document under its current number.
    pub fn has(&self, doc_id: DocId) -> bool {
        self.documents().doc_ids().contains(doc_id) && !self.deleted().contains(doc_id)
    }

    /// Bytes of the components.
    pub fn file_bytes(&self) -> u64 {
        self.files.documents_file.length()
    }

    /// The part of a number of bytes that live documents account for.
    pub(crate) fn live_share(&self, bytes: u64) -> u64 {
        let (live, all) = (u128::from(self.live_count()), u128::from(self.documents().len()));
        (u128::from(bytes) * live / all.max(1)) as u64
    }

    pub(crate) fn documents_generation(&self) -> u64 {
        self.files.documents_generation
    }

    pub(crate) fn deleted_set(&self) -> &DeletedIds {
        &self.deleted
    }

    pub(crate) fn deleted_set_mut(&mut self) -> &mut DeletedIds {
        &mut self.deleted
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TrackedFile> {
        std::iter::once(&self.files.documents_file).chain(self.deleted.file())
    }
}
