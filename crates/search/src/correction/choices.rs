//! The alternatives for each word of a query: the word itself, a few similar ones, its two halves,
//! or one word for it and the next. Each is weighted by the documents that contain it and, exactly
//! or with typos, the other words.

use std::collections::BTreeMap;
use std::rc::Rc;

use roaring::RoaringBitmap;

use super::slots::Slot;
use super::{CLEARLY_MORE, TYPO_COST};
use crate::context::Context;
use crate::error::SearchError;
use crate::node_key::Breadth;
use crate::node_key::{ALL_LEVELS, TermId};
use crate::term::{Term, Tolerance};

/// Maximum number of replacements of a word that are combined with those of other words.
const MOST_CHOICES: usize = 5;
/// Dictionary words considered for each word of the query.
const MOST_VARIANTS: usize = 128;

/// One way to read a word of the query, or it and the next one.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// `None` if the word is left unchanged.
    pub words: Option<Vec<String>>,
    /// Number of words of the query that it replaces.
    pub span: usize,
    pub typos: u8,
    /// `None` if it restricts nothing: no document contains the word or a similar one.
    pub documents: Option<RoaringBitmap>,
}

pub(super) struct Chooser<'c, 's> {
    pub context: &'c Context<'s>,
    /// Like `context`, without attributes that are not displayed.
    pub shown: &'c Context<'s>,
    pub universe: &'c RoaringBitmap,
}

/// A word of the query with its possible matches.
struct QueryWord {
    /// With typos.
    tolerant: Term,
    /// Documents that contain it as typed, and those that contain it or a similar word.
    own: Rc<RoaringBitmap>,
    any: Rc<RoaringBitmap>,
}

impl Chooser<'_, '_> {
    /// Returns the choices for each word; `None` if time ran out or no word has an alternative.
    pub fn choices(&self, slots: &[Slot]) -> Result<Option<Vec<Vec<Choice>>>, SearchError> {
        let reads: Vec<QueryWord> = slots
            .iter()
            .zip(0..)
            .map(|(slot, number)| self.read(slot, number))
            .collect::<Result<_, _>>()?;
        let mut all = Vec::with_capacity(slots.len());
        for place in 0..slots.len() {
            if self.context.is_late() {
                return Ok(None);
            }
            let read = &reads[place];
            let others = self.others(&reads, place..place + 1);
            let mut choices = self.replacements(read, &others)?;
            if slots.get(place + 1).is_some_and(|next| next.is_next) {
                let others = self.others(&reads, place..place + 2);
                let pair = [&slots[place], &slots[place + 1]];
                let own = &*read.own & &*reads[place + 1].own & &others;
                choices.extend(self.joined(pair, own.len(), &others)?);
            }
            let own = &*read.own & self.universe;
            let is_unmatched = own.is_empty() && choices.is_empty() && read.any.is_empty();
            choices.push(Choice {
                words: None,
                span: 1,
                typos: 0,
                documents: (!is_unmatched).then_some(own),
            });
            all.push(choices);
        }
        let has_other = all.iter().any(|choices| choices.len() > 1);
        Ok(has_other.then_some(all))
    }

    fn read(&self, slot: &Slot, number: TermId) -> Result<QueryWord, SearchError> {
        let term = |id: TermId, is_prefix: bool, tolerance: Tolerance| {
            Term::word(self.context, id, slot.word.clone(), is_prefix, Vec::new(), tolerance)
        };
        // Sets of terms are cached by id, and each word has up to three terms.
        let id = 3 * number;
        let own = term(id, slot.is_open, Tolerance::Never)?;
        let own = self.context.term_documents(&own, 1, Breadth::Full)?;
        let mut tolerant = term(id + 1, false, Tolerance::Always)?;
        let has_variants = tolerant.split.is_some()
            || tolerant.words.iter().any(|levels| !levels[1].ordinals.is_empty())
            || tolerant.words.iter().any(|levels| !levels[2].ordinals.is_empty());
        if slot.is_open && !has_variants {
            tolerant = term(id + 2, true, Tolerance::Always)?;
        }
        let like_it = self.context.term_documents(&tolerant, ALL_LEVELS, Breadth::Full)?;
        let any = Rc::new(&*own | &*like_it);
        Ok(QueryWord { tolerant, own, any })
    }

