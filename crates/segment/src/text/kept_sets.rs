//! Documents that take a while to find: those in which a word directly follows another that is not
//! frequent, by a look through token streams, and those of very many words. Such sets are cached
//! with the file.

use std::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::format::FIRST_WORD;
use super::reader::TextReader;
use super::token_row::TokenRow;
use crate::error::Result;

/// The sets of a file take no more than the file itself, within these bounds.
const LEAST_LIMIT: u64 = 1 << 20;
const HIGHEST_LIMIT: u64 = 1 << 27;
/// What each 65,536 documents of a set take beside what is written of them.
const CONTAINER_BYTES: usize = 56;
/// The documents of so many words are united again each time.
const FEW_WORDS: usize = 8;

/// The first number of a cache key: the kind of the set.
const RANGE: u32 = 0;
const PAIR: u32 = 1;

impl TextReader {
    /// The documents that have one of the words.
    pub fn documents_of_range(&self, range: Range<u32>) -> Result<RoaringBitmap> {
        if range.len() <= FEW_WORDS || self.is_stored(&range) {
            return self.unite(range);
        }
        self.cached([RANGE, range.start, range.end], || self.unite(range))
    }

    /// Documents, deleted ones included, in which one word directly follows another in some
    /// attribute.
    pub fn documents_of_pair(&self, left: u32, right: u32) -> Result<RoaringBitmap> {
        if let Some(documents) = self.documents_of_frequent_pair(left, right)? {
            return Ok(documents);
        }
        self.cached([PAIR, left, right], || self.find_pair(left, right))
    }

    fn find_pair(&self, left: u32, right: u32) -> Result<RoaringBitmap> {
        let candidates = self.documents_of(left)? & self.documents_of(right)?;
        let pair = TokenRow::new(vec![left + FIRST_WORD, right + FIRST_WORD]);
        let mut cursor = self.tokens();
        let mut found = RoaringBitmap::new();
        for doc_id in candidates {
            if cursor.seek(doc_id)?.is_some_and(|tokens| pair.is_in(tokens)) {
                found.insert(doc_id);
            }
        }
        Ok(found)
    }

    fn cached(
        &self,
        subject: [u32; 3],
        find: impl FnOnce() -> Result<RoaringBitmap>,
    ) -> Result<RoaringBitmap> {
        let limit = self.file_bytes().clamp(LEAST_LIMIT, HIGHEST_LIMIT) as usize;
        if let Some(known) = self.kept_sets.get(&subject, limit) {
            return Ok((*known).clone());
        }
        let found = Arc::new(find()?);
        self.kept_sets.keep(&subject, &found, bytes_of(&found), limit);
        Ok(Arc::unwrap_or_clone(found))
    }
}

/// What a set takes in memory, about.
fn bytes_of(set: &RoaringBitmap) -> usize {
    let containers = set.statistics().n_containers as usize;
    size_of::<RoaringBitmap>() + containers * CONTAINER_BYTES + set.serialized_size()
}
