//! Builds components of a segment from its stored documents, because the rules have changed.
//! Memory is bounded: a large segment is built in parts, which are then merged.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::Directory;
use segment::documents::DocumentsReader;

use super::build::{Buffers, Indexing, Wanted};
use super::component::{Columns, Component, Geo, Text};
use super::stored::{Indexed, Stored};
use crate::error::Result;
use crate::file_name::FileName;
use crate::segments::NewFile;
use crate::tracked_file::TrackedFile;

/// What is to be built.
#[derive(Debug)]
pub(crate) struct Rebuild<'a> {
    pub directory: &'a Arc<dyn Directory>,
    pub segment: u64,
    pub documents: &'a DocumentsReader,
    pub live: &'a RoaringBitmap,
    pub wanted: Wanted<'a>,
    /// Memory that may be filled before a part is written; not none.
    pub memory: usize,
}

/// What was built. There is no file where no document has anything to put into it.
#[derive(Debug)]
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
        let stored = Stored::new(self.documents, &self.documents_to_read(), indexing);
        let mut texts = Parts::<Text>::new(self);
        let mut columns = Parts::<Columns>::new(self);
        let mut geos = Parts::<Geo>::new(self);
        while !stored.is_at_end() {
            let Indexed { doc_ids, buffers } = stored.index(indexing, self.wanted, self.memory)?;
            let part = Part { doc_ids, is_last: stored.is_at_end() };
            let (words, values, places) = Buffers::by_component(buffers);
            texts.add(&part, words, &mut next_generation)?;
            columns.add(&part, values, &mut next_generation)?;
            geos.add(&part, places, &mut next_generation)?;
        }
        Ok(Rebuilt {
            text: texts.finish(&mut next_generation)?,
            columns: columns.finish(&mut next_generation)?,
            geo: geos.finish(&mut next_generation)?,
        })
    }

    /// The live documents that have something that is wanted.
    fn documents_to_read(&self) -> RoaringBitmap {
        if self.wanted.text {
            return self.live.clone();
        }
        let mut found = RoaringBitmap::new();
        for (field, doc_ids) in self.documents.fields() {
            let has_columns = self
                .wanted
                .columns
                .is_some_and(|columns| columns.want(field) || columns.want_inside(field));
            if has_columns || self.wanted.geo.index(field) {
                found |= doc_ids;
            }
        }
        found & self.live
    }
}

/// The documents that are indexed at once.
struct Part {
    doc_ids: Arc<RoaringBitmap>,
    is_last: bool,
}

/// The files of one component, until they are one.
struct Parts<'r, C> {
    rebuild: &'r Rebuild<'r>,
    files: Vec<(TrackedFile, Arc<RoaringBitmap>)>,
    whole: Option<NewFile>,
    component: std::marker::PhantomData<C>,
}

impl<'r, C: Component> Parts<'r, C> {
    fn new(rebuild: &'r Rebuild<'r>) -> Self {
        Self { rebuild, files: Vec::new(), whole: None, component: std::marker::PhantomData }
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
        let is_whole = part.is_last && self.files.is_empty();
        let (segment, generation) = (self.rebuild.segment, next_generation());
        let name = if is_whole { C::name } else { FileName::part }(segment, generation);
        let file = TrackedFile::write(self.rebuild.directory, &name, |directory, name| {
            C::finish(buffers, directory, name)
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
        let directory = self.rebuild.directory;
        let mut parts = Vec::new();
        for (file, doc_ids) in &self.files {
            parts.push((C::open(&**directory, file.name())?, &**doc_ids));
        }
        let generation = next_generation();
        let name = C::name(self.rebuild.segment, generation);
        let file = TrackedFile::write(directory, &name, |directory, name| {
            C::merge(&parts, directory, name)
        })?;
        Ok(Some((generation, file)))
    }
}
