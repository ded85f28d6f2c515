//! Reads the documents that may continue the query: all if there are few, an even sample if there
//! are many.

use roaring::RoaringBitmap;
use segment::DocId;

use super::tally::Tally;
use super::typed::{Pattern, Slot, TypedQuery};
use super::{Phrase, Words};
use crate::cache;
use crate::context::{Context, SegmentView};
use crate::error::SearchError;

/// Up to this many documents, all are read.
const FEW_DOCUMENTS: u64 = 4096;
/// The sample size for more documents.
const SAMPLED: u64 = 1024;
/// If fewer documents of the sample have the phrase, a larger sample is read.
const FEW_MATCHES: u64 = 64;
const DOCUMENTS_BETWEEN_CHECKS: u64 = 256;

/// The documents that were read.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// Tallies by segment.
    tallies: Vec<Tally>,
    /// Number of documents that were read, and of those that they represent.
    pub read: u64,
    pub all: u64,
}

impl Sample {
    /// Reads documents of a set, or of all.
    pub fn take(
        context: &Context<'_>,
        patterns: &[Pattern],
        universe: Option<&RoaringBitmap>,
    ) -> Result<Self, SearchError> {
        let mut candidates = Vec::with_capacity(patterns.len());
        for (view, pattern) in context.segments.iter().zip(patterns) {
            context.check_cancelled()?;
            candidates.push(candidates_in(view, pattern, universe)?);
        }
        let all = candidates.iter().map(RoaringBitmap::len).sum();
        let mut wanted = if all <= FEW_DOCUMENTS { all } else { SAMPLED };
        loop {
            let sample = Self::read(context, patterns, &candidates, (wanted, all))?;
            let matches: u64 = sample.tallies.iter().map(Tally::documents).sum();
            if wanted >= FEW_DOCUMENTS.min(all) || matches >= FEW_MATCHES {
                return Ok(sample);
            }
            wanted = FEW_DOCUMENTS;
        }
    }

    fn read(
        context: &Context<'_>,
        patterns: &[Pattern],
        candidates: &[RoaringBitmap],
        (wanted, all): (u64, u64),
    ) -> Result<Self, SearchError> {
        let mut sample = Self { tallies: Vec::with_capacity(patterns.len()), read: 0, all };
        let segments = context.segments.iter().zip(patterns).zip(candidates);
        for ((view, pattern), candidates) in segments {
            let mut tally = Tally::default();
            let share = (candidates.len() * wanted).div_ceil(all.max(1));
            let mut cursor = view.text.tokens();
            for doc_id in evenly(candidates, share) {
                sample.read += 1;
                if sample.read.is_multiple_of(DOCUMENTS_BETWEEN_CHECKS) {
                    context.check_cancelled()?;
                }
                if let Some(tokens) = cursor.seek(doc_id)? {
                    let is_read = |field: u16| view.role(field).is_searched;
                    tally.add(doc_id, tokens, pattern, is_read);
                }
            }
            sample.tallies.push(tally);
        }
        Ok(sample)
    }

    pub fn is_empty(&self) -> bool {
        self.tallies.iter().all(|tally| tally.documents() == 0)
    }

    /// Returns whether every document was read.
    pub fn is_complete(&self) -> bool {
        self.read == self.all
    }

    /// Returns the most frequent phrases; more than requested, because not all are shown in the
    /// end.
    pub fn most_frequent(
        &self,
        context: &Context<'_>,
        typed: &TypedQuery,
        limit: usize,
    ) -> Vec<Phrase> {
        let most = limit.saturating_mul(4).saturating_add(32);
        let mut rows: Vec<Words> = Vec::new();
        for (view, tally) in context.segments.iter().zip(&self.tallies) {
            for row in tally.most_frequent(most) {
                rows.extend(words_of(view, row));
            }
        }
        rows.sort_unstable();
        rows.dedup();
        if !typed.is_open {
            // Already included.
            rows.retain(|row| row.len() > typed.words.len());
        }
        let mut phrases: Vec<Phrase> =
            rows.into_iter().map(|words| self.phrase(context, words, typed.words.len())).collect();
        phrases.sort_by(|one, other| {
            let order = other.seen.cmp(&one.seen);
            order.then_with(|| one.words.len().cmp(&other.words.len()))
        });
        phrases.truncate(most);
        phrases
    }

