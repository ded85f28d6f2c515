//! An input of a merge: the kept documents and attributes, and their new numbers.

use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringBitmap;

use crate::DocId;
use crate::error::{Result, SegmentError};
use crate::text::occurrence::Occurrence;
use crate::text::reader::TextReader;

pub struct Source<'a> {
    pub reader: &'a TextReader,
    /// Documents that exist and are live.
    pub live: RoaringBitmap,
    all_live: bool,
    /// For each attribute, true if the merge keeps the words of the attribute.
    kept: Vec<bool>,
    has_words: bool,
    /// New ordinal of each word, or none if the word is gone.
    pub ordinals: Vec<u32>,
    /// New number of each attribute.
    fields: Vec<u16>,
    /// Documents of the last word looked up.
    doc_ids: Vec<DocId>,
}

pub const GONE: u32 = u32::MAX;

impl<'a> Source<'a> {
    pub fn new(reader: &'a TextReader, live: &RoaringBitmap, without: &BTreeSet<&str>) -> Self {
        let live = live & reader.doc_ids();
        let is_kept = |name: &String| !without.contains(name.as_str());
        let kept: Vec<bool> = reader.fields().iter().map(is_kept).collect();
        Self {
            all_live: live.len() == reader.doc_ids().len(),
            has_words: kept.contains(&true),
            kept,
            ordinals: vec![GONE; reader.word_count() as usize],
            reader,
            live,
            fields: Vec::new(),
            doc_ids: Vec::new(),
        }
    }

    /// Returns whether it has any attribute to keep.
    pub fn has_words(&self) -> bool {
        self.has_words
    }

    /// Returns whether an attribute is kept; `None` if there is no such attribute.
    #[inline]
    pub fn keeps(&self, field: u16) -> Option<bool> {
        self.kept.get(usize::from(field)).copied()
    }

    /// Returns the number of an attribute in the new file.
    #[inline]
    pub fn new_field(&self, field: u16) -> u16 {
        self.fields[usize::from(field)]
    }

    pub fn number_fields(&mut self, by_name: &BTreeMap<String, u16>) {
        let number = |name: &String| by_name.get(name).copied().unwrap_or_default();
        self.fields = self.reader.fields().iter().map(number).collect();
    }

    /// Appends the occurrences of a word in live documents and kept attributes, with their new
    /// numbers, attribute by attribute.
    pub fn occurrences(&mut self, ordinal: u32, out: &mut Vec<Occurrence>) -> Result<()> {
        let malformed = || self.reader.malformed_list(ordinal);
        self.doc_ids.clear();
        let occurrences = self.reader.occurrences(ordinal, &mut self.doc_ids)?;
        for of_field in occurrences.ok_or_else(malformed)?.fields() {
            let field = of_field.field();
            if !self.keeps(field).ok_or_else(malformed)? {
                continue;
            }
            let field = self.new_field(field);
            of_field.for_each(&self.doc_ids, |doc_id, mark| {
                if self.all_live || self.live.contains(doc_id) {
                    out.push(Occurrence::new(doc_id, field, mark));
                }
            });
        }
        Ok(())
    }

    /// Returns the kept attributes in which a live document has words.
    pub fn used_fields(&self) -> Result<Vec<bool>> {
        if self.all_live || !self.has_words {
            return Ok(self.kept.clone());
        }
        let mut used = vec![false; self.kept.len()];
        let mut cursor = self.reader.tokens();
        for doc_id in &self.live {
            let Some(tokens) = cursor.seek(doc_id)? else {
                continue;
            };
            for field in tokens.fields() {
                match used.get_mut(usize::from(field.field())) {
                    Some(used) => *used = self.kept[usize::from(field.field())],
                    None => return Err(self.unknown_attribute(doc_id)),
                }
            }
        }
        Ok(used)
    }

    pub fn unknown_attribute(&self, doc_id: DocId) -> SegmentError {
        let what = format!("document {doc_id} has an attribute without a name");
        self.reader.frame.damaged(what)
    }
}
