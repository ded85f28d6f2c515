//! One state of the index, from the commit that created it until its last reader drops it.
//! Everything here only reads; nothing takes a lock.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::VECTORS_FIELD;
use roaring::RoaringBitmap;
use segment::{Directory, DocId, SegmentError};
use serde_json::Value;
use text::Tokenizer;
use time::OffsetDateTime;

use crate::doc_ids;
use crate::embedders::EmbedderVectors;
use crate::error::Result;
use crate::file_name::{DELETED, FileName};
use crate::index_meta::IndexMeta;
use crate::segments::Segment;
use crate::tracked_file::TrackedFile;

/// Documents gathered at once if they are spread over several segments.
const WINDOW: u64 = 1024;

#[derive(Debug)]
pub struct Snapshot {
    pub(crate) generation: u64,
    pub(crate) meta: IndexMeta,
    pub(crate) segments: Vec<Segment>,
    pub(crate) live: Arc<RoaringBitmap>,
    pub(crate) manifest_bytes: u64,
    pub(crate) directory: Arc<dyn Directory>,
}

/// Sizes of an index in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// JSON of the live documents before compression.
    pub documents_raw: u64,
    /// Live documents on disk.
    pub documents_stored: u64,
    /// All files of the index.
    pub total: u64,
    /// All files, without the share of deleted documents.
    pub used: u64,
}

impl Snapshot {
    /// Fails, with the name of the file, once a part of a file could not be read. Must be called
    /// before an answer derived from this snapshot is returned: lost parts read as zeros.
    pub fn check_maps(&self) -> Result<()> {
        Ok(self.directory.check_maps()?)
    }

