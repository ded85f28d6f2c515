//! Counts the documents of a phrase. If all documents were read, the count is known. After a
//! sample, single words are counted by their lists, and phrases by reading the documents that
//! contain all of their words, as long as these are not too many in total; other counts are
//! estimated.

use roaring::RoaringBitmap;
use segment::text::TokenRow;

use super::Phrase;
use super::sample::{Sample, row_of};
use crate::context::{Context, SegmentView};
use crate::error::SearchError;

/// Maximum number of documents read for all phrases together.
const MOST_READ: u64 = 8192;
/// Further phrases are estimated from the sample.
const MOST_COUNTED: usize = 24;

/// Returns the phrases with their counts, the most frequent first.
pub(super) fn counted(
    context: &Context<'_>,
    phrases: Vec<Phrase>,
    sample: &Sample,
    universe: Option<&RoaringBitmap>,
) -> Result<Vec<(Phrase, u64)>, SearchError> {
    let mut counter = Counter { context, universe, left: MOST_READ };
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
        for view in &self.context.segments {
            let Some(row) = row_of(view, &phrase.words) else { continue };
            match self.count_row(view, row)? {
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

    fn count_row(
        &mut self,
        view: &SegmentView<'_>,
        row: Vec<u32>,
    ) -> Result<Option<u64>, SearchError> {
        let ordinals = row.iter().filter_map(|token| token.checked_sub(segment::text::FIRST_WORD));
        let mut by_rarity = Vec::with_capacity(row.len());
        for ordinal in ordinals {
            by_rarity.push((view.text.document_count(ordinal)?, ordinal));
        }
        by_rarity.sort_unstable();
        by_rarity.dedup();
        let mut candidates: Option<RoaringBitmap> =
            self.universe.map(|universe| universe & view.text.doc_ids());
        for (_, ordinal) in by_rarity {
            let documents = view.text.documents_of(ordinal)?;
            candidates = Some(match candidates {
                Some(candidates) => candidates & documents,
                None => documents,
            });
        }
        let mut candidates = candidates.unwrap_or_default();
        let is_word = |token: u32| token >= segment::text::FIRST_WORD;
        for pair in row.windows(2).filter(|pair| is_word(pair[0]) && is_word(pair[1])) {
            let [left, right] = [pair[0], pair[1]].map(|token| token - segment::text::FIRST_WORD);
            if let Some(documents) = view.text.documents_of_frequent_pair(left, right)? {
                candidates &= documents;
                if row.len() == 2 && !view.is_restricted {
                    return Ok(Some((candidates - view.deleted).len()));
                }
            }
        }
        candidates -= view.deleted;
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
}
