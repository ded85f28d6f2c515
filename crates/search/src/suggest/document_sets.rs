//! The documents of words and of word pairs in one segment, decoded once per request: the typed words
//! occur in every phrase that is counted.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use roaring::RoaringBitmap;
use segment::text::TextReader;

use crate::error::SearchError;

pub(super) struct DocumentSets<'s> {
    text: &'s TextReader,
    words: HashMap<u32, RoaringBitmap>,
    /// `None` unless both words are frequent.
    pairs: HashMap<(u32, u32), Option<RoaringBitmap>>,
}

impl<'s> DocumentSets<'s> {
    pub fn new(text: &'s TextReader) -> Self {
        Self { text, words: HashMap::new(), pairs: HashMap::new() }
    }

    pub fn of_word(&mut self, ordinal: u32) -> Result<&RoaringBitmap, SearchError> {
        Ok(match self.words.entry(ordinal) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(self.text.documents_of(ordinal)?),
        })
    }

    /// Returns the documents in which one word directly follows another, if both are frequent.
    pub fn of_frequent_pair(
        &mut self,
        left: u32,
        right: u32,
    ) -> Result<Option<&RoaringBitmap>, SearchError> {
        let pair = match self.pairs.entry((left, right)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(self.text.documents_of_frequent_pair(left, right)?),
        };
        Ok(pair.as_ref())
    }
}
