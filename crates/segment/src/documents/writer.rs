//! Collects the documents of a segment: kept in memory in insertion order, sorted and written once.
//! The last document of a DocId or an external id wins.
//!
//! It can be queried, because a batch sees its own changes.

use hashbrown::HashTable;

use super::arena::{Arena, ArenaOffset};
use super::assemble::{finish_file, id_hash};
use super::block_writer::BlockWriter;
use super::dictionary::{self, Dictionary, Sample};
use super::field_sets::FieldSets;
use super::format;
use super::id_form::IdForm;
use super::id_order::sorted_by_text;
use super::shapes::{Shape, Shapes};
use crate::directory::Directory;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;
use crate::{DocId, MAX_DOCUMENT_LENGTH};

#[derive(Debug, Default)]
pub struct DocumentsWriter {
    arena: Arena,
    entries: Vec<Entry>,
    by_doc_id: HashTable<u32>,
    by_external_id: HashTable<u32>,
    shapes: Shapes,
    /// Total JSON length of the documents that were not replaced.
    raw_json: u64,
    dictionary: Option<Dictionary>,
}

/// A document; its external id and its JSON are adjacent in the arena.
#[derive(Debug, Clone, Copy)]
struct Entry {
    id_hash: u64,
    place: ArenaOffset,
    id_length: u32,
    json_length: u32,
    doc_id: DocId,
    shape: Shape,
    /// True if it was replaced or removed.
    dead: bool,
}

impl DocumentsWriter {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the dictionary of another segment of the same index. That saves training one, and
    /// segments with the same dictionary are merged without recompression.
    pub fn set_dictionary(&mut self, dictionary: Option<Dictionary>) {
        self.dictionary = dictionary;
    }

