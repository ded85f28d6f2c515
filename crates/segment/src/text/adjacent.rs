//! Documents that only a look through token streams can tell: those in which a word directly
//! follows another, and those with an attribute that begins with a word. That takes a while where
//! words are frequent; such results are kept with the file, which never changes. Nobody waits for
//! that memory: where another thread has it, the work is done again.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;
use parking_lot::Mutex;
use roaring::RoaringBitmap;

use super::format::FIRST_WORD;
use super::reader::TextReader;
use super::tokens::DocumentTokens;
use crate::error::Result;

/// Fewer documents than this are looked through again each time.
const WORTH_KEEPING: u64 = 256;
/// Kept sets; when there are more, all are forgotten.
const MOST_KEPT: usize = 4096;

/// What a kept set is of, by ordinals.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Subject {
    /// A word, and the words of which one follows it.
    Pair(u32, Range<u32>),
    /// Words of which one begins an attribute.
    Beginning(Range<u32>),
}

#[derive(Debug, Default)]
pub(super) struct KeptSets(Mutex<HashMap<Subject, Arc<RoaringBitmap>>>);

impl KeptSets {
    fn get(&self, subject: &Subject) -> Option<Arc<RoaringBitmap>> {
        self.0.try_lock()?.get(subject).map(Arc::clone)
    }

    fn keep(&self, subject: Subject, documents: &Arc<RoaringBitmap>) {
        if let Some(mut kept) = self.0.try_lock() {
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
            kept.insert(subject, Arc::clone(documents));
        }
    }
}

impl TextReader {
    /// Documents, deleted ones included, in which one of the words `right` directly follows the
    /// word `left` in some attribute.
    pub fn documents_of_pair(&self, left: u32, right: Range<u32>) -> Result<Arc<RoaringBitmap>> {
        let subject = Subject::Pair(left, right.clone());
        self.kept_or_found(subject, || {
            let candidates = self.documents_of(left)? & self.documents_of_range(right.clone())?;
            let seeker = PairSeeker::new(left, right);
            Ok((candidates, move |tokens: DocumentTokens<'_>| seeker.is_in(tokens)))
        })
    }

    /// Documents, deleted ones included, with an attribute that begins with one of the words.
    pub fn documents_beginning_with(&self, words: Range<u32>) -> Result<Arc<RoaringBitmap>> {
        let subject = Subject::Beginning(words.clone());
        self.kept_or_found(subject, || {
            let tokens_of_words = words.start + FIRST_WORD..words.end + FIRST_WORD;
            let begins = move |tokens: DocumentTokens<'_>| {
                let mut firsts = tokens.fields().filter_map(|field| field.iter().next());
                firsts.any(|first| tokens_of_words.contains(&first))
            };
            Ok((self.documents_of_range(words)?, begins))
        })
    }

    fn kept_or_found<F: Fn(DocumentTokens<'_>) -> bool>(
        &self,
        subject: Subject,
        plan: impl FnOnce() -> Result<(RoaringBitmap, F)>,
    ) -> Result<Arc<RoaringBitmap>> {
        if let Some(kept) = self.kept_sets.get(&subject) {
            return Ok(kept);
        }
        let (candidates, is_one) = plan()?;
        let mut cursor = self.tokens();
        let mut found = RoaringBitmap::new();
        for doc_id in &candidates {
            if let Some(tokens) = cursor.seek(doc_id)?
                && is_one(tokens)
            {
                found.insert(doc_id);
            }
        }
        let found = Arc::new(found);
        if candidates.len() >= WORTH_KEEPING {
            self.kept_sets.keep(subject, &found);
        }
        Ok(found)
    }
}

/// Looks for a word with one of some words after it.
struct PairSeeker {
    left: u32,
    right: Range<u32>,
    /// The lower halves of what stands in a stream for sure: the left token, and the right one
    /// where there is only one.
    low_halves: Finder<'static>,
}

impl PairSeeker {
    fn new(left: u32, right: Range<u32>) -> Self {
        let (left, right) = (left + FIRST_WORD, right.start + FIRST_WORD..right.end + FIRST_WORD);
        let mut needle = (left as u16).to_le_bytes().to_vec();
        if right.len() == 1 {
            needle.extend((right.start as u16).to_le_bytes());
        }
        Self { left, right, low_halves: Finder::new(&needle).into_owned() }
    }

    fn is_in(&self, tokens: DocumentTokens<'_>) -> bool {
        // All attributes at once: many documents do not have the pair in any of them.
        if self.low_halves.find(tokens.low().as_flattened()).is_none() {
            return false;
        }
        tokens.fields().any(|field| {
            let low = field.low().as_flattened();
            self.low_halves.find_iter(low).any(|place| {
                place % 2 == 0
                    && place / 2 + 1 < field.len()
                    && field.get(place / 2) == self.left
                    && self.right.contains(&field.get(place / 2 + 1))
            })
        })
    }
}
