//! Finds documents that have a word in some of the attributes, by its occurrences.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::format::FIRST_WORD;
use super::occurrence::{FieldOccurrences, Occurrences};
use super::reader::TextReader;
use crate::encoding::union::Union;
use crate::error::Result;

/// With more words than this in other attributes, each word is examined.
const FEW_WORDS: usize = 256;
/// This many documents are quick to examine.
const FEW_DOCUMENTS: u64 = 2048;

impl TextReader {
    /// Returns the documents with one of the words in an attribute that counts, by occurrences.
    pub fn documents_in_fields(
        &self,
        ordinals: impl Iterator<Item = u32>,
        counts: impl Fn(u16) -> bool,
    ) -> Result<RoaringBitmap> {
        let mut union = Union::default();
        let mut doc_ids = Vec::new();
        for ordinal in ordinals {
            doc_ids.clear();
            let Some(occurrences) = self.occurrences(ordinal, &mut doc_ids)? else {
                continue;
            };
            let fields = || occurrences.fields().iter().filter(|field| counts(field.field()));
            if fields().any(FieldOccurrences::is_everywhere) {
                self.add_documents(ordinal, &mut union)?;
                continue;
            }
            for field in fields() {
                field.for_each_document(&doc_ids, |doc_id| union.loose.push(doc_id));
            }
        }
        Ok(union.finish())
    }

    /// Returns the documents that have a word of a range in an attribute that counts. If few of the
    /// words are in other attributes too, it takes the union of all and examines the documents of
    /// these few.
    pub fn documents_of_range_in_fields(
        &self,
        range: Range<u32>,
        counts: impl Fn(u16) -> bool,
    ) -> Result<RoaringBitmap> {
        let mut elsewhere = Vec::new();
        for ordinal in range.clone() {
            if !self.is_only_in(ordinal, &counts)? {
                elsewhere.push(ordinal);
                if elsewhere.len() > FEW_WORDS {
                    return self.documents_in_fields(range, counts);
                }
            }
        }
        if elsewhere.is_empty() {
            return self.documents_of_range(range);
        }
        let doubtful = self.documents_of_words(elsewhere)?;
        if doubtful.len() > FEW_DOCUMENTS {
            return self.documents_in_fields(range, counts);
        }
        let mut documents = self.documents_of_range(range.clone())?;
        let is_wanted = |token: u32| {
            token.checked_sub(FIRST_WORD).is_some_and(|ordinal| range.contains(&ordinal))
        };
        let mut cursor = self.tokens();
        for doc_id in doubtful {
            let is_in_field = cursor.seek(doc_id)?.is_some_and(|tokens| {
                let mut fields = tokens.fields().filter(|field| counts(field.field()));
                fields.any(|field| field.iter().any(is_wanted))
            });
            if !is_in_field {
                documents.remove(doc_id);
            }
        }
        Ok(documents)
    }

    /// Returns whether a word is known to be in one attribute only, and that counts.
    pub fn is_only_in(&self, ordinal: u32, counts: impl Fn(u16) -> bool) -> Result<bool> {
        let only_field = self.word_bytes(ordinal)?.occurrences.and_then(Occurrences::only_field);
        Ok(only_field.is_some_and(counts))
    }
}
