//! Documents that only a look through token streams can tell: those in which a word directly
//! follows another, and whatever classes a reader puts documents into by their streams. That takes
//! a while where words are frequent, and so does uniting the documents of many words; such sets
//! are kept with the file.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;
use roaring::RoaringBitmap;

use super::format::FIRST_WORD;
use super::reader::TextReader;
use super::tokens::DocumentTokens;
use crate::error::{Result, SegmentError};

/// What is kept of a file takes no more than the file itself, within these bounds.
const LEAST_LIMIT: u64 = 1 << 20;
const HIGHEST_LIMIT: u64 = 1 << 27;
/// What each 65,536 documents of a set take beside what is written of them.
const CONTAINER_BYTES: usize = 56;
/// The documents of so many words are united again each time.
const FEW_WORDS: usize = 8;

/// Documents of a file, deleted ones included, by class: those of class 0 first. Documents of no
/// class are in none of the sets.
pub type Classes = Arc<[RoaringBitmap]>;

impl TextReader {
    /// The documents that have one of the words.
    pub fn documents_of_range(&self, range: Range<u32>) -> Result<RoaringBitmap> {
        if range.len() <= FEW_WORDS || self.is_stored(&range) {
            return self.unite(range);
        }
        let subject = [range.start, range.end];
        if let Some(kept) = self.kept_classes(&subject) {
            return Ok(first(&kept));
        }
        let classes = Classes::from([self.unite(range)?]);
        self.keep(&subject, &classes);
        Ok(first(&classes))
    }

    /// Documents, deleted ones included, in which one of the words `right` directly follows the
    /// word `left` in some attribute.
    pub fn documents_of_pair(&self, left: u32, right: Range<u32>) -> Result<RoaringBitmap> {
        if right.len() == 1
            && let Some(documents) = self.documents_of_frequent_pair(left, right.start)?
        {
            return Ok(documents);
        }
        let subject = [left, right.start, right.end];
        if let Some(kept) = self.kept_classes(&subject) {
            return Ok(first(&kept));
        }
        let candidates = self.documents_of(left)? & self.documents_of_range(right.clone())?;
        let seeker = PairSeeker::new(left, right);
        let class_of = |tokens: DocumentTokens<'_>| Ok(usize::from(!seeker.is_in(tokens)));
        let classes: Classes = self.classify::<SegmentError>(&subject, &candidates, 1, class_of)?;
        Ok(first(&classes))
    }

    /// What [`classify`](Self::classify) has found out about a subject, if that was kept.
    pub fn kept_classes(&self, subject: &[u32]) -> Option<Classes> {
        self.kept_sets.get(subject, self.kept_limit())
    }

    /// Puts documents into classes by their token streams and keeps the result. The subject must
    /// tell everything that `class_of` depends on but the stream, and what the candidates are;
    /// two numbers are for ranges, three for pairs. Classes from `count` on are none. Whoever has
    /// no time for more ends it with an error, and nothing is kept.
    pub fn classify<E: From<SegmentError>>(
        &self,
        subject: &[u32],
        candidates: &RoaringBitmap,
        count: usize,
        mut class_of: impl FnMut(DocumentTokens<'_>) -> Result<usize, E>,
    ) -> Result<Classes, E> {
        let mut classes = vec![RoaringBitmap::new(); count];
        let mut cursor = self.tokens();
        for doc_id in candidates {
            if let Some(tokens) = cursor.seek(doc_id)?
                && let Some(class) = classes.get_mut(class_of(tokens)?)
            {
                class.insert(doc_id);
            }
        }
        let classes = Classes::from(classes);
        self.keep(subject, &classes);
        Ok(classes)
    }

    fn keep(&self, subject: &[u32], classes: &Classes) {
        let bytes = classes.iter().map(bytes_of).sum();
        self.kept_sets.keep(subject, classes, bytes, self.kept_limit());
    }

    fn kept_limit(&self) -> usize {
        self.file_bytes().clamp(LEAST_LIMIT, HIGHEST_LIMIT) as usize
    }
}

/// What a set takes in memory, about.
fn bytes_of(set: &RoaringBitmap) -> usize {
    let containers = set.statistics().n_containers as usize;
    size_of::<RoaringBitmap>() + containers * CONTAINER_BYTES + set.serialized_size()
}

fn first(classes: &Classes) -> RoaringBitmap {
    classes.first().cloned().unwrap_or_default()
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
