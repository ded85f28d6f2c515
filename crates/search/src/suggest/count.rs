//! Counts the documents of a phrase. If all documents were read, the count is known. After a
//! sample, single words are counted by their lists, and phrases by reading the documents that
//! contain all of their words, as long as these are not too many in total; other counts are
//! estimated.

use roaring::RoaringBitmap;
use segment::text::{FIRST_WORD, TokenRow};

use super::Phrase;
use super::document_sets::DocumentSets;
use super::sample::{Sample, row_of};
use crate::context::{Context, SegmentView};
use crate::error::SearchError;

/// Maximum number of documents read for all phrases together.
const MOST_READ: u64 = 8192;
/// Further phrases are estimated from the sample.
const MOST_COUNTED: usize = 24;
/// Reading this many documents takes less time than decoding the list of a frequent word.
const FEW_CANDIDATES: u64 = 64;

/// Returns the phrases with their counts, the most frequent first.
pub(super) fn counted(
    context: &Context<'_>,
    phrases: Vec<Phrase>,
    sample: &Sample,
    universe: Option<&RoaringBitmap>,
) -> Result<Vec<(Phrase, u64)>, SearchError> {
    let sets = context.segments.iter().map(|view| DocumentSets::new(view.text)).collect();
    let mut counter = Counter { context, universe, sets, left: MOST_READ };
    let mut counted = Vec::with_capacity(phrases.len());
    for (place, phrase) in phrases.into_iter().enumerate() {
        let exact = match () {
            () if sample.is_complete() => Some(phrase.seen),
            () if place < MOST_COUNTED && !context.is_late() => counter.count(&phrase)?,
            () => None,
        };
        let estimate = || phrase.seen * sample.all / sample.read.max(1);
        let count = exact.unwrap_or_else(estimate).max(phrase.seen);
        counted.push((phrase, count));
    }
    counted.sort_by(|(one, one_count), (other, other_count)| {
        let order = other_count.cmp(one_count);
        let order = order.then_with(|| one.words.len().cmp(&other.words.len()));
        order.then_with(|| one.words.cmp(&other.words))
    });
    Ok(counted)
}

/// Removes phrases whose last word adds nothing: they are in the same documents as the phrase
/// without it, which completes the query too.
pub(super) fn drop_repeated(counted: &mut Vec<(Phrase, u64)>) {
    let is_repeated = |(phrase, count): &(Phrase, u64)| {
        phrase.further() > 1
            && counted.iter().any(|(shorter, of_shorter)| {
                shorter.further() == 1
                    && of_shorter == count
                    && phrase.words.starts_with(&shorter.words)
            })
    };
    let repeated: Vec<bool> = counted.iter().map(is_repeated).collect();
    let mut repeated = repeated.into_iter();
    counted.retain(|_| !repeated.next().unwrap_or_default());
}

struct Counter<'c, 's> {
    context: &'c Context<'s>,
    universe: Option<&'c RoaringBitmap>,
    /// The document sets of each segment.
    sets: Vec<DocumentSets<'c>>,
    /// Number of documents that may still be read.
    left: u64,
}

impl Counter<'_, '_> {
    /// Returns `None` if counting would take too long.
    fn count(&mut self, phrase: &Phrase) -> Result<Option<u64>, SearchError> {
        self.context.check_cancelled()?;
        if let [Some(word)] = phrase.words.as_slice() {
            return self.count_word(word).map(Some);
        }
        let mut count = 0;
        for (segment, view) in self.context.segments.iter().enumerate() {
            let Some(row) = row_of(view, &phrase.words) else { continue };
            match self.count_row(segment, row)? {
                Some(found) => count += found,
                None => return Ok(None),
            }
        }
        Ok(Some(count))
    }

    fn count_word(&self, word: &str) -> Result<u64, SearchError> {
        let is_all = |view: &SegmentView<'_>| !view.is_restricted && view.deleted.is_empty();
        if self.universe.is_none() && self.context.segments.iter().all(is_all) {
            return self.context.document_count(word);
        }
        let documents = self.context.word_documents(word)?;
        Ok(match self.universe {
            Some(universe) => documents.intersection_len(universe),
            None => documents.len(),
        })
    }

    fn count_row(&mut self, segment: usize, row: Vec<u32>) -> Result<Option<u64>, SearchError> {
        let view = &self.context.segments[segment];
        let (candidates, is_exact) = self.candidates(segment, &row)?;
        let candidates = candidates - view.deleted;
        if is_exact {
            return Ok(Some(candidates.len()));
        }
        let Some(left) = self.left.checked_sub(candidates.len()) else {
            return Ok(None);
        };
        self.left = left;
        let row = TokenRow::new(row);
        let mut cursor = view.text.tokens();
        let mut count = 0;
        for doc_id in candidates {
            let Some(tokens) = cursor.seek(doc_id)? else { continue };
            let mut fields = tokens.fields().filter(|field| view.role(field.field()).is_searched);
            count += u64::from(fields.any(|field| row.is_in_field(field)));
        }
        Ok(Some(count))
    }

    /// Returns a superset of the documents of a segment with a row of tokens, and whether it is
    /// exact.
    fn candidates(
        &mut self,
        segment: usize,
        row: &[u32],
    ) -> Result<(RoaringBitmap, bool), SearchError> {
        let (view, sets) = (&self.context.segments[segment], &mut self.sets[segment]);
        let mut found = self.universe.map(|universe| universe & view.text.doc_ids());
        // Lists of pairs are shorter than those of their words.
        let mut covered = Vec::with_capacity(row.len());
        for pair in row.windows(2).filter(|pair| pair.iter().all(|token| *token >= FIRST_WORD)) {
            let [left, right] = [pair[0] - FIRST_WORD, pair[1] - FIRST_WORD];
            if let Some(documents) = sets.of_frequent_pair(left, right)? {
                narrow(&mut found, documents);
                covered.extend([left, right]);
            }
        }
        if row.len() == 2 && !covered.is_empty() && !view.is_restricted {
            return Ok((found.unwrap_or_default(), true));
        }
        let mut by_rarity = Vec::with_capacity(row.len());
        for ordinal in row.iter().filter_map(|token| token.checked_sub(FIRST_WORD)) {
            if !covered.contains(&ordinal) {
                by_rarity.push((view.text.document_count(ordinal)?, ordinal));
            }
        }
        by_rarity.sort_unstable();
        by_rarity.dedup();
        for (_, ordinal) in by_rarity {
            if found.as_ref().is_some_and(|found| found.len() <= FEW_CANDIDATES) {
                break;
            }
            narrow(&mut found, sets.of_word(ordinal)?);
        }
        Ok((found.unwrap_or_default(), false))
    }
}

/// Intersects the documents found so far with a set.
fn narrow(found: &mut Option<RoaringBitmap>, documents: &RoaringBitmap) {
    match found {
        Some(found) => *found &= documents,
        None => *found = Some(documents.clone()),
    }
}
