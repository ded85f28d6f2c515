//! A batch of changes. It sees its own changes at once; they become visible to others with
//! `commit`, and without a commit they are discarded.
//!
//! New documents gather in memory and become a segment when the buffer is full or the batch ends. A
//! document that is replaced or deleted is only marked in the segment that holds it.

mod embedders;
mod flush;
mod numbers;
mod rebuild;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use model::{Cancel, VECTORS_FIELD};
use parking_lot::MutexGuard;
use roaring::RoaringBitmap;
use segment::DocId;
use segment::documents::DocumentsWriter;
use serde_json::Value;
use time::OffsetDateTime;

use crate::commit::{CommitState, NextState};
use crate::doc_ids::FreeDocIds;
use crate::embedders::{ChangedVectors, EmbedderVectors};
use crate::error::{IndexError, Result};
use crate::index::Index;
use crate::index_meta::IndexMeta;
use crate::indexing::Rules;
use crate::new_field_finder::NewFieldFinder;
use crate::rebuild_observer::NoObserver;
use crate::segments::Segment;
use crate::snapshot::Snapshot;

#[derive(Debug)]
pub struct Writer<'i> {
    index: &'i Index,
    commit_state: MutexGuard<'i, CommitState>,
    meta: IndexMeta,
    top_level_fields: NewFieldFinder,
    nested_fields: NewFieldFinder,
    segments: Vec<OpenSegment>,
    buffer: DocumentsWriter,
    live: RoaringBitmap,
    /// JSON in the buffer, and the memory that indexing it takes per byte, as measured before.
    buffered_json: usize,
    indexed_per_json: f64,
    /// Created for the first new document: most small batches only replace.
    free_ids: Option<FreeDocIds>,
    /// Documents that were live when the batch began, or since it was cleared.
    live_before: Arc<RoaringBitmap>,
    /// Documents deleted again while still in the buffer: they keep their number if they return.
    withdrawn: HashMap<Box<str>, DocId>,
    /// Numbers for documents if they are new.
    reserved: HashMap<Box<str>, DocId>,
    /// Changed vectors by embedder name.
    embedders: BTreeMap<String, ChangedVectors>,
    /// An error lost documents; a commit would be incomplete.
    abandoned: bool,
}

/// A segment whose deletions may change.
#[derive(Debug)]
struct OpenSegment {
    segment: Segment,
    /// Documents deleted before this batch.
    deleted_before: Arc<RoaringBitmap>,
    /// Rules that its components were built by.
    rules: Arc<Rules>,
}

/// Location of a document within the batch, by its external id.
enum DocLocation {
    Buffer(DocId),
    Segment(usize, DocId),
    /// Deleted in this batch; it had this number.
    Gone(DocId),
    Nowhere,
}

impl<'i> Writer<'i> {
    pub(crate) fn new(index: &'i Index, commit_state: MutexGuard<'i, CommitState>) -> Self {
        let base = index.snapshot();
        let rules = base.meta.settings.rules();
        let open = |segment: &Segment| OpenSegment::new(segment.clone(), rules.clone());
        Self {
            index,
            commit_state,
            meta: base.meta.clone(),
            top_level_fields: NewFieldFinder::default(),
            nested_fields: NewFieldFinder::default(),
            segments: base.segments.iter().map(open).collect(),
            buffer: DocumentsWriter::new(),
            live: (*base.live).clone(),
            buffered_json: 0,
            indexed_per_json: flush::USUAL_INDEXED_PER_JSON,
            free_ids: None,
            live_before: base.live.clone(),
            withdrawn: HashMap::new(),
            reserved: HashMap::new(),
            embedders: base.meta.embedders.iter().map(changed_vectors).collect(),
            abandoned: false,
        }
    }

