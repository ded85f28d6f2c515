//! Document sets of words, terms and phrases over all segments, without deleted documents.

use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::{FIRST_WORD, TokenCursor};
use settings::Precision;

use crate::cache;
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::node_key::Breadth;
use crate::node_key::Levels;
use crate::parse::Phrase;
use crate::phrase::{PhrasePattern, occurs};
use crate::scan::FieldScope;
use crate::term::Term;
use crate::word_set::WordSet;

type Documents = Rc<RoaringBitmap>;

/// Below this many documents, reading the documents is faster than reading the lists of many words.
const FEW_DOCUMENTS: u64 = 256;
/// Lists of more words than this take long to read where only some attributes count.
const MANY_WORDS: usize = 256;

impl Context<'_> {
    /// Returns how many documents contain a word, including deleted ones.
    pub fn document_count(&self, word: &str) -> Result<u64, SearchError> {
        let mut count = 0;
        for view in &self.segments {
            if let Some(ordinal) = view.text.ordinal(word.as_bytes()) {
                count += u64::from(view.text.document_count(ordinal)?);
            }
        }
        Ok(count)
    }

    /// Returns the document counts of all beginnings of a word, by length in bytes.
    pub fn document_counts_of_beginnings(&self, word: &str) -> Result<Vec<u64>, SearchError> {
        let mut counts = vec![0; word.len() + 1];
        for view in &self.segments {
            for (length, ordinal) in view.text.beginnings(word.as_bytes()) {
                counts[length] += u64::from(view.text.document_count(ordinal)?);
            }
        }
        Ok(counts)
    }

    /// Returns whether more than `many` documents contain a phrase, without searching all of them.
    pub fn phrase_is_in_more_than(&self, phrase: &Phrase, many: u64) -> Result<bool, SearchError> {
        let mut found = 0;
        for view in &self.segments {
            let Some(pattern) = PhrasePattern::new(view.text, phrase) else {
                continue;
            };
            if let Some(documents) = self.pair_documents(view, &pattern)? {
                found += documents.len() - documents.intersection_len(view.deleted);
                continue;
            }
            let mut cursor = view.text.tokens();
            for doc_id in &self.phrase_candidates(view, &pattern)? {
                if found > many {
                    return Ok(true);
                }
                found += u64::from(self.has_phrase(view, &pattern, &mut cursor, doc_id)?);
            }
        }
        Ok(found > many)
    }

    /// Returns the documents that contain exactly this word in a searched field: a phrase of one
    /// word.
    pub fn word_documents(&self, word: &str) -> Result<Documents, SearchError> {
        self.phrase_documents(&vec![Some(word.to_owned())])
    }

    /// Returns the documents that contain a term exactly as typed.
    pub fn exact_documents(&self, term: &Term) -> Result<Documents, SearchError> {
        if term.is_joined() {
            return Ok(Documents::default());
        }
        self.term_documents(term, 1, Breadth::Exact)
    }

    /// Returns the documents that match a term at some of its typo levels.
    pub fn term_documents(
        &self,
        term: &Term,
        levels: Levels,
        breadth: Breadth,
    ) -> Result<Documents, SearchError> {
        let key = (term.id, levels, breadth);
        if let Some(known) = self.documents.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let documents = Rc::new(self.find_term_documents(term, levels, breadth)?);
        self.documents.borrow_mut().insert(key, Rc::clone(&documents));
        Ok(documents)
    }

    /// Returns the documents of a set that match a term at some of its typo levels. Few documents
    /// are read themselves if the lists of the term's words take longer to read.
    pub fn term_documents_among(
        &self,
        term: &Term,
        levels: Levels,
        breadth: Breadth,
        universe: &RoaringBitmap,
    ) -> Result<RoaringBitmap, SearchError> {
        let is_known = self.documents.borrow().contains_key(&(term.id, levels, breadth));
        let is_full = breadth == Breadth::Full;
        if is_known || !is_full || universe.len() > FEW_DOCUMENTS || !self.is_long(term, levels) {
            return Ok(universe & &*self.term_documents(term, levels, breadth)?);
        }
        let mut found = RoaringBitmap::new();
        for phrase in term.phrases(levels) {
            found |= universe & &*self.phrase_documents(phrase)?;
        }
        for (segment, view) in self.segments.iter().enumerate() {
            let here = (universe & view.text.doc_ids()) - view.deleted;
            for (words, scope) in term.word_sets(segment, levels, breadth) {
                found |= match is_long(view, words) {
                    true => self.keep_by_field(view, words, scope, &here)?,
                    false => &here & self.documents_in(view, words, scope)?,
                };
            }
        }
        Ok(found)
    }

    /// Returns the documents that match a term without typos. They are not cached by term id.
    pub fn spelled_documents(&self, term: &Term) -> Result<RoaringBitmap, SearchError> {
        self.find_term_documents(term, 1, Breadth::Full)
    }

    /// Returns the number of documents that match a term, if it was computed.
    pub fn known_document_count(
        &self,
        term: &Term,
        levels: Levels,
        breadth: Breadth,
    ) -> Option<u64> {
        self.documents.borrow().get(&(term.id, levels, breadth)).map(|known| known.len())
    }

    /// Returns whether finding the documents of a term takes long.
    fn is_long(&self, term: &Term, levels: Levels) -> bool {
        self.segments.iter().enumerate().any(|(segment, view)| {
            let mut sets = term.word_sets(segment, levels, Breadth::Full);
            sets.any(|(words, _)| is_long(view, words))
        })
    }

    fn find_term_documents(
        &self,
        term: &Term,
        levels: Levels,
        breadth: Breadth,
    ) -> Result<RoaringBitmap, SearchError> {
        self.check_cancelled()?;
        if let Some(phrase) = &term.phrase {
            return Ok((*self.phrase_documents(phrase)?).clone());
        }
        let mut documents = RoaringBitmap::new();
        if breadth != Breadth::Full {
            if levels & 1 != 0 {
                documents |= &*self.word_documents(&term.word)?;
            }
            let with_stems = breadth == Breadth::Stem && levels & 1 != 0;
            let stems = term.stems.iter().filter(|_| with_stems);
            for (view, words) in self.segments.iter().zip(stems) {
                documents |= self.documents_in(view, words, FieldScope::Stemmed)?;
            }
            return Ok(documents);
        }
        if !levels.is_power_of_two() {
            // Rules request all levels first and each one later.
            for level in 0..3 {
                if levels & (1 << level) != 0 {
                    documents |= &*self.term_documents(term, 1 << level, breadth)?;
                }
            }
            return Ok(documents);
        }
        for (segment, view) in self.segments.iter().enumerate() {
            for (words, scope) in term.word_sets(segment, levels, breadth) {
                documents |= self.documents_in(view, words, scope)?;
            }
        }
        for phrase in term.phrases(levels) {
            documents |= &*self.phrase_documents(phrase)?;
        }
        Ok(documents)
    }

    /// Returns the documents of one segment with one of these words in a field in which they count.
    fn documents_in(
        &self,
        view: &SegmentView<'_>,
        words: &WordSet,
        scope: FieldScope,
    ) -> Result<RoaringBitmap, SearchError> {
        let is_unlimited =
            !view.is_restricted && (scope == FieldScope::Everywhere || !view.has_strict_fields);
        if !is_unlimited && view.text.has_occurrences() {
            return self.documents_by_field(view, words, scope);
        }
        let mut documents = view.text.documents_of_words(words.others())?;
        if let Some(range) = &words.prefixed {
            documents |= cache::SETS.documents_of_range(view.text, range.clone())?;
        }
        if !view.deleted.is_empty() {
            documents -= view.deleted;
        }
        if documents.is_empty() || is_unlimited {
            return Ok(documents);
        }
        self.keep_by_field(view, words, scope, &documents)
    }

    /// Returns the documents of one segment that contain one of the words in a field that counts,
    /// by the posting lists.
    fn documents_by_field(
        &self,
        view: &SegmentView<'_>,
        words: &WordSet,
        scope: FieldScope,
    ) -> Result<RoaringBitmap, SearchError> {
        let counts = |field: u16| scope.counts_in(view.role(field));
        let mut found = view.text.documents_in_fields(words.others(), counts)?;
        if let Some(range) = &words.prefixed {
            found |= cache::SETS.documents_of_range_in_fields(view.text, range.clone(), counts)?;
        }
        if !view.deleted.is_empty() {
            found -= view.deleted;
        }
        Ok(found)
    }

    fn keep_by_field(
        &self,
        view: &SegmentView<'_>,
        words: &WordSet,
        scope: FieldScope,
        documents: &RoaringBitmap,
    ) -> Result<RoaringBitmap, SearchError> {
        let is_one = |token: u32| {
            token >= FIRST_WORD && {
                let ordinal = token - FIRST_WORD;
                words.prefixed.as_ref().is_some_and(|range| range.contains(&ordinal))
                    || words.ordinals.contains(&ordinal)
            }
        };
        let mut cursor = view.text.tokens();
        let mut kept = RoaringBitmap::new();
        for doc_id in documents {
            let Some(tokens) = cursor.seek(doc_id)? else {
                continue;
            };
            let holds = tokens
                .fields()
                .any(|field| scope.counts_in(view.role(field.field())) && field.iter().any(is_one));
            if holds {
                kept.insert(doc_id);
            }
        }
        Ok(kept)
    }

    /// Returns the documents that contain a phrase in one searched field.
    pub fn phrase_documents(&self, phrase: &Phrase) -> Result<Documents, SearchError> {
        if let Some(known) = self.phrases.borrow().get(phrase) {
            return Ok(Rc::clone(known));
        }
        let mut documents = RoaringBitmap::new();
        for view in &self.segments {
            documents |= self.phrase_documents_in(view, phrase)?;
        }
        let documents = Rc::new(documents);
        self.phrases.borrow_mut().insert(phrase.clone(), Rc::clone(&documents));
        Ok(documents)
    }

    fn phrase_documents_in(
        &self,
        view: &SegmentView<'_>,
        phrase: &Phrase,
    ) -> Result<RoaringBitmap, SearchError> {
        let Some(pattern) = PhrasePattern::new(view.text, phrase) else {
            return Ok(RoaringBitmap::new());
        };
        if let Some(documents) = self.pair_documents(view, &pattern)? {
            return Ok(documents - view.deleted);
        }
        if let Some(ordinal) = pattern.only_word() {
            let words = WordSet { ordinals: vec![ordinal], prefixed: None };
            return self.documents_in(view, &words, FieldScope::Everywhere);
        }
        let candidates = self.phrase_candidates(view, &pattern)?;
        let mut cursor = view.text.tokens();
        let mut found = RoaringBitmap::new();
        for (count, doc_id) in candidates.iter().enumerate() {
            if count % 256 == 0 {
                self.check_cancelled()?;
            }
            if self.has_phrase(view, &pattern, &mut cursor, doc_id)? {
                found.insert(doc_id);
            }
        }
        Ok(found)
    }

    /// Returns the documents of a phrase of two words, including deleted ones, if the segment can
    /// find them quickly.
    fn pair_documents(
        &self,
        view: &SegmentView<'_>,
        pattern: &PhrasePattern,
    ) -> Result<Option<RoaringBitmap>, SearchError> {
        match pattern.pair() {
            Some((left, right))
                if !view.is_restricted
                    && self.settings.proximity_precision == Precision::ByWord =>
            {
                Ok(Some(cache::SETS.documents_of_pair(view.text, left, right)?))
            }
            _ => Ok(None),
        }
    }

    /// Returns the documents with every word of a phrase, and with its frequent words adjacent.
    fn phrase_candidates(
        &self,
        view: &SegmentView<'_>,
        pattern: &PhrasePattern,
    ) -> Result<RoaringBitmap, SearchError> {
        let mut candidates: Option<RoaringBitmap> = None;
        for ordinal in pattern.ordinals_by_rarity(view.text)? {
            let documents = view.text.documents_of(ordinal)?;
            candidates = Some(match candidates {
                None => documents - view.deleted,
                Some(candidates) => candidates & documents,
            });
            if candidates.as_ref().is_some_and(RoaringBitmap::is_empty) {
                break;
            }
        }
        let mut candidates = candidates.unwrap_or_default();
        if self.settings.proximity_precision == Precision::ByWord {
            for (left, right) in pattern.pairs() {
                if let Some(documents) = view.text.documents_of_frequent_pair(left, right)? {
                    candidates &= documents;
                }
            }
        }
        Ok(candidates)
    }

    fn has_phrase(
        &self,
        view: &SegmentView<'_>,
        pattern: &PhrasePattern,
        cursor: &mut TokenCursor<'_>,
        doc_id: DocId,
    ) -> Result<bool, SearchError> {
        let Some(tokens) = cursor.seek(doc_id)? else {
            return Ok(false);
        };
        Ok(tokens.fields().any(|field| {
            view.role(field.field()).is_searched
                && occurs(field, pattern, self.settings.proximity_precision)
        }))
    }
}

