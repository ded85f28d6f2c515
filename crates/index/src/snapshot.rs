//! One state of the index, from the commit that made it until the last reader lets go of it.
//! Everything here reads; nothing takes a lock.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::VECTORS_FIELD;
use roaring::RoaringBitmap;
use segment::{Directory, DocId, SegmentError};
use serde_json::Value;
use text::Tokenizer;
use time::OffsetDateTime;

use crate::attributes::Attributes;
use crate::doc_ids;
use crate::embedders::EmbedderVectors;
use crate::error::Result;
use crate::file_name::{DELETED, FileName};
use crate::segments::Segment;
use crate::tracked_file::TrackedFile;

/// How many documents are gathered at once where several segments take turns.
const WINDOW: u64 = 1024;

#[derive(Debug)]
pub struct Snapshot {
    pub(crate) generation: u64,
    pub(crate) attributes: Attributes,
    pub(crate) segments: Vec<Segment>,
    pub(crate) live: Arc<RoaringBitmap>,
    pub(crate) manifest_bytes: u64,
    pub(crate) directory: Arc<dyn Directory>,
}

/// Bytes of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// JSON of the live documents before compression.
    pub documents_raw: u64,
    /// What the live documents take on disk.
    pub documents_stored: u64,
    /// Every file of the index.
    pub total: u64,
    /// The same without the share of deleted documents.
    pub used: u64,
}

impl Snapshot {
    /// Fails, with the name of the file, once a part of a file could not be read. To be asked
    /// before an answer that was made of this snapshot is given: lost parts read as zeros.
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

    /// Whether stored documents begin with the primary key.
    pub fn leads_with_key(&self) -> bool {
        self.attributes.leads_with_key
    }

    pub fn primary_key(&self) -> Option<&str> {
        self.attributes.primary_key.as_deref()
    }

    pub fn created_at(&self) -> OffsetDateTime {
        self.attributes.created_at
    }

    pub fn updated_at(&self) -> OffsetDateTime {
        self.attributes.updated_at
    }

    /// A number above those of all documents that this index has, or that an instance which shares
    /// its documents has.
    pub fn next_doc_id(&self) -> u64 {
        doc_ids::next(self.attributes.next_doc_id, &self.live)
    }

    /// What the caller gave with the last commit.
    pub fn receipt(&self) -> &[u8] {
        &self.attributes.receipt
    }

    pub fn settings(&self) -> &Value {
        self.attributes.settings.value()
    }

    /// The same with defaults filled in.
    pub fn typed_settings(&self) -> &Arc<settings::Settings> {
        self.attributes.settings.typed()
    }

    /// What cuts texts as the documents of the index were cut.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        self.attributes.settings.tokenizer()
    }

    /// Something made of the settings, kept until they change in a way that changes it: `is_same`
    /// says whether two settings would make the same of it. One thing is kept: asking for another
    /// type makes it anew each time.
    pub fn derived<T: Any + Send + Sync>(
        &self,
        is_same: impl FnOnce(&settings::Settings, &settings::Settings) -> bool,
        build: impl FnOnce(&settings::Settings) -> T,
    ) -> Arc<T> {
        self.attributes.settings.derived(is_same, build)
    }

    /// The vectors of an embedder.
    pub fn embedder(&self, name: &str) -> Option<&EmbedderVectors> {
        self.attributes.embedders.get(name)
    }

    /// Every embedder with its vectors, in byte order of the names.
    pub fn embedders(&self) -> impl Iterator<Item = (&str, &EmbedderVectors)> {
        self.attributes.embedders.iter().map(|(name, vectors)| (name.as_str(), vectors))
    }

    /// The documents in the order in which lists show them.
    pub fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub fn doc_id(&self, external_id: &str) -> Result<Option<DocId>> {
        // An id that was written lately is likely to be asked for.
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

    /// The wanted documents that are live, in list order. A block of documents is decompressed
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

    /// How many live documents have each top-level field.
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

    /// Whether a document has ever had this field; nested fields have dotted names.
    pub fn knows_field(&self, name: &str) -> bool {
        self.attributes.fields.contains(name)
    }

    /// Every field name that a document has ever had, in byte order.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.fields.iter()
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

    /// Bytes of the live documents by component: `documents`, `text`, `columns` and so on.
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
        for file in self.attributes.files() {
            if let Some(FileName::Vectors { kind, .. }) = FileName::parse(file.name()) {
                *sizes.entry(kind).or_default() += file.length();
            }
        }
        sizes
    }

    /// The file that makes this the state of a folder. It goes with the next commit.
    pub fn manifest_name(&self) -> String {
        FileName::Manifest(self.generation).to_string()
    }

    /// Every other file of this state. They stay at least as long as the snapshot, and are never
    /// written to again.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files().map(TrackedFile::name)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TrackedFile> {
        files(&self.attributes, &self.segments)
    }
}

/// Every file of a state other than its manifest.
pub(crate) fn files<'a>(
    attributes: &'a Attributes,
    segments: &'a [Segment],
) -> impl Iterator<Item = &'a TrackedFile> {
    attributes.files().chain(segments.iter().flat_map(Segment::files))
}

/// Gives up the files of `old` that `new` no longer has; they go with their last reader.
pub(crate) fn release_files_missing_from(new: &Snapshot, old: &Snapshot) {
    let still_needed: BTreeSet<&str> = new.files().map(TrackedFile::name).collect();
    for file in old.files() {
        if !still_needed.contains(file.name()) {
            file.release();
        }
    }
}
