//! A segment as a snapshot sees it: the files, which never change and are shared by every
//! snapshot that has the segment, and the ids deleted from it, which belong to the snapshot.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::documents::DocumentsReader;
use segment::text::TextReader;
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
    number: u64,
    documents: Arc<Component<DocumentsReader>>,
    text: Arc<Component<TextReader>>,
    deleted: DeletedIds,
}

/// A file of a segment that can be replaced alone.
#[derive(Debug)]
struct Component<R> {
    reader: R,
    generation: u64,
    file: TrackedFile,
}

impl<R> Component<R> {
    /// A file that has just been written.
    fn new(
        directory: &dyn Directory,
        (generation, file): (u64, TrackedFile),
        open: impl FnOnce(&dyn Directory, &str) -> segment::Result<R>,
    ) -> Result<Arc<Self>> {
        let reader = open(directory, file.name())?;
        Ok(Arc::new(Self { reader, generation, file }))
    }

    /// A file that a manifest names.
    fn committed(
        directory: &Arc<dyn Directory>,
        name: &FileName,
        generation: u64,
        open: impl FnOnce(&dyn Directory, &str) -> segment::Result<R>,
        length: impl FnOnce(&R) -> u64,
    ) -> Result<Arc<Self>> {
        let reader = open(&**directory, &name.to_string())?;
        let file = TrackedFile::committed(directory, name, length(&reader));
        Ok(Arc::new(Self { reader, generation, file }))
    }
}

impl Segment {
    /// Opens a segment that has just been written; its files vanish again unless a commit keeps
    /// them.
    pub(crate) fn open_new(
        directory: &dyn Directory,
        number: u64,
        documents: TrackedFile,
        text: TrackedFile,
    ) -> Result<Self> {
        let documents = (FIRST_GENERATION, documents);
        Ok(Self {
            number,
            documents: Component::new(directory, documents, DocumentsReader::open)?,
            text: Component::new(directory, (FIRST_GENERATION, text), TextReader::open)?,
            deleted: DeletedIds::default(),
        })
    }

    pub(crate) fn open(directory: &Arc<dyn Directory>, entry: SegmentEntry) -> Result<Self> {
        let number = entry.number;
        let documents_name = FileName::documents(number, entry.documents);
        let documents = Component::committed(
            directory,
            &documents_name,
            entry.documents,
            DocumentsReader::open,
            |reader| reader.sizes().file,
        )?;
        let text_name = FileName::text(number, entry.text);
        let text = Component::committed(
            directory,
            &text_name,
            entry.text,
            TextReader::open,
            TextReader::file_bytes,
        )?;
        let deleted = DeletedIds::open(directory, number, entry.deleted_file, entry.deleted)?;
        let segment = Self { number, documents, text, deleted };
        if let Some((name, what)) = segment.contradiction() {
            return Err(SegmentError::damaged(name, what).into());
        }
        Ok(segment)
    }

    /// The same segment with another text.
    pub(crate) fn with_text(
        &self,
        directory: &dyn Directory,
        text: (u64, TrackedFile),
    ) -> Result<Self> {
        let text = Component::new(directory, text, TextReader::open)?;
        Ok(Self { text, ..self.clone() })
    }

    /// What two files say that cannot both be true.
    fn contradiction(&self) -> Option<(&str, &'static str)> {
        contradiction(self.documents(), self.text(), self.deleted())
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn documents(&self) -> &DocumentsReader {
        &self.documents.reader
    }

    /// The words of the documents. It may lack documents that are deleted.
    pub fn text(&self) -> &TextReader {
        &self.text.reader
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
        self.documents.file.length() + self.text.file.length()
    }

    /// The part of a number of bytes that live documents account for.
    pub(crate) fn live_share(&self, bytes: u64) -> u64 {
        let (live, all) = (u128::from(self.live_count()), u128::from(self.documents().len()));
        (u128::from(bytes) * live / all.max(1)) as u64
    }

    pub(crate) fn documents_generation(&self) -> u64 {
        self.documents.generation
    }

    pub(crate) fn text_generation(&self) -> u64 {
        self.text.generation
    }

    pub(crate) fn deleted_set(&self) -> &DeletedIds {
        &self.deleted
    }

    pub(crate) fn deleted_set_mut(&mut self) -> &mut DeletedIds {
        &mut self.deleted
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TrackedFile> {
        [&self.documents.file, &self.text.file].into_iter().chain(self.deleted.file())
    }
}

/// What the files of a segment say that cannot be true of the same segment, and which one says it.
pub(crate) fn contradiction<'s>(
    documents: &'s DocumentsReader,
    text: &'s TextReader,
    deleted: &RoaringBitmap,
) -> Option<(&'s str, &'static str)> {
    let doc_ids = documents.doc_ids();
    if !deleted.is_subset(doc_ids) {
        return Some((documents.name(), "documents are marked as deleted that it never had"));
    }
    if !text.doc_ids().is_subset(doc_ids) {
        return Some((text.name(), "it has documents that its segment never had"));
    }
    if !(doc_ids - text.doc_ids()).is_subset(deleted) {
        return Some((text.name(), "documents of its segment are missing"));
    }
    None
}