/// Returns whether the lists of very many words have to be read, since no union of them is stored.
fn is_long(view: &SegmentView<'_>, words: &WordSet) -> bool {
    let is_limited = view.is_restricted || view.has_strict_fields;
    is_limited && words.prefixed.as_ref().is_some_and(|range| range.len() > MANY_WORDS)
}

impl Term {
    /// Returns the phrases that match a word at these typo levels.
    pub fn phrases(&self, levels: Levels) -> impl Iterator<Item = &Phrase> {
        let synonyms = if levels & 0b001 != 0 { &self.synonyms[..] } else { &[] };
        let split = if levels & 0b010 != 0 { self.split.as_ref() } else { None };
        let own = self.phrase.as_ref();
        own.into_iter().chain(synonyms).chain(split)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::MANY_WORDS;
    use crate::strategy::Strategy;
    use crate::testing::TestIndex;

    #[test]
    fn prefix_of_many_words_is_looked_for_in_few_documents() {
        let many = 3 * MANY_WORDS as u64;
        let documents: Vec<Value> = (1..=many)
            .map(|id| {
                let word = if id % 50 == 0 { "rare" } else { "usual" };
                match id % 100 {
                    0 => json!({ "id": id, "t": word, "other": format!("c{id}") }),
                    _ => json!({ "id": id, "t": format!("{word} c{id}"), "other": "" }),
                }
            })
            .collect();
        let settings = json!({ "searchableAttributes": ["t", "other"] });
        let index = TestIndex::new(settings, &documents);
        let attributes = ["t".to_owned()];
        let found = |strategy| {
            let answer = index.run(|query| {
                query.text = Some("rare c");
                query.criteria.to_mut().matching_strategy = strategy;
                query.criteria.to_mut().attributes_to_search_on = Some(attributes.to_vec());
            });
            answer.expect("an answer").ids()
        };
        let of = |rest: u64| (1..=many).filter(move |id| id % 100 == rest);
        let with_both: Vec<u64> = of(50).collect();
        assert_eq!(found(Strategy::All), with_both);
        let then_one: Vec<u64> = with_both.into_iter().chain(of(0)).collect();
        assert_eq!(found(Strategy::Last), then_one);
    }
}
