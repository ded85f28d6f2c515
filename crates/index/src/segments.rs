//! A segment as a snapshot sees it: the files, which never change and are shared by all snapshots
//! that have the segment, and its deleted ids, which belong to the snapshot.
//!
//! Documents and text always exist. Columns are in one or more files, one for each time that more
//! were built; locations have a file if there are any.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::columns::{Column, ColumnsReader};
use segment::documents::DocumentsReader;
use segment::geo::GeoReader;
use segment::text::TextReader;
use segment::{Directory, DocId, SegmentError};

use crate::attachments::Attachments;
use crate::deleted::DeletedIds;
use crate::error::Result;
use crate::file_name::FileName;
use crate::tracked_file::TrackedFile;

/// Generation of a component that has not been rebuilt since its segment was written.
pub(crate) const FIRST_GENERATION: u64 = 1;

pub(crate) const FOREIGN_DOCUMENTS: &str = "it has documents that its segment never had";

#[derive(Debug, Clone)]
pub struct Segment {
    number: u64,
    documents: Arc<Component<DocumentsReader>>,
    text: Arc<Component<TextReader>>,
    /// Values derived from the text.
    attached: Arc<Attachments>,
    /// Newest last.
    columns: Vec<Arc<Component<ColumnsReader>>>,
    geo: Option<Arc<Component<GeoReader>>>,
    deleted: DeletedIds,
}

/// Files of a segment, as named by a manifest.
#[derive(Debug)]
pub(crate) struct SegmentEntry {
    pub number: u64,
    /// Generation of the `documents` component.
    pub documents: u64,
    /// Generation of the `text` component.
    pub text: u64,
    /// Generations of the `columns` components, newest last.
    pub columns: Vec<u64>,
    /// Generation of the `geo` component.
    pub geo: Option<u64>,
    pub deleted_file: Option<u64>,
    pub deleted: RoaringBitmap,
}

/// Files of a segment that has just been written.
#[derive(Debug)]
pub(crate) struct NewFiles {
    pub documents: TrackedFile,
    pub text: TrackedFile,
    pub columns: Option<TrackedFile>,
    pub geo: Option<TrackedFile>,
}

/// Generation of a file that has just been written, and the file.
pub(crate) type NewFile = (u64, TrackedFile);

/// A file of a segment that can be replaced alone.
#[derive(Debug)]
struct Component<R> {
    reader: R,
    generation: u64,
    file: TrackedFile,
}

impl<R> Component<R> {
    /// Opens a file that has just been written.
    fn new(
        directory: &dyn Directory,
        (generation, file): NewFile,
        open: impl FnOnce(&dyn Directory, &str) -> segment::Result<R>,
    ) -> Result<Arc<Self>> {
        let reader = open(directory, file.name())?;
        Ok(Arc::new(Self { reader, generation, file }))
    }

    /// Opens a file of a new segment.
    fn first(
        directory: &dyn Directory,
        file: TrackedFile,
        open: impl FnOnce(&dyn Directory, &str) -> segment::Result<R>,
    ) -> Result<Arc<Self>> {
        Self::new(directory, (FIRST_GENERATION, file), open)
    }

    /// Opens a file that a manifest names.
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
    /// Opens a segment that has just been written; its files are removed unless a commit keeps
    /// them.
    pub(crate) fn open_new(
        directory: &dyn Directory,
        number: u64,
        files: NewFiles,
    ) -> Result<Self> {
        let segment = Self {
            number,
            documents: Component::first(directory, files.documents, DocumentsReader::open)?,
            text: Component::first(directory, files.text, TextReader::open)?,
            attached: Arc::default(),
            columns: Vec::new(),
            geo: None,
            deleted: DeletedIds::default(),
        };
        let columns = files.columns.map(|file| (FIRST_GENERATION, file));
        let geo = files.geo.map(|file| (FIRST_GENERATION, file));
        segment.with_more_columns(directory, columns)?.with_geo(directory, geo)
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
        let open_columns = |generation: u64| {
            let name = FileName::columns(number, generation);
            let (open, length) = (ColumnsReader::open, ColumnsReader::file_bytes);
            Component::committed(directory, &name, generation, open, length)
        };
        let open_geo = |generation: u64| {
            let name = FileName::geo(number, generation);
            let (open, length) = (GeoReader::open, GeoReader::file_bytes);
            Component::committed(directory, &name, generation, open, length)
        };
        let segment = Self {
            number,
            documents,
            text,
            attached: Arc::default(),
            columns: entry.columns.into_iter().map(open_columns).collect::<Result<_>>()?,
            geo: entry.geo.map(open_geo).transpose()?,
            deleted: DeletedIds::open(directory, number, entry.deleted_file, entry.deleted)?,
        };
        if let Some((name, what)) = segment.contradiction() {
            return Err(SegmentError::damaged(name, what).into());
        }
        Ok(segment)
    }

    /// Returns the segment with another text.
    pub(crate) fn with_text(&self, directory: &dyn Directory, text: NewFile) -> Result<Self> {
        let text = Component::new(directory, text, TextReader::open)?;
        Ok(Self { text, attached: Arc::default(), ..self.clone() })
    }

    /// Returns the segment with one more file of columns, replacing a file without any.
    pub(crate) fn with_more_columns(
        mut self,
        directory: &dyn Directory,
        columns: Option<NewFile>,
    ) -> Result<Self> {
        if let Some(columns) = columns {
            let columns = Component::new(directory, columns, ColumnsReader::open)?;
            if columns.reader.names().len() > 0 {
                self.columns.push(columns);
            }
        }
        Ok(self)
    }