    /// Counts commits and merges; a higher one is a later state.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn number_of_documents(&self) -> u64 {
        self.live.len()
    }

    /// Returns whether stored documents begin with the primary key.
    pub fn leads_with_key(&self) -> bool {
        self.meta.leads_with_key
    }

    pub fn primary_key(&self) -> Option<&str> {
        self.meta.primary_key.as_deref()
    }

    pub fn created_at(&self) -> OffsetDateTime {
        self.meta.created_at
    }

    pub fn updated_at(&self) -> OffsetDateTime {
        self.meta.updated_at
    }

    /// Returns a number above those of all documents of this index, here or on an instance that
    /// shares its documents.
    pub fn next_doc_id(&self) -> u64 {
        doc_ids::next(self.meta.next_doc_id, &self.live)
    }

    /// Returns the receipt that the caller gave with the last commit.
    pub fn receipt(&self) -> &[u8] {
        &self.meta.receipt
    }

    pub fn settings(&self) -> &Value {
        self.meta.settings.value()
    }

    /// Returns the settings with defaults filled in.
    pub fn typed_settings(&self) -> &Arc<settings::Settings> {
        self.meta.settings.typed()
    }

    /// Returns the tokenizer by which the documents of the index were tokenized.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        self.meta.settings.tokenizer()
    }

    /// Returns a value derived from the settings, cached until they change in a way that changes
    /// it: `is_same` tells whether two settings give the same value. Only one value is cached;
    /// another type is derived each time.
    pub fn derived<T: Any + Send + Sync>(
        &self,
        is_same: impl FnOnce(&settings::Settings, &settings::Settings) -> bool,
        build: impl FnOnce(&settings::Settings) -> T,
    ) -> Arc<T> {
        self.meta.settings.derived(is_same, build)
    }

    /// Returns the vectors of an embedder.
    pub fn embedder(&self, name: &str) -> Option<&EmbedderVectors> {
        self.meta.embedders.get(name)
    }

    /// Returns every embedder with its vectors, in byte order of the names.
    pub fn embedders(&self) -> impl Iterator<Item = (&str, &EmbedderVectors)> {
        self.meta.embedders.iter().map(|(name, vectors)| (name.as_str(), vectors))
    }

    /// Returns the live documents, in list order.
    pub fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub fn doc_id(&self, external_id: &str) -> Result<Option<DocId>> {
        // Recently written ids are likely to be asked for.
        for segment in self.segments.iter().rev() {
            if let Some(doc_id) = segment.documents().find(external_id)?
                && !segment.deleted().contains(doc_id)
            {
                return Ok(Some(doc_id));
            }
        }
        self.check_maps()?;
        Ok(None)
    }

    pub fn document(&self, doc_id: DocId) -> Result<Option<String>> {
        match self.segments.iter().find(|segment| segment.has(doc_id)) {
            Some(segment) => {
                let document = segment.documents().get(doc_id);
                self.check_maps()?;
                Ok(document?)
            }
            None => Ok(None),
        }
    }

    /// Reads those of the wanted documents that are live, in list order. Each block is decompressed
    /// about once, however the documents are spread over segments.
    pub fn for_each_document<E: From<SegmentError>>(
        &self,
        wanted: &RoaringBitmap,
        mut each: impl FnMut(DocId, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let wanted = wanted & &*self.live;
        let mut ids = wanted.iter();
        loop {
            let window: RoaringBitmap = ids.by_ref().take(WINDOW as usize).collect();
            if window.is_empty() {
                return Ok(());
            }
            let read = self.for_each_in_window(&window, &mut each);
            self.directory.check_maps()?;
            read?;
        }
    }

    fn for_each_in_window<E: From<SegmentError>>(
        &self,
        window: &RoaringBitmap,
        each: &mut impl FnMut(DocId, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut gathered: Vec<(DocId, String)> = Vec::new();
        for segment in &self.segments {
            let here = (window & segment.documents().doc_ids()) - segment.deleted();
            if here.len() == window.len() {
                return segment.documents().for_each_of(&here, each);
            }
            if !here.is_empty() {
                segment.documents().for_each_of(&here, |doc_id, json| {
                    gathered.push((doc_id, json.to_owned()));
                    Ok::<(), SegmentError>(())
                })?;
            }
        }
        gathered.sort_unstable_by_key(|(doc_id, _)| *doc_id);
        gathered.iter().try_for_each(|(doc_id, json)| each(*doc_id, json))
    }

    /// Counts the live documents that have each top-level field.
    pub fn field_distribution(&self) -> BTreeMap<String, u64> {
        let mut distribution = BTreeMap::new();
        for segment in &self.segments {
            for (name, doc_ids) in segment.documents().fields() {
                let live = doc_ids.len() - doc_ids.intersection_len(segment.deleted());
                if live == 0 || name == VECTORS_FIELD {
                    continue;
                }
                match distribution.get_mut(name) {
                    Some(count) => *count += live,
                    None => drop(distribution.insert(name.to_owned(), live)),
                }
            }
        }
        distribution
    }

    /// Returns whether a document has ever had this field; nested fields have dotted names.
    pub fn knows_field(&self, name: &str) -> bool {
        self.meta.fields.contains(name)
    }

    /// Returns every field name that a document has ever had, in byte order.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.meta.fields.iter()
    }

    pub fn sizes(&self) -> Sizes {
        let mut sizes = Sizes::default();
        for segment in &self.segments {
            let documents = segment.documents().sizes();
            sizes.documents_raw += segment.live_share(documents.raw_json);
            sizes.documents_stored += segment.live_share(documents.file);
            sizes.used += segment.live_share(segment.file_bytes());
        }
        let components: u64 = self.segments.iter().map(Segment::file_bytes).sum();
        sizes.total = self.manifest_bytes + self.files().map(TrackedFile::length).sum::<u64>();
        sizes.used += sizes.total - components;
        sizes
    }

    /// Returns the size of the live documents by component: `documents`, `text` and so on.
    pub fn component_sizes(&self) -> BTreeMap<String, u64> {
        let mut sizes = BTreeMap::new();
        for segment in &self.segments {
            for file in segment.files() {
                if let Some(FileName::Component { component, .. }) = FileName::parse(file.name())
                    && component != DELETED
                {
                    *sizes.entry(component).or_default() += segment.live_share(file.length());
                }
            }
        }
        for file in self.meta.files() {
            if let Some(FileName::Vectors { kind, .. }) = FileName::parse(file.name()) {
                *sizes.entry(kind).or_default() += file.length();
            }
        }
        sizes
    }

    /// Returns the file that makes this the state of a folder. The next commit removes it.
    pub fn manifest_name(&self) -> String {
        FileName::Manifest(self.generation).to_string()
    }

    /// Returns every other file of this state. They exist at least as long as the snapshot, and are
    /// never written to again.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files().map(TrackedFile::name)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TrackedFile> {
        files(&self.meta, &self.segments)
    }
}

/// Returns every file of a state except its manifest.
pub(crate) fn files<'a>(
    meta: &'a IndexMeta,
    segments: &'a [Segment],
) -> impl Iterator<Item = &'a TrackedFile> {
    meta.files().chain(segments.iter().flat_map(Segment::files))
}

/// Releases the files of `old` that `new` no longer has; they are removed with their last reader.
pub(crate) fn release_files_missing_from(new: &Snapshot, old: &Snapshot) {
    let still_needed: BTreeSet<&str> = new.files().map(TrackedFile::name).collect();
    for file in old.files() {
        if !still_needed.contains(file.name()) {
            file.release();
        }
    }
}