    /// Sums up the tallies of a phrase over all segments.
    fn phrase(&self, context: &Context<'_>, words: Words, typed: usize) -> Phrase {
        let (mut seen, mut examples) = (0, Vec::new());
        for (view, tally) in context.segments.iter().zip(&self.tallies) {
            if let Some(found) = row_of(view, &words).and_then(|row| tally.get(&row)) {
                seen += u64::from(found.documents);
                examples.extend(found.examples());
            }
        }
        Phrase { words, typed, seen, examples }
    }
}

/// Returns a superset of the documents with all words of a pattern.
fn candidates_in(
    view: &SegmentView<'_>,
    pattern: &Pattern,
    universe: Option<&RoaringBitmap>,
) -> Result<RoaringBitmap, SearchError> {
    if pattern.is_empty() {
        return Ok(RoaringBitmap::new());
    }
    let mut found = universe.map(|universe| universe & view.text.doc_ids());
    // Single words before ranges: their lists are shorter.
    let mut slots: Vec<(&Vec<u32>, _)> = pattern
        .iter()
        .filter_map(|slot| match slot {
            Slot::StopWord => None,
            Slot::Words { ordinals, prefixed } => Some((ordinals, prefixed)),
        })
        .collect();
    slots.sort_by_key(|(ordinals, prefixed)| (prefixed.len(), ordinals.len()));
    for (ordinals, prefixed) in slots {
        // Reading few documents is faster than reading another list.
        if found.as_ref().is_some_and(|found| found.len() <= FEW_DOCUMENTS) {
            break;
        }
        let others = ordinals.iter().copied().filter(|ordinal| !prefixed.contains(ordinal));
        let mut documents = view.text.documents_of_words(others)?;
        if !prefixed.is_empty() {
            documents |= cache::SETS.documents_of_range(view.text, prefixed.clone())?;
        }
        found = Some(match found {
            Some(found) => found & documents,
            None => documents,
        });
    }
    let mut found = found.unwrap_or_default();
    if !view.deleted.is_empty() {
        found -= view.deleted;
    }
    Ok(found)
}

/// Returns about `wanted` documents of a set, in ascending order, one of each stretch of equal
/// length. Its place in the stretch varies, so that periodic documents are all covered.
fn evenly(documents: &RoaringBitmap, wanted: u64) -> impl Iterator<Item = DocId> {
    let all = documents.len();
    let is_all = wanted >= all;
    let every = documents.iter().take(if is_all { usize::MAX } else { 0 });
    let strides = if is_all { 0 } else { wanted };
    let chosen = (0..strides).filter_map(move |stride| {
        let (start, end) = (stride * all / wanted, (stride + 1) * all / wanted);
        let offset = stride.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        documents.select((start + offset % (end - start).max(1)) as u32)
    });
    every.chain(chosen)
}

/// Returns the words of a row of tokens.
fn words_of(view: &SegmentView<'_>, row: &[u32]) -> Option<Words> {
    let word = |&token: &u32| match token.checked_sub(segment::text::FIRST_WORD) {
        None => Some(None),
        Some(ordinal) => String::from_utf8(view.text.word(ordinal)?).ok().map(Some),
    };
    row.iter().map(word).collect()
}

/// Returns the tokens of words; `None` if the segment lacks one of them.
pub(super) fn row_of(view: &SegmentView<'_>, words: &Words) -> Option<Vec<u32>> {
    let token = |word: &Option<String>| match word {
        None => Some(segment::text::SKIP),
        Some(word) => Some(view.text.ordinal(word.as_bytes())? + segment::text::FIRST_WORD),
    };
    words.iter().map(token).collect()
}
