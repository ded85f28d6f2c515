//! Documents that only a look through token streams can tell: those in which a word directly
//! follows another, and whatever classes a reader puts documents into by their streams. That takes
//! a while where words are frequent, and people type the same beginnings again and again; so such
//! results are kept with the file, which never changes. Nobody waits for that memory: where
//! another thread has it, the work is done again.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;
use parking_lot::Mutex;
use roaring::RoaringBitmap;

use super::format::FIRST_WORD;
use super::reader::TextReader;
use super::tokens::DocumentTokens;
use crate::error::{Result, SegmentError};

/// Fewer documents than this are looked through again each time. It is little: a search has many
/// subjects, and each may have a few documents in many small segments.
const WORTH_KEEPING: u64 = 32;
/// What is kept of a file takes no more than this part of its size.
const PART_OF_FILE: u64 = 8;
const LEAST_LIMIT: usize = 1 << 20;
/// What an entry takes beside its sets.
const ENTRY_BYTES: usize = 128;

/// Documents of a file, deleted ones included, by class: those of class 0 first. Documents of no
/// class are in none of the sets.
pub type Classes = Arc<[RoaringBitmap]>;

/// What classes are of, in numbers that say it all.
type Subject = Box<[u32]>;

#[derive(Debug, Default)]
pub(super) struct KeptSets(Mutex<Generations>);

/// Entries that are asked for move to the young; when those have grown too large, they become the
/// old ones and what was old and not asked for is forgotten.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Subject, Classes>,
    young_bytes: usize,
    old: HashMap<Subject, Classes>,
}

impl Generations {
    fn get(&mut self, subject: &[u32], limit: usize) -> Option<Classes> {
        if let Some(known) = self.young.get(subject) {
            return Some(Arc::clone(known));
        }
        let (subject, classes) = self.old.remove_entry(subject)?;
        self.keep(subject, &classes, limit);
        Some(classes)
    }

    fn keep(&mut self, subject: Subject, classes: &Classes, limit: usize) {
        let sets: usize = classes.iter().map(RoaringBitmap::serialized_size).sum();
        let bytes = ENTRY_BYTES + subject.len() * size_of::<u32>() + sets;
        if self.young_bytes + bytes > limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if bytes <= limit / 2 && self.young.insert(subject, Arc::clone(classes)).is_none() {
            self.young_bytes += bytes;
        }
    }
}

impl TextReader {
    /// Documents, deleted ones included, in which one of the words `right` directly follows the
    /// word `left` in some attribute.
    pub fn documents_of_pair(&self, left: u32, right: Range<u32>) -> Result<RoaringBitmap> {
        let subject = [left, right.start, right.end];
        if let Some(kept) = self.kept_classes(&subject) {
            return Ok(kept.first().cloned().unwrap_or_default());
        }
        let candidates = self.documents_of(left)? & self.documents_of_range(right.clone())?;
        let seeker = PairSeeker::new(left, right);
        let class_of = |tokens: DocumentTokens<'_>| Ok(usize::from(!seeker.is_in(tokens)));
        let classes: Classes = self.classify::<SegmentError>(&subject, &candidates, 1, class_of)?;
        Ok(classes.first().cloned().unwrap_or_default())
    }

    /// What [`classify`](Self::classify) has found out about a subject, if that was kept.
    pub fn kept_classes(&self, subject: &[u32]) -> Option<Classes> {
        self.kept_sets.0.try_lock()?.get(subject, self.kept_limit())
    }

    /// Puts documents into classes by their token streams and keeps the result. The subject must
    /// tell everything that `class_of` depends on but the stream, and what the candidates are;
    /// three numbers are for pairs. Classes from `count` on are none. Whoever has no time for more
    /// ends it with an error, and nothing is kept.
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
        if candidates.len() >= WORTH_KEEPING
            && let Some(mut kept) = self.kept_sets.0.try_lock()
        {
            kept.keep(subject.into(), &classes, self.kept_limit());
        }
        Ok(classes)
    }

    fn kept_limit(&self) -> usize {
        usize::try_from(self.file_bytes() / PART_OF_FILE).unwrap_or(usize::MAX).max(LEAST_LIMIT)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let classes = || Classes::from(vec![(0..1000).step_by(2).collect::<RoaringBitmap>()]);
        let subject = |number: u32| Subject::from([number]);
        let limit = 20 * (ENTRY_BYTES + 4 + classes()[0].serialized_size());
        let mut kept = Generations::default();
        for number in 0..100 {
            kept.keep(subject(number), &classes(), limit);
            assert!(kept.get(&subject(0), limit).is_some(), "{number}");
            assert!(kept.young.len() + kept.old.len() <= 20);
        }
        assert!(kept.get(&subject(99), limit).is_some());
        assert!(kept.get(&subject(50), limit).is_none());
        // What is larger than all that may be kept is not.
        kept.keep(subject(1000), &classes(), 100);
        assert!(kept.get(&subject(1000), limit).is_none());
    }
}