    /// Adds a document or replaces the one with the same id. A replaced document keeps its number.
    /// `fields` are the names of its top-level fields.
    pub fn upsert<'n>(
        &mut self,
        external_id: &str,
        json: &str,
        fields: impl IntoIterator<Item = &'n str, IntoIter: Clone>,
    ) -> Result<DocId> {
        self.check_complete()?;
        let location = self.find(external_id)?;
        let doc_id = match location {
            DocLocation::Buffer(doc_id) | DocLocation::Segment(_, doc_id) => doc_id,
            DocLocation::Gone(doc_id) => self.reserved_for(external_id).unwrap_or(doc_id),
            DocLocation::Nowhere => match self.reserved_for(external_id) {
                Some(doc_id) => doc_id,
                None => self.take_doc_id()?,
            },
        };
        let fields = fields.into_iter();
        self.buffer.add(doc_id, external_id, json, fields.clone())?;
        match location {
            DocLocation::Segment(position, doc_id) => self.segments[position].delete(doc_id),
            DocLocation::Gone(_) | DocLocation::Nowhere => drop(self.live.insert(doc_id)),
            DocLocation::Buffer(_) => {}
        }
        if !self.withdrawn.is_empty() {
            self.withdrawn.remove(external_id);
        }
        self.top_level_fields
            .note(&mut self.meta.fields, fields.filter(|&name| name != VECTORS_FIELD));
        self.buffered_json += json.len();
        if self.is_full() {
            self.flush()?;
        }
        Ok(doc_id)
    }

    /// Deletes a document; returns whether it existed.
    pub fn delete(&mut self, external_id: &str) -> Result<bool> {
        self.check_complete()?;
        let doc_id = match self.find(external_id)? {
            DocLocation::Buffer(doc_id) => {
                self.buffer.remove(doc_id);
                self.withdrawn.insert(external_id.into(), doc_id);
                doc_id
            }
            DocLocation::Segment(position, doc_id) => {
                self.segments[position].delete(doc_id);
                doc_id
            }
            DocLocation::Gone(_) | DocLocation::Nowhere => return Ok(false),
        };
        self.live.remove(doc_id);
        self.forget_vectors(&[doc_id].into());
        Ok(true)
    }

    /// Deletes documents by number; returns how many of them existed.
    pub fn delete_doc_ids(&mut self, doc_ids: &RoaringBitmap) -> Result<u64> {
        self.check_complete()?;
        let doomed = doc_ids & &self.live;
        if self.mark_deleted(&doomed) < doomed.len() {
            // The rest is in the buffer. In a segment they can be found again by their id, and so
            // keep their number if they return in this batch.
            self.flush()?;
            self.mark_deleted(&doomed);
        }
        self.live -= &doomed;
        self.forget_vectors(&doomed);
        Ok(doomed.len())
    }

    /// Marks documents in the segments that hold them; returns how many there were.
    fn mark_deleted(&mut self, doomed: &RoaringBitmap) -> u64 {
        let mut marked = 0;
        for open in &mut self.segments {
            let doc_ids = open.segment.documents().doc_ids();
            let here = (doomed & doc_ids) - open.segment.deleted();
            if !here.is_empty() {
                marked += here.len();
                *open.segment.deleted_set_mut().ids_mut() |= here;
            }
        }
        marked
    }

    /// Deletes every document; returns how many there were. Numbers start again from 0.
    pub fn clear(&mut self) -> Result<u64> {
        self.check_complete()?;
        let removed = self.live.len();
        self.segments.clear();
        self.buffer = DocumentsWriter::new();
        self.buffered_json = 0;
        self.live = RoaringBitmap::new();
        self.live_before = Arc::default();
        self.free_ids = None;
        self.withdrawn.clear();
        self.forget_numbers();
        self.clear_vectors();
        Ok(removed)
    }

    pub fn contains(&self, external_id: &str) -> Result<bool> {
        let location = self.find(external_id)?;
        Ok(matches!(location, DocLocation::Buffer(_) | DocLocation::Segment(..)))
    }

    pub fn get(&self, external_id: &str) -> Result<Option<String>> {
        match self.find(external_id)? {
            DocLocation::Buffer(doc_id) => Ok(self.buffer.get(doc_id).map(ToOwned::to_owned)),
            DocLocation::Segment(position, doc_id) => {
                Ok(self.segments[position].segment.documents().get(doc_id)?)
            }
            DocLocation::Gone(_) | DocLocation::Nowhere => Ok(None),
        }
    }

    pub fn number_of_documents(&self) -> u64 {
        self.live.len()
    }

    pub fn primary_key(&self) -> Option<&str> {
        self.meta.primary_key.as_deref()
    }

    /// Sets a primary key that was found in a document, or none.
    pub fn set_primary_key(&mut self, primary_key: Option<&str>) {
        self.meta.primary_key = primary_key.map(Arc::from);
        self.meta.leads_with_key = false;
    }

    /// Sets a primary key that the user named. Members of documents are shown in the order in which
    /// the index first met them, so a key that is set before any field comes first. A key with dots
    /// is not a member.
    pub fn set_named_primary_key(&mut self, primary_key: &str) {
        self.set_primary_key(Some(primary_key));
        self.meta.leads_with_key = self.number_of_fields() == 0 && !primary_key.contains('.');
    }

    /// Returns the member that documents begin with, if there is one.
    pub fn leading_field(&self) -> Option<&str> {
        self.primary_key().filter(|_| self.meta.leads_with_key)
    }

    /// Makes documents begin with the primary key, as they did in their source.
    pub fn lead_with_primary_key(&mut self) {
        self.meta.leads_with_key = true;
    }

    pub fn settings(&self) -> &Value {
        self.meta.settings.value()
    }

    /// Changes the settings. Components are rebuilt by `rebuild`, or by `commit`.
    pub fn set_settings(&mut self, settings: Value) {
        if settings != *self.settings() {
            self.meta.settings = self.meta.settings.changed(settings);
        }
    }

    /// Registers field names, nested ones with dots. Top-level names come with `upsert`.
    pub fn register_fields<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) {
        self.nested_fields.note(&mut self.meta.fields, names);
    }

    pub fn number_of_fields(&self) -> usize {
        self.meta.fields.len()
    }

    /// Makes the changes visible and durable. `receipt` is opaque and stored in the snapshot.
    pub fn commit(mut self, receipt: &[u8], now: OffsetDateTime) -> Result<Arc<Snapshot>> {
        self.check_complete()?;
        self.flush()?;
        self.rebuild(&NoObserver, &Cancel::default())?;
        self.finish_vectors()?;
        self.meta.receipt = receipt.into();
        self.meta.updated_at = now;
        self.live.optimize();
        let next = NextState {
            meta: self.meta,
            segments: self.segments.into_iter().map(|open| open.segment).collect(),
            live: Arc::new(self.live),
        };
        let snapshot = self.index.publish(&mut self.commit_state, next)?;
        self.index.merge_registry.lock().forget_temporary_failures();
        Ok(snapshot)
    }

    fn find(&self, external_id: &str) -> Result<DocLocation> {
        if let Some(doc_id) = self.buffer.find(external_id) {
            return Ok(DocLocation::Buffer(doc_id));
        }
        let mut gone = None;
        for (position, open) in self.segments.iter().enumerate().rev() {
            let Some(doc_id) = open.segment.documents().find(external_id)? else {
                continue;
            };
            if !open.segment.deleted().contains(doc_id) {
                return Ok(DocLocation::Segment(position, doc_id));
            }
            if !open.deleted_before.contains(doc_id) {
                gone = Some(doc_id);
            }
        }
        if !self.withdrawn.is_empty() && gone.is_none() {
            gone = self.withdrawn.get(external_id).copied();
        }
        Ok(gone.map_or(DocLocation::Nowhere, DocLocation::Gone))
    }

    fn take_doc_id(&mut self) -> Result<DocId> {
        let free_ids = self.free_ids.get_or_insert_with(|| FreeDocIds::new(&self.live_before));
        loop {
            let doc_id = free_ids.take().ok_or(IndexError::Full)?;
            // Numbers that were reserved since the batch began are no longer gaps.
            if !self.live.contains(doc_id) {
                return Ok(doc_id);
            }
        }
    }

    fn check_complete(&self) -> Result<()> {
        if self.abandoned { Err(IndexError::Abandoned) } else { Ok(()) }
    }
}

fn changed_vectors((name, vectors): (&String, &EmbedderVectors)) -> (String, ChangedVectors) {
    (name.clone(), ChangedVectors::new(vectors.clone()))
}

impl OpenSegment {
    fn new(segment: Segment, rules: Arc<Rules>) -> Self {
        let deleted_before = segment.deleted_set().share();
        Self { segment, deleted_before, rules }
    }

    fn delete(&mut self, doc_id: DocId) {
        self.segment.deleted_set_mut().ids_mut().insert(doc_id);
    }
}
