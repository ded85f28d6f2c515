//! A term of the query with everything that matches it: the word itself, words with its stem, words
//! that begin with it, words within its typos, synonyms, and its split in two. A term may also be a
//! phrase, or neighbouring words read as one.

use std::cell::LazyCell;
use std::cmp::Reverse;

use segment::text::LONGEST_WORD;

use crate::cache::{self, VariantKey};
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::node_key::{Breadth, Levels, TermId};
use crate::parse::Phrase;
use crate::scan::FieldScope;
use crate::stems;
use crate::typos::{FuzzyWord, is_number, typo_budget};
use crate::word_set::WordSet;

#[derive(Debug)]
pub(crate) struct Term {
    pub id: TermId,
    /// Empty for a phrase.
    pub word: String,
    pub phrase: Option<Phrase>,
    /// The words that it joins, if any.
    pub parts: Vec<String>,
    pub is_prefix: bool,
    /// Maximum number of typos.
    pub budget: u8,
    /// True if the word itself is in the index; never for joined words.
    pub has_exact: bool,
    /// Words by segment and typo level.
    pub words: Vec<[WordSet; 3]>,
    /// Other words with the same stem, by segment; level 0.
    pub stems: Vec<WordSet>,
    /// Level 0.
    pub synonyms: Vec<Phrase>,
    /// Level 1.
    pub split: Option<Phrase>,
}

/// Decides which words are also matched with typos and split in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tolerance {
    Always,
    /// Only words that the index does not contain as typed.
    IfUnknown,
    Never,
}

impl Term {
    pub fn is_joined(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Returns the fields in which the words of a typo level count.
    fn scope(&self, level: usize) -> FieldScope {
        if level > 0 || self.is_joined() { FieldScope::Tolerant } else { FieldScope::Everywhere }
    }

    /// Returns the words of one segment that match at some typo levels, with the fields in which
    /// they count.
    pub fn word_sets(
        &self,
        segment: usize,
        levels: Levels,
        breadth: Breadth,
    ) -> impl Iterator<Item = (&WordSet, FieldScope)> {
        let of_levels = self.words.get(segment).into_iter().flatten().enumerate();
        let has_stems = levels & 1 != 0 && breadth != Breadth::Exact;
        let stems = self.stems.get(segment).filter(|_| has_stems);
        let of_levels = of_levels.filter(move |(level, _)| levels & (1 << level) != 0);
        of_levels
            .map(move |(level, set)| (set, self.scope(level)))
            .chain(stems.map(|stems| (stems, FieldScope::Stemmed)))
    }

    /// Returns whether the index contains another word with the same stem.
    pub fn has_stems(&self) -> bool {
        self.stems.iter().any(|stems| !stems.ordinals.is_empty())
    }

    /// Returns whether the index has the same words for the stems of both terms.
    pub fn has_same_stem(&self, other: &Self) -> bool {
        let words = |term: &Self| -> Vec<Vec<u32>> {
            let sets = term.words.iter().zip(&term.stems);
            let words = sets.map(|(own, stems)| {
                let mut words = [&own[0].ordinals[..], &stems.ordinals].concat();
                words.sort_unstable();
                words
            });
            words.collect()
        };
        self.has_stems() && other.has_stems() && words(self) == words(other)
    }

    pub fn phrase(id: TermId, phrase: Phrase) -> Self {
        Self {
            id,
            word: String::new(),
            phrase: Some(phrase),
            parts: Vec::new(),
            is_prefix: false,
            budget: 0,
            has_exact: false,
            words: Vec::new(),
            stems: Vec::new(),
            synonyms: Vec::new(),
            split: None,
        }
    }

    pub fn word(
        context: &Context<'_>,
        id: TermId,
        word: String,
        is_prefix: bool,
        parts: Vec<String>,
        tolerance: Tolerance,
    ) -> Result<Self, SearchError> {
        let is_joined = !parts.is_empty();
        let has_exact = !is_joined && !context.word_documents(&word)?.is_empty();
        let stems = if is_joined { Vec::new() } else { stems::of(context, &word) };
        let is_known = has_exact || stems.iter().any(|words| !words.ordinals.is_empty());
        let is_tolerant = match tolerance {
            Tolerance::Always => true,
            Tolerance::IfUnknown => !is_known,
            Tolerance::Never => false,
        };
        let given_away = parts.len().saturating_sub(1) as u8;
        let budget = match is_tolerant {
            true => typo_budget(context, &word).saturating_sub(given_away),
            false => 0,
        };
        let mut term = Self {
            id,
            phrase: None,
            is_prefix,
            budget,
            has_exact,
            words: word_sets(context, &word, is_prefix, budget, is_joined),
            stems,
            synonyms: context.synonyms.of(&word, &parts),
            split: None,
            word,
            parts,
        };
        if is_tolerant && term.word.len() <= LONGEST_WORD {
            term.split = best_split(context, &term)?;
        }
        Ok(term)
    }
}

fn word_sets(
    context: &Context<'_>,
    word: &str,
    is_prefix: bool,
    budget: u8,
    is_joined: bool,
) -> Vec<[WordSet; 3]> {
    let fuzzy = LazyCell::new(|| FuzzyWord::new(word, is_prefix, budget));
    let skip_numbers = context.settings.typo_tolerance.disable_on_numbers;
    // Joined words count as typos: numbers are excluded.
    let without_numbers = is_joined && skip_numbers && is_number(word.as_bytes());
    let sets = |view: &SegmentView<'_>| {
        let mut sets = <[WordSet; 3]>::default();
        let range = if is_prefix { view.text.prefix_range(word.as_bytes()) } else { 0..0 };
        if without_numbers {
            let is_wanted =
                |ordinal: &u32| view.text.word(*ordinal).is_some_and(|word| !is_number(&word));
            sets[0].ordinals = range.filter(is_wanted).collect();
        } else {
            sets[0].ordinals.extend(view.text.ordinal(word.as_bytes()));
            sets[0].prefixed = (!range.is_empty()).then_some(range);
        }
        if budget > 0 {
            let text = view.text.instance_id();
            let key = VariantKey { text, word: word.into(), is_prefix, budget, skip_numbers };
            let find = || fuzzy.variants(view.text.dictionary(), skip_numbers);
            let variants = cache::VARIANTS.get_or_find(key, find);
            sets[1].ordinals.clone_from(&variants.one_typo);
            sets[2].ordinals.clone_from(&variants.two_typos);
        }
        sets
    };
    context.segments.iter().map(sets).collect()
}

