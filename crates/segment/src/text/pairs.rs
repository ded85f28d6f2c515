//! Documents in which one word directly follows another. Those of two frequent words are stored;
//! others are found in the token streams of the documents that have both.

use roaring::RoaringBitmap;

use super::format::FIRST_WORD;
use super::reader::TextReader;
use super::token_row::TokenRow;
use crate::error::Result;

impl TextReader {
    /// Returns whether the documents of the pair are stored, so that no streams have to be read.
    pub fn has_pair(&self, left: u32, right: u32) -> bool {
        self.is_frequent(left) && self.is_frequent(right)
    }

    /// Returns the documents, including deleted ones, with the pair in some attribute.
    pub fn documents_of_pair(&self, left: u32, right: u32) -> Result<RoaringBitmap> {
        if let Some(documents) = self.documents_of_frequent_pair(left, right)? {
            return Ok(documents);
        }
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
}