    /// Adds a document with the names of its top-level fields, replacing those with the same DocId
    /// or external id.
    pub fn add<'n>(
        &mut self,
        doc_id: DocId,
        external_id: &str,
        json: &str,
        fields: impl IntoIterator<Item = &'n str>,
    ) -> Result<()> {
        check_length(doc_id, external_id.len() + json.len())?;
        let id_hash = id_hash(external_id.as_bytes());
        if let Some(entry) = self.entry_of_doc_id(doc_id) {
            self.drop_entry(entry);
        }
        if let Some(entry) = self.entry_of_external_id(id_hash, external_id) {
            self.drop_entry(entry);
        }

        let number = self.entries.len() as u32;
        self.entries.push(Entry {
            id_hash,
            place: self.arena.push([external_id, json]),
            id_length: external_id.len() as u32,
            json_length: json.len() as u32,
            doc_id,
            shape: self.shapes.shape_of(fields),
            dead: false,
        });
        self.raw_json += json.len() as u64;
        let entries = &self.entries;
        self.by_doc_id.insert_unique(doc_id_hash(doc_id), number, |&other| {
            doc_id_hash(entries[other as usize].doc_id)
        });
        self.by_external_id
            .insert_unique(id_hash, number, |&other| entries[other as usize].id_hash);
        Ok(())
    }

    /// Removes a document. Returns whether it existed.
    pub fn remove(&mut self, doc_id: DocId) -> bool {
        let Some(entry) = self.entry_of_doc_id(doc_id) else {
            return false;
        };
        self.drop_entry(entry);
        true
    }

    pub fn get(&self, doc_id: DocId) -> Option<&str> {
        let entry = &self.entries[self.entry_of_doc_id(doc_id)? as usize];
        std::str::from_utf8(self.json(entry)).ok()
    }

    pub fn find(&self, external_id: &str) -> Option<DocId> {
        let hash = id_hash(external_id.as_bytes());
        let entry = self.entry_of_external_id(hash, external_id)?;
        Some(self.entries[entry as usize].doc_id)
    }

    /// Returns every current document, in DocId order.
    pub fn documents(&self) -> Vec<(DocId, &str)> {
        let entries = self.in_doc_id_order().into_iter().map(|entry| &self.entries[entry as usize]);
        entries
            .filter_map(|entry| Some((entry.doc_id, std::str::from_utf8(self.json(entry)).ok()?)))
            .collect()
    }

    pub fn len(&self) -> usize {
        self.by_doc_id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_doc_id.is_empty()
    }

    /// Returns the memory held, in bytes. Writing the file takes a little more, for sorting.
    pub fn memory_used(&self) -> usize {
        self.arena.memory_used()
            + self.entries.capacity() * size_of::<Entry>()
            + self.by_doc_id.allocation_size()
            + self.by_external_id.allocation_size()
            + self.shapes.memory_used()
    }

    /// Writes and syncs the file, and returns its length. The caller syncs the directory.
    pub fn finish(self, directory: &dyn Directory, name: &str) -> Result<u64> {
        let order = self.in_doc_id_order();
        let dictionary = self.choose_dictionary(&order);
        let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
        let mut blocks = BlockWriter::new(&mut frame, dictionary.as_ref())?;
        let mut fields = FieldSets::new(self.shapes.name_count());
        for &number in &order {
            let entry = &self.entries[number as usize];
            blocks.add(entry.doc_id, self.json(entry))?;
            fields.add(entry.doc_id, entry.shape, &self.shapes);
        }
        let written = blocks.finish()?;

        let Self { arena, entries, shapes, .. } = self;
        let fields = fields.finish(shapes.into_names());
        let external_id = |number: u32| {
            let entry = &entries[number as usize];
            arena.get(entry.place, 0, entry.id_length)
        };
        let mut id_form = IdForm::default();
        for &number in &order {
            id_form.add(external_id(number));
        }
        finish_file(frame, &written, &fields, &id_form, |ids| {
            for number in sorted_by_text(order.iter().copied(), external_id) {
                let entry = &entries[number as usize];
                ids.add_hashed(external_id(number), entry.id_hash, entry.doc_id)?;
            }
            Ok(())
        })
    }

    fn in_doc_id_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.entries.len() as u32)
            .filter(|&number| !self.entries[number as usize].dead)
            .collect();
        // New documents come in order; only replaced ones do not.
        order.sort_by_key(|&number| self.entries[number as usize].doc_id);
        order
    }

    fn choose_dictionary(&self, order: &[u32]) -> Option<Dictionary> {
        if self.dictionary.is_some() && self.raw_json >= dictionary::WORTH_STORING {
            return self.dictionary.clone();
        }
        if self.raw_json < dictionary::WORTH_TRAINING {
            return None;
        }
        let step = (self.raw_json as usize / dictionary::SAMPLE_LENGTH).max(1);
        let mut sample = Sample::default();
        for &number in order.iter().step_by(step) {
            sample.add(self.json(&self.entries[number as usize]));
        }
        Dictionary::train(&sample)
    }

    fn json(&self, entry: &Entry) -> &[u8] {
        self.arena.get(entry.place, entry.id_length, entry.json_length)
    }

    fn entry_of_doc_id(&self, doc_id: DocId) -> Option<u32> {
        let entries = &self.entries;
        self.by_doc_id
            .find(doc_id_hash(doc_id), |&entry| entries[entry as usize].doc_id == doc_id)
            .copied()
    }

    fn entry_of_external_id(&self, hash: u64, external_id: &str) -> Option<u32> {
        let is_it = |&number: &u32| {
            let entry = &self.entries[number as usize];
            entry.id_hash == hash
                && self.arena.get(entry.place, 0, entry.id_length) == external_id.as_bytes()
        };
        self.by_external_id.find(hash, is_it).copied()
    }

    fn drop_entry(&mut self, number: u32) {
        let entry = &mut self.entries[number as usize];
        entry.dead = true;
        self.raw_json -= u64::from(entry.json_length);
        let (doc_id, id_hash) = (entry.doc_id, entry.id_hash);
        let is_it = |&other: &u32| other == number;
        if let Ok(found) = self.by_doc_id.find_entry(doc_id_hash(doc_id), is_it) {
            found.remove();
        }
        if let Ok(found) = self.by_external_id.find_entry(id_hash, is_it) {
            found.remove();
        }
    }
}

/// DocIds are mostly consecutive, so their bits have to be spread.
fn doc_id_hash(doc_id: DocId) -> u64 {
    let spread = u64::from(doc_id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread ^ (spread >> 32)
}

fn check_length(doc_id: DocId, length: usize) -> Result<()> {
    let length = length as u64;
    if length > MAX_DOCUMENT_LENGTH {
        return Err(SegmentError::TooLarge { doc_id, length });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_impossible_length_is_refused() {
        let longest = MAX_DOCUMENT_LENGTH as usize;
        assert!(check_length(7, longest).is_ok());
        let error = check_length(7, longest + 1).unwrap_err();
        assert!(matches!(error, SegmentError::TooLarge { doc_id: 7, .. }));
    }
}
