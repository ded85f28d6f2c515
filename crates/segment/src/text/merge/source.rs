//! One of the files that are merged: what of it is taken over, and under which numbers.

use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringBitmap;

use super::lost::Lost;
use crate::DocId;
use crate::encoding::postings::{self, Documents};
use crate::encoding::union::set_of;
use crate::error::{Result, SegmentError};
use crate::patience::Patience;
use crate::text::reader::TextReader;

pub struct Source<'a> {
    pub reader: &'a TextReader,
    /// What is both there and live.
    pub live: RoaringBitmap,
    all_live: bool,
    /// By number: whether an attribute is taken over.
    kept: Vec<bool>,
    has_words: bool,
    /// Where words are lost with attributes.
    lost: Option<Lost>,
    /// By ordinal: the ordinal in the new file. Words that are gone have none.
    pub ordinals: Vec<u32>,
    /// By number: the number of an attribute in the new file.
    fields: Vec<u16>,
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
            lost: None,
            ordinals: vec![GONE; reader.word_count() as usize],
            reader,
            live,
            fields: Vec::new(),
        }
    }

    /// Finds out which documents lose words because attributes are left out.
    pub fn note_losses(&mut self, patience: &mut Patience<'_>) -> Result<()> {
        // Without any attribute there are no words to begin with.
        if self.has_words && self.kept.contains(&false) {
            self.lost = Some(Lost::count(self, patience)?);
        }
        Ok(())
    }

    /// Whether it has any attribute to take over.
    pub fn has_words(&self) -> bool {
        self.has_words
    }

    /// Whether an attribute is taken over; nothing where it has no name.
    #[inline]
    pub fn keeps(&self, field: u16) -> Option<bool> {
        self.kept.get(usize::from(field)).copied()
    }

    /// The number that an attribute has in the new file.
    #[inline]
    pub fn new_field(&self, field: u16) -> u16 {
        self.fields[usize::from(field)]
    }

    pub fn number_fields(&mut self, by_name: &BTreeMap<String, u16>) {
        let number = |name: &String| by_name.get(name).copied().unwrap_or_default();
        self.fields = self.reader.fields().iter().map(number).collect();
    }

    /// The live documents that keep a word, as a set or onto the list. Words are to be asked for
    /// in their order.
    pub fn documents(
        &mut self,
        ordinal: u32,
        list: &mut Vec<DocId>,
        patience: &mut Patience<'_>,
    ) -> Result<Option<RoaringBitmap>> {
        let Some(mut lost) = self.lost.take() else {
            return self.documents_but(ordinal, &[], list);
        };
        let lost_here = lost.of(ordinal, self, patience)?;
        let documents = self.documents_but(ordinal, lost_here, list)?;
        self.lost = Some(lost);
        Ok(documents)
    }

    fn documents_but(
        &self,
        ordinal: u32,
        lost: &[DocId],
        list: &mut Vec<DocId>,
    ) -> Result<Option<RoaringBitmap>> {
        let start = list.len();
        match postings::read(self.reader.list(ordinal)?) {
            Some(Documents::Set(mut set)) => {
                if !self.all_live {
                    set &= &self.live;
                }
                if !lost.is_empty() {
                    set -= set_of(&mut lost.to_vec());
                }
                return Ok(Some(set));
            }
            Some(Documents::List(documents)) if documents.append_to(list) => {}
            _ => return Err(self.reader.malformed_list(ordinal)),
        }
        if !self.all_live || !lost.is_empty() {
            let mut kept = start;
            for place in start..list.len() {
                let doc_id = list[place];
                if self.live.contains(doc_id) && lost.binary_search(&doc_id).is_err() {
                    list[kept] = doc_id;
                    kept += 1;
                }
            }
            list.truncate(kept);
        }
        Ok(None)
    }

    /// The attributes to take over that a live document has words in.
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
