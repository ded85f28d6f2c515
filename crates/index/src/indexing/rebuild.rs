//! Builds components of a segment from its stored documents, because the rules have changed.
//! Memory is bounded: a large segment is built in parts, which are then merged.

use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::Directory;
use segment::documents::DocumentsReader;
use segment::text::{self, TextBuffer, TextPart, TextReader};

use super::build::{Buffers, Indexing, Wanted};
use super::component::{Columns, Component, Geo, Text};
use super::stored::{Indexed, Stored};
use super::text_rules::Coverage;
use crate::error::Result;
use crate::file_name::FileName;
use crate::segments::NewFile;
use crate::tracked_file::TrackedFile;
use crate::watcher::Watch;

/// What is to be built.
pub(crate) struct Rebuild<'a> {
    pub directory: &'a Arc<dyn Directory>,
    pub segment: u64,
    pub documents: &'a DocumentsReader,
    pub live: &'a RoaringBitmap,
    pub wanted: Wanted<'a>,
    /// The text that the wanted words are added to; without one they are all there is.
    pub kept_text: Option<KeptText<'a>>,
    /// Memory that may be filled before a part is written; not none.
    pub memory: usize,
    pub watch: &'a Watch<'a>,
    /// Says what is being done.
    pub describe: &'a dyn Fn() -> String,
}

/// A text of which some attributes stay as they are.
pub(crate) struct KeptText<'a> {
    pub reader: &'a TextReader,
    /// Those that do not.
    pub without: BTreeSet<&'a str>,
}

/// What was built. There is no file where no document has anything to put into it.
#[derive(Default)]
pub(crate) struct Rebuilt {
    pub text: Option<NewFile>,
    pub columns: Option<NewFile>,
    pub geo: Option<NewFile>,
}

impl Rebuild<'_> {
    /// Writes what is wanted of the live documents. `next_generation` gives a number that no file
    /// of the folder has.
    pub fn run(
        &self,
        indexing: Indexing<'_>,
        mut next_generation: impl FnMut() -> u64,
    ) -> Result<Rebuilt> {
        let to_read = self.documents_to_read();
        // Of these nothing is known but that they have no words.
        let mut wordless = self.wordless_documents(&to_read);
        let loses_words = self.kept_text.as_ref().is_some_and(|kept| !kept.without.is_empty());
        if to_read.is_empty() && wordless.is_empty() && !loses_words {
            return Ok(Rebuilt::default());
        }
        let description = (self.describe)();
        let step = self.watch.begin(&description, to_read.len());
        let stored = Stored::new(self.documents, &to_read, indexing);
        let mut texts = Parts::<Text>::new(self, self.kept_text.is_none());
        let mut columns = Parts::<Columns>::new(self, true);
        let mut geos = Parts::<Geo>::new(self, true);
        while !stored.is_at_end() || !wordless.is_empty() {
            let Indexed { mut doc_ids, buffers } =
                stored.index(indexing, self.wanted, self.memory, &step)?;
            let (mut words, values, places) = Buffers::by_component(buffers);
            words.push(buffer_of(&wordless));
            doc_ids |= std::mem::take(&mut wordless);
            let part = Part { doc_ids: Arc::new(doc_ids), is_last: stored.is_at_end() };
            texts.add(&part, words, &mut next_generation)?;
            columns.add(&part, values, &mut next_generation)?;
            geos.add(&part, places, &mut next_generation)?;
        }
        let text = match &self.kept_text {
            Some(kept) => texts.join(kept, &mut next_generation)?,
            None => texts.finish(&mut next_generation)?,
        };
        Ok(Rebuilt {
            text,
            columns: columns.finish(&mut next_generation)?,
            geo: geos.finish(&mut next_generation)?,
        })
    }

    /// The live documents that have something that is wanted.
    fn documents_to_read(&self) -> RoaringBitmap {
        let Wanted { text, columns, geo } = self.wanted;
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

    /// The documents of a text that is built from nothing and for which they are not read.
    fn wordless_documents(&self, read: &RoaringBitmap) -> RoaringBitmap {
        if self.wanted.text.is_some() && self.kept_text.is_none() {
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

/// The documents that are indexed at once.
struct Part {
    doc_ids: Arc<RoaringBitmap>,
    is_last: bool,
}

/// The files of one component, until they are one.
struct Parts<'r, C> {
    rebuild: &'r Rebuild<'r>,
    /// Whether a single part is the whole component.
    may_be_whole: bool,
    files: Vec<(TrackedFile, Arc<RoaringBitmap>)>,
    whole: Option<NewFile>,
    component: std::marker::PhantomData<C>,
}

impl<'r, C: Component> Parts<'r, C> {
    fn new(rebuild: &'r Rebuild<'r>, may_be_whole: bool) -> Self {
        let component = std::marker::PhantomData;
        Self { rebuild, may_be_whole, files: Vec::new(), whole: None, component }
    }

    fn add(
        &mut self,
        part: &Part,
        buffers: Vec<C::Buffer>,
        next_generation: &mut impl FnMut() -> u64,
    ) -> Result<()> {
        if buffers.iter().all(C::is_empty) {
            return Ok(());
        }
        let is_whole = self.may_be_whole && part.is_last && self.files.is_empty();
        let (segment, generation) = (self.rebuild.segment, next_generation());
        let name = if is_whole { C::name } else { FileName::part }(segment, generation);
        let should_stop = || self.rebuild.watch.should_stop();
        let file = TrackedFile::write(self.rebuild.directory, &name, |directory, name| {
            C::finish(buffers, directory, name, &should_stop)
        })?;
        if is_whole {
            self.whole = Some((generation, file));
        } else {
            self.files.push((file, part.doc_ids.clone()));
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
        self.write(next_generation, |directory, name, should_stop| {
            C::merge(&parts, directory, name, should_stop)
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
        write: impl FnOnce(&dyn Directory, &str, &dyn Fn() -> bool) -> segment::Result<u64>,
    ) -> Result<Option<NewFile>> {
        let generation = next_generation();
        let name = C::name(self.rebuild.segment, generation);
        let should_stop = || self.rebuild.watch.should_stop();
        let file = TrackedFile::write(self.rebuild.directory, &name, |directory, name| {
            write(directory, name, &should_stop)
        })?;
        Ok(Some((generation, file)))
    }
}

impl Parts<'_, Text> {
    /// One text with what stays of another; nothing where that stays as it is.
    fn join(
        self,
        kept: &KeptText<'_>,
        next_generation: &mut impl FnMut() -> u64,
    ) -> Result<Option<NewFile>> {
        let parts = self.open()?;
        if kept.without.is_empty() && parts.iter().all(|part| part.fields().is_empty()) {
            return Ok(None);
        }
        let (live, nothing) = (self.rebuild.live, BTreeSet::new());
        let mut inputs = vec![TextPart { reader: kept.reader, live, without: &kept.without }];
        inputs.extend(parts.iter().map(|reader| TextPart { reader, live, without: &nothing }));
        self.write(next_generation, |directory, name, should_stop| {
            text::join(&inputs, directory, name, should_stop)
        })
    }
}