    /// Returns the segment without the column files of which nothing is wanted.
    pub(crate) fn without_unwanted_columns(mut self, wanted: impl Fn(&str) -> bool) -> Self {
        self.columns.retain(|file| file.reader.names().any(&wanted));
        self
    }

    /// Returns the segment with other locations, or without any.
    pub(crate) fn with_geo(
        mut self,
        directory: &dyn Directory,
        geo: Option<NewFile>,
    ) -> Result<Self> {
        let open = |geo| Component::new(directory, geo, GeoReader::open);
        self.geo = geo.map(open).transpose()?;
        Ok(self)
    }

    /// Returns a contradiction between two of its files, if there is one.
    fn contradiction(&self) -> Option<(&str, &'static str)> {
        contradiction(self.documents(), self.text(), self.geo(), self.deleted())
    }

    /// Returns a value derived from the text of this segment, created once for all searches; a new
    /// one replaces the last of its type.
    pub fn attached<T: Any + Send + Sync>(
        &self,
        is_wanted: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        self.attached.get_or_create(is_wanted, make)
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn documents(&self) -> &DocumentsReader {
        &self.documents.reader
    }

    /// Returns the words of the documents. Deleted documents may be missing.
    pub fn text(&self) -> &TextReader {
        &self.text.reader
    }

    /// Returns the values of an attribute, if any document here has it. They are complete only for
    /// attributes that need a column under the settings. Deleted documents may be missing.
    pub fn column(&self, name: &str) -> Result<Option<&Column>> {
        for file in self.columns.iter().rev() {
            if let Some(column) = file.reader.column(name)? {
                return Ok(Some(column));
            }
        }
        Ok(None)
    }

    /// Returns the attributes that have a column here, in byte order.
    pub fn column_names(&self) -> BTreeSet<&str> {
        self.columns.iter().flat_map(|file| file.reader.names()).collect()
    }

    /// Returns the locations of the documents, if there are any.
    pub fn geo(&self) -> Option<&GeoReader> {
        self.geo.as_ref().map(|geo| &geo.reader)
    }

    pub fn deleted(&self) -> &RoaringBitmap {
        self.deleted.ids()
    }

    pub fn live_count(&self) -> u64 {
        self.documents().len() - self.deleted().len()
    }

    /// Returns the live documents of this segment.
    pub fn live(&self) -> RoaringBitmap {
        self.documents().doc_ids() - self.deleted()
    }

    /// Returns whether this segment holds the document under its current number.
    pub fn has(&self, doc_id: DocId) -> bool {
        self.documents().doc_ids().contains(doc_id) && !self.deleted().contains(doc_id)
    }

    /// Returns the total size of the components in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.components().map(TrackedFile::length).sum()
    }

    /// Scales a number of bytes by the share of live documents.
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

    /// Returns the files of columns, newest last.
    pub(crate) fn columns_files(&self) -> impl ExactSizeIterator<Item = &ColumnsReader> {
        self.columns.iter().map(|file| &file.reader)
    }

    pub(crate) fn columns_generations(&self) -> Vec<u64> {
        self.columns.iter().map(|file| file.generation).collect()
    }

    pub(crate) fn geo_generation(&self) -> Option<u64> {
        self.geo.as_ref().map(|geo| geo.generation)
    }

    pub(crate) fn deleted_set(&self) -> &DeletedIds {
        &self.deleted
    }

    pub(crate) fn deleted_set_mut(&mut self) -> &mut DeletedIds {
        &mut self.deleted
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TrackedFile> {
        self.components().chain(self.deleted.file())
    }

    fn components(&self) -> impl Iterator<Item = &TrackedFile> {
        [&self.documents.file, &self.text.file]
            .into_iter()
            .chain(self.columns.iter().map(|columns| &columns.file))
            .chain(self.geo.iter().map(|geo| &geo.file))
    }
}

/// Returns a contradiction between the files of a segment, and the component that has it.
pub(crate) fn contradiction<'s>(
    documents: &'s DocumentsReader,
    text: &'s TextReader,
    geo: Option<&'s GeoReader>,
    deleted: &RoaringBitmap,
) -> Option<(&'s str, &'static str)> {
    let doc_ids = documents.doc_ids();
    if !deleted.is_subset(doc_ids) {
        return Some((documents.name(), "documents are marked as deleted that it never had"));
    }
    if !text.doc_ids().is_subset(doc_ids) {
        return Some((text.name(), FOREIGN_DOCUMENTS));
    }
    if !(doc_ids - text.doc_ids()).is_subset(deleted) {
        return Some((text.name(), "documents of its segment are missing"));
    }
    let is_own = |geo: &&GeoReader| {
        geo.documents_with_point().is_subset(doc_ids)
            && geo.documents_with_shape().is_subset(doc_ids)
    };
    let geo = geo.filter(|geo| !is_own(geo))?;
    Some((geo.name(), FOREIGN_DOCUMENTS))
}

/// Returns whether columns have documents that the segment does not; reads all columns.
pub(crate) fn has_foreign_documents(columns: &ColumnsReader, documents: &DocumentsReader) -> bool {
    columns.names().any(|name| {
        // Unreadable columns are reported elsewhere.
        let column = columns.column(name).ok().flatten();
        column.is_some_and(|column| !column.exists().is_subset(documents.doc_ids()))
    })
}
