//! Rebuilds components of a segment from its stored documents after a change of the rules. Memory
//! is bounded: a large segment is built in parts, which are then merged.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::Cancel;
use roaring::RoaringBitmap;
use segment::Directory;
use segment::documents::DocumentsReader;
use segment::text::{self, TextBuffer, TextPart, TextReader};

use super::build::{Buffers, IndexTargets, Indexing};
use super::component::{Columns, Component, Geo, Text};
use super::stored_documents::{IndexedBatch, StoredDocuments};
use super::text_rules::Coverage;
use crate::error::Result;
use crate::file_name::FileName;
use crate::rebuild_observer::SegmentObserver;
use crate::segments::NewFile;
use crate::tracked_file::TrackedFile;

/// A rebuild of components of one segment.
pub(crate) struct Rebuild<'a> {
    pub directory: &'a Arc<dyn Directory>,
    pub segment: u64,
    pub documents: &'a DocumentsReader,
    pub live: &'a RoaringBitmap,
    pub targets: IndexTargets<'a>,
    /// Existing text that the new words are added to; without one they are all there is.
    pub retained_text: Option<RetainedText<'a>>,
    /// Memory that may be filled before a part is written; not 0.
    pub memory: usize,
    pub observer: &'a SegmentObserver<'a>,
    /// Describes the work, for progress reports.
    pub describe: &'a dyn Fn() -> String,
}

/// An existing text of which some attributes are kept.
pub(crate) struct RetainedText<'a> {
    pub reader: &'a TextReader,
    /// The attributes that are not kept.
    pub without: BTreeSet<&'a str>,
}

/// The files built. A component to which no document contributes has no file.
#[derive(Default)]
pub(crate) struct RebuiltFiles {
    pub text: Option<NewFile>,
    pub columns: Option<NewFile>,
    pub geo: Option<NewFile>,
}

impl Rebuild<'_> {
    /// Writes the targets of the live documents. `next_generation` returns an unused number.
    pub fn run(
        &self,
        indexing: Indexing<'_>,
        mut next_generation: impl FnMut() -> u64,
    ) -> Result<RebuiltFiles> {
        let to_read = self.documents_to_read();
        // These documents have no words, which is all there is to record of them.
        let mut wordless = self.wordless_documents(&to_read);
        let loses_words =
            self.retained_text.as_ref().is_some_and(|retained| !retained.without.is_empty());
        if to_read.is_empty() && wordless.is_empty() && !loses_words {
            return Ok(RebuiltFiles::default());
        }
        let description = (self.describe)();
        let step = self.observer.begin(&description, to_read.len());
        let stored = StoredDocuments::new(self.documents, &to_read, indexing);
        let mut texts = ComponentParts::<Text>::new(self, self.retained_text.is_none());
        let mut columns = ComponentParts::<Columns>::new(self, true);
        let mut geos = ComponentParts::<Geo>::new(self, true);
        while !stored.is_at_end() || !wordless.is_empty() {
            let IndexedBatch { mut doc_ids, buffers } =
                stored.index(indexing, self.targets, self.memory, &step)?;
            let (mut words, values, places) = Buffers::by_component(buffers);
            words.push(buffer_of(&wordless));
            doc_ids |= std::mem::take(&mut wordless);
            let batch = DocumentBatch { doc_ids: Arc::new(doc_ids), is_last: stored.is_at_end() };
            texts.add(&batch, words, &mut next_generation)?;
            columns.add(&batch, values, &mut next_generation)?;
            geos.add(&batch, places, &mut next_generation)?;
        }
        let text = match &self.retained_text {
            Some(retained) => texts.join(retained, &mut next_generation)?,
            None => texts.finish(&mut next_generation)?,
        };
        Ok(RebuiltFiles {
            text,
            columns: columns.finish(&mut next_generation)?,
            geo: geos.finish(&mut next_generation)?,
        })
    }

    /// Returns the live documents that have a field to index.
    fn documents_to_read(&self) -> RoaringBitmap {
        let IndexTargets { text, columns, geo } = self.targets;
        let mut found = RoaringBitmap::new();
        for (field, doc_ids) in self.documents.fields() {
            let has_words = text.is_some_and(|text| text.coverage(field) != Coverage::Nothing);
            let has_values =
                columns.is_some_and(|columns| columns.want(field) || columns.want_inside(field));
            if has_words || has_values || geo.index(field) {
                found |= doc_ids;
            }
        }
        found & self.live
    }

    /// Returns the documents of a text built from scratch that are not read.
    fn wordless_documents(&self, read: &RoaringBitmap) -> RoaringBitmap {
        if self.targets.text.is_some() && self.retained_text.is_none() {
            self.live - read
        } else {
            RoaringBitmap::new()
        }
    }
}