/// Returns the split into two words that are adjacent in the most documents; the leftmost of
/// equals. A joined word is not split into the words it was joined from, unless it may have typos.
fn best_split(context: &Context<'_>, term: &Term) -> Result<Option<Phrase>, SearchError> {
    let mut splits: Vec<WordSplit> = Vec::new();
    let left_counts = context.document_counts_of_beginnings(&term.word)?;
    for (place, _) in term.word.char_indices().skip(1) {
        if left_counts[place] == 0 {
            continue;
        }
        let (left, right) = term.word.split_at(place);
        let most = left_counts[place].min(context.document_count(right)?);
        if most > 0 {
            let phrase = vec![Some(left.to_owned()), Some(right.to_owned())];
            splits.push(WordSplit { place, most, phrase });
        }
    }
    // The most promising split comes first, so that others need not be examined.
    splits.sort_by_key(|split| (Reverse(split.most), split.place));
    let is_refused = |split: &WordSplit| {
        let own = term.parts.iter().map(|part| Some(part.as_str()));
        term.budget < 2 && split.phrase.iter().map(Option::as_deref).eq(own)
    };
    if let Some(place) = splits.iter().position(is_refused) {
        let refused = splits.remove(place);
        let most_of_others = splits.iter().map(|split| split.most).max().unwrap_or(0);
        // The others matter only if one of them could be in more documents.
        if most_of_others == 0 || context.phrase_is_in_more_than(&refused.phrase, most_of_others)? {
            return Ok(None);
        }
        splits.insert(place, refused);
    }
    let mut best: Option<(u64, &WordSplit)> = None;
    for split in &splits {
        if best.is_some_and(|(documents, best)| (split.most, best.place) < (documents, split.place))
        {
            continue;
        }
        let documents = context.phrase_documents(&split.phrase)?.len();
        let is_better = match best {
            None => documents > 0,
            Some((most, best)) => documents > most || documents == most && split.place < best.place,
        };
        if is_better {
            best = Some((documents, split));
        }
    }
    let best = best.map(|(_, split)| split).filter(|split| !is_refused(split));
    Ok(best.map(|split| split.phrase.clone()))
}

/// A way to split a word in two.
struct WordSplit {
    place: usize,
    /// Upper bound of the documents with both words.
    most: u64,
    phrase: Phrase,
}
