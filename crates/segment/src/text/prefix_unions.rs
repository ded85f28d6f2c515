//! Finds the prefixes that many documents match, in one pass over the sorted words, and collects
//! the unions of their documents.
//!
//! Neighbouring words and their common prefixes form a tree of ranges; a range is complete when a
//! word comes that shares less. Documents of small lists are kept in one log, so that a range is a
//! slice of it; large sets, and unions that are complete, are carried along.

use std::ops::Range;

use roaring::RoaringBitmap;

use crate::DocId;
use crate::encoding::union::set_of;

/// A prefix with at most this many words is a few lists, quick to unite.
const FEW_WORDS: u32 = 64;
/// So are lists of this many documents in total, or of a small share of all documents.
const FEW_DOCUMENTS: u64 = 16 * 1024;
const SMALL_SHARE: u64 = 32;
/// Sets of one range that are carried along before they are united.
const SETS_CARRIED: usize = 16;

#[derive(Debug, Default)]
pub struct PrefixUnions {
    /// Lists of this many documents are quick to unite.
    few_documents: u64,
    last_word: Vec<u8>,
    words: u32,
    /// The last word, which belongs to no range yet.
    leaf: OpenRange,
    /// Incomplete ranges, each within the one before.
    open: Vec<OpenRange>,
    log: Vec<DocId>,
    unions: Unions,
}

/// Ranges of words that have a union, with the documents; in file order.
pub type Unions = Vec<(Range<u32>, RoaringBitmap)>;

#[derive(Debug, Default)]
struct OpenRange {
    /// Length of the common prefix of its words in bytes.
    common: usize,
    start: u32,
    documents: u64,
    log_start: usize,
    sets: Vec<RoaringBitmap>,
}

impl PrefixUnions {
    /// Starts a pass for a file of this many documents.
    pub fn new(documents: u64) -> Self {
        Self { few_documents: (documents / SMALL_SHARE).max(FEW_DOCUMENTS), ..Self::default() }
    }

    /// Adds the next word in order with its documents: a list if they are few, else a set.
    pub fn add(&mut self, word: &[u8], list: &[DocId], set: Option<&RoaringBitmap>) {
        self.complete(common_characters(&self.last_word, word));
        self.last_word.clear();
        self.last_word.extend_from_slice(word);
        self.leaf = OpenRange {
            common: word.len(),
            start: self.words,
            documents: set.map_or(list.len() as u64, RoaringBitmap::len),
            log_start: self.log.len(),
            sets: set.into_iter().cloned().collect(),
        };
        self.log.extend_from_slice(list);
        self.words += 1;
    }

    pub fn finish(mut self) -> Unions {
        self.complete(0);
        self.unions.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        self.unions
    }

    /// Closes every range whose words have more than `common` bytes in common.
    fn complete(&mut self, common: usize) {
        if self.words == 0 {
            return;
        }
        let mut inner = std::mem::take(&mut self.leaf);
        while let Some(mut range) = self.open.pop_if(|range| range.common > common) {
            range.absorb(inner);
            self.close(&mut range);
            inner = range;
        }
        match self.open.last_mut() {
            _ if common == 0 => self.log.clear(),
            Some(outer) if outer.common == common => outer.absorb(inner),
            _ => self.open.push(OpenRange { common, ..inner }),
        }
    }

    /// Stores the union of a complete range if it is worth it.
    fn close(&mut self, range: &mut OpenRange) {
        let words = self.words - range.start;
        if words <= FEW_WORDS || range.documents <= self.few_documents {
            return;
        }
        let mut union = set_of(&mut self.log[range.log_start..]);
        self.log.truncate(range.log_start);
        for set in range.sets.drain(..) {
            union |= set;
        }
        union.optimize();
        self.unions.push((range.start..self.words, union.clone()));
        range.sets.push(union);
    }
}

impl OpenRange {
    fn absorb(&mut self, inner: Self) {
        self.documents += inner.documents;
        self.sets.extend(inner.sets);
        if self.sets.len() > SETS_CARRIED
            && let Some(mut union) = self.sets.pop()
        {
            for set in self.sets.drain(..) {
                union |= set;
            }
            self.sets.push(union);
        }
    }
}

/// Returns the length of the whole characters that both words start with.
fn common_characters(left: &[u8], right: &[u8]) -> usize {
    let mut common = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    while common > 0 && right.get(common).is_some_and(|byte| byte & 0xc0 == 0x80) {
        common -= 1;
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_whole() {
        assert_eq!(common_characters(b"abc", b"abd"), 2);
        assert_eq!(common_characters(b"ab", b"abd"), 2);
        assert_eq!(common_characters("aé".as_bytes(), "aè".as_bytes()), 1);
        assert_eq!(common_characters("éa".as_bytes(), "éb".as_bytes()), 2);
        assert_eq!(common_characters(b"", b"x"), 0);
    }
}
