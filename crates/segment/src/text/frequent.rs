//! Frequent words, and the documents in which two of them are close together.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::format;
use super::parts;
use super::reader::TextReader;
use crate::encoding::union::set_of;
use crate::error::Result;

impl TextReader {
    /// Returns whether pairs with words between them can be stored, as they are from version 4 on.
    pub(super) fn may_have_near_pairs(&self) -> bool {
        self.frame.version() >= format::FIRST_WITH_NEAR_PAIRS
    }

    /// Returns whether the documents of pairs with this word and other frequent ones are stored.
    pub fn is_frequent(&self, ordinal: u32) -> bool {
        self.parts.as_ref().is_some_and(|parts| parts.frequent_number(ordinal).is_some())
    }

    /// Returns whether pairs of this word with words between them are stored as well.
    pub fn is_frequent_nearby(&self, ordinal: u32) -> Result<bool> {
        Ok(self.may_have_near_pairs()
            && self.is_frequent(ordinal)
            && u64::from(self.document_count(ordinal)?) >= parts::least_near(self.meta.documents))
    }

    /// Returns the frequent words of a range.
    pub fn frequent_words(&self, ordinals: &Range<u32>) -> impl Iterator<Item = u32> {
        self.parts.iter().flat_map(|parts| parts.frequent_in(ordinals))
    }

    /// Returns the documents, including deleted ones, in which one word directly follows another in
    /// some attribute; `None` unless both are frequent.
    pub fn documents_of_frequent_pair(
        &self,
        left: u32,
        right: u32,
    ) -> Result<Option<RoaringBitmap>> {
        if !self.has_pair(left, right) {
            return Ok(None);
        }
        self.documents_of_frequent_pairs(left, &[right], 1).map(Some)
    }

    /// Returns the documents, including deleted ones, in which one of the ascending words is this
    /// many tokens (at most three) after another in some attribute. All have to be frequent; with
    /// words between them, frequent nearby.
    pub fn documents_of_frequent_pairs(
        &self,
        left: u32,
        rights: &[u32],
        steps: u32,
    ) -> Result<RoaringBitmap> {
        let mut doc_ids = Vec::new();
        if let Some(parts) = &self.parts
            && let Some(left) = parts.frequent_number(left)
        {
            let rights: Vec<usize> =
                rights.iter().filter_map(|right| parts.frequent_number(*right)).collect();
            parts.append_pairs(left, &rights, steps, &self.runs, &self.frame, &mut doc_ids)?;
        }
        Ok(set_of(&mut doc_ids))
    }
}