    /// Returns the documents that contain all words except some, exactly or with typos; all
    /// documents if there are none, as the other words then say nothing.
    fn others(&self, reads: &[QueryWord], but: std::ops::Range<usize>) -> RoaringBitmap {
        let mut documents = self.universe.clone();
        for (place, read) in reads.iter().enumerate() {
            if !but.contains(&place) && !read.any.is_empty() {
                documents &= &*read.any;
            }
        }
        if documents.is_empty() { self.universe.clone() } else { documents }
    }

    /// Returns the best replacements of a word: those that occur with the other words in clearly
    /// more documents than the word itself.
    fn replacements(
        &self,
        read: &QueryWord,
        others: &RoaringBitmap,
    ) -> Result<Vec<Choice>, SearchError> {
        let own = read.own.intersection_len(others);
        let mut weighed: Vec<(f64, Choice)> = Vec::new();
        let mut weigh = |words: Vec<String>, typos: u8, documents: &RoaringBitmap| {
            let evidence = documents.intersection_len(others);
            if evidence > 0 && evidence >= own.saturating_mul(CLEARLY_MORE) {
                let documents = documents & self.universe;
                let choice =
                    Choice { words: Some(words), span: 1, typos, documents: Some(documents) };
                weighed.push((evidence as f64 / TYPO_COST.powi(typos.into()), choice));
            }
        };
        for (word, typos) in self.variants(&read.tolerant)? {
            if self.context.is_late() {
                return Ok(Vec::new());
            }
            let documents = self.shown.word_documents(&word)?;
            weigh(vec![word], typos, &documents);
        }
        if let Some(split) = &read.tolerant.split {
            let documents = self.shown.phrase_documents(split)?;
            weigh(split.iter().flatten().cloned().collect(), 1, &documents);
        }
        weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
        weighed.truncate(MOST_CHOICES);
        Ok(weighed.into_iter().map(|(_, choice)| choice).collect())
    }

    /// Returns the words within the typos of a term, the most frequent first.
    fn variants(&self, term: &Term) -> Result<Vec<(String, u8)>, SearchError> {
        let mut found: BTreeMap<Vec<u8>, (u8, u64)> = BTreeMap::new();
        for (view, levels) in self.context.segments.iter().zip(&term.words) {
            for (typos, set) in (1_u8..).zip(&levels[1..]) {
                for &ordinal in &set.ordinals {
                    let Some(word) = view.text.word(ordinal) else { continue };
                    let count = u64::from(view.text.document_count(ordinal)?);
                    let known = found.entry(word).or_insert((typos, 0));
                    known.0 = known.0.min(typos);
                    known.1 += count;
                }
            }
        }
        let mut words: Vec<(String, u8, u64)> = found
            .into_iter()
            .filter_map(|(word, (typos, count))| {
                Some((String::from_utf8(word).ok()?, typos, count))
            })
            .filter(|(word, ..)| *word != term.word)
            .collect();
        let weight =
            |&(_, typos, count): &(String, u8, u64)| count as f64 / TYPO_COST.powi(typos.into());
        words.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
        words.truncate(MOST_VARIANTS);
        Ok(words.into_iter().map(|(word, typos, _)| (word, typos)).collect())
    }

    /// Joins two words.
    fn joined(
        &self,
        pair: [&Slot; 2],
        own: u64,
        others: &RoaringBitmap,
    ) -> Result<Option<Choice>, SearchError> {
        let word = pair.map(|slot| slot.word.as_str()).concat();
        let documents = &*self.shown.word_documents(&word)? & self.universe;
        let evidence = documents.intersection_len(others);
        let is_better = evidence > 0 && evidence >= own.saturating_mul(CLEARLY_MORE);
        let documents = Some(documents);
        Ok(is_better.then_some(Choice { words: Some(vec![word]), span: 2, typos: 1, documents }))
    }
}