fn buffer_of(wordless: &RoaringBitmap) -> TextBuffer {
    let mut buffer = TextBuffer::new();
    wordless.iter().for_each(|doc_id| buffer.document(doc_id));
    buffer
}

/// Documents that are indexed together.
struct DocumentBatch {
    doc_ids: Arc<RoaringBitmap>,
    is_last: bool,
}

/// The files of one component, until they are merged.
struct ComponentParts<'r, C> {
    rebuild: &'r Rebuild<'r>,
    /// True if a single part is the whole component.
    may_be_whole: bool,
    files: Vec<(TrackedFile, Arc<RoaringBitmap>)>,
    whole: Option<NewFile>,
    component: std::marker::PhantomData<C>,
}

impl<'r, C: Component> ComponentParts<'r, C> {
    fn new(rebuild: &'r Rebuild<'r>, may_be_whole: bool) -> Self {
        let component = std::marker::PhantomData;
        Self { rebuild, may_be_whole, files: Vec::new(), whole: None, component }
    }

    fn add(
        &mut self,
        batch: &DocumentBatch,
        buffers: Vec<C::Buffer>,
        next_generation: &mut impl FnMut() -> u64,
    ) -> Result<()> {
        if buffers.iter().all(C::is_empty) {
            return Ok(());
        }
        let is_whole = self.may_be_whole && batch.is_last && self.files.is_empty();
        let (segment, generation) = (self.rebuild.segment, next_generation());
        let name = if is_whole { C::name } else { FileName::part }(segment, generation);
        let file = TrackedFile::write(self.rebuild.directory, &name, |directory, name| {
            C::finish(buffers, directory, name, self.rebuild.observer.cancel)
        })?;
        if is_whole {
            self.whole = Some((generation, file));
        } else {
            self.files.push((file, batch.doc_ids.clone()));
        }
        Ok(())
    }

    fn finish(self, next_generation: &mut impl FnMut() -> u64) -> Result<Option<NewFile>> {
        if self.files.is_empty() {
            return Ok(self.whole);
        }
        let with_documents = self.open()?.into_iter().zip(&self.files);
        let parts: Vec<(C::Reader, &RoaringBitmap)> =
            with_documents.map(|(reader, (_, doc_ids))| (reader, &**doc_ids)).collect();
        self.write(next_generation, |directory, name, cancel| {
            C::merge(&parts, directory, name, cancel)
        })
    }

    fn open(&self) -> Result<Vec<C::Reader>> {
        let directory = &**self.rebuild.directory;
        let open = |(file, _): &(TrackedFile, _)| Ok(C::open(directory, file.name())?);
        self.files.iter().map(open).collect()
    }

    fn write(
        &self,
        next_generation: &mut impl FnMut() -> u64,
        write: impl FnOnce(&dyn Directory, &str, &Cancel) -> segment::Result<u64>,
    ) -> Result<Option<NewFile>> {
        let generation = next_generation();
        let name = C::name(self.rebuild.segment, generation);
        let file = TrackedFile::write(self.rebuild.directory, &name, |directory, name| {
            write(directory, name, self.rebuild.observer.cancel)
        })?;
        Ok(Some((generation, file)))
    }
}

impl ComponentParts<'_, Text> {
    /// Joins the parts with what is kept of a text; `None` if that stays unchanged.
    fn join(
        self,
        retained: &RetainedText<'_>,
        next_generation: &mut impl FnMut() -> u64,
    ) -> Result<Option<NewFile>> {
        let parts = self.open()?;
        if retained.without.is_empty() && parts.iter().all(|part| part.fields().is_empty()) {
            return Ok(None);
        }
        let (live, nothing) = (self.rebuild.live, BTreeSet::new());
        let mut inputs =
            vec![TextPart { reader: retained.reader, live, without: &retained.without }];
        inputs.extend(parts.iter().map(|reader| TextPart { reader, live, without: &nothing }));
        self.write(next_generation, |directory, name, cancel| {
            text::join(&inputs, directory, name, cancel)
        })
    }
}
