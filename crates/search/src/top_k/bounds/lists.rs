//! The documents and occurrences of words, read once for all groups of documents.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use segment::text::{Occurrences, WordDocuments};

use crate::context::SegmentView;
use crate::error::SearchError;

/// Lists of words with fewer documents are not cached, except for the last one.
const MANY_DOCUMENTS: usize = 1024;

type Word<'s> = (WordDocuments<'s>, Occurrences<'s>);

#[derive(Default)]
pub(in crate::top_k) struct Lists<'s> {
    /// Lists by segment and ordinal.
    long: HashMap<(usize, u32), Word<'s>>,
    /// The last short list.
    short: Option<Word<'s>>,
}

impl<'s> Lists<'s> {
    /// Returns the documents and occurrences of a word; `None` if the segment has no occurrences.
    pub fn get(
        &mut self,
        view: &SegmentView<'s>,
        segment: usize,
        ordinal: u32,
    ) -> Result<Option<&mut Word<'s>>, SearchError> {
        let unknown = match self.long.entry((segment, ordinal)) {
            Entry::Occupied(known) => return Ok(Some(known.into_mut())),
            Entry::Vacant(unknown) => unknown,
        };
        let Some(word) = view.text.word_occurrences(ordinal)? else {
            return Ok(None);
        };
        Ok(Some(match word.0.count() {
            ..MANY_DOCUMENTS => self.short.insert(word),
            _ => unknown.insert(word),
        }))
    }
}
