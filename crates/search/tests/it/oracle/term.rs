//! The words and phrases of the index that match a term of the query, by number of typos.

use super::distance::edit_distance;
use super::fields::{FieldScope, SearchedFields};
use super::index::{ModelIndex, WordId};
use super::phrase::Phrase;

#[derive(Debug)]
pub struct Term {
    pub kind: TermKind,
    /// Typos that its length allows.
    pub budget: u8,
    /// The word itself, if a document has it and it is a word of the query.
    pub exact: Option<WordId>,
    /// Words by typo level.
    pub words: [Vec<(WordId, FieldScope)>; 3],
    /// Synonyms; the phrase itself.
    pub phrases: Vec<Phrase>,
    pub split: Option<Phrase>,
}

#[derive(Debug)]
pub enum TermKind {
    Word {
        word: String,
        is_prefix: bool,
    },
    /// Neighbouring words of the query, tried as one word.
    Joined,
    Phrase(Phrase),
}

/// A word as the query has it, or several as one.
struct Sought<'q> {
    word: &'q str,
    /// The words that it was joined from.
    parts: Option<&'q [String]>,
    is_prefix: bool,
    budget: u8,
}

impl Term {
    pub fn phrase(phrase: Phrase) -> Self {
        Self {
            budget: 0,
            exact: None,
            words: Default::default(),
            phrases: vec![phrase.clone()],
            split: None,
            kind: TermKind::Phrase(phrase),
        }
    }

    pub fn word(index: &ModelIndex, view: &SearchedFields, word: &str, is_prefix: bool) -> Self {
        let budget = index.settings.typo_budget(word);
        let kind = TermKind::Word { word: word.to_owned(), is_prefix };
        Self::derive(index, view, kind, &Sought { word, parts: None, is_prefix, budget })
    }

    pub fn joined(
        index: &ModelIndex,
        view: &SearchedFields,
        parts: &[String],
        is_prefix: bool,
    ) -> Self {
        let word = parts.concat();
        let budget = index.settings.typo_budget(&word).saturating_sub(parts.len() as u8 - 1);
        let sought = Sought { word: &word, parts: Some(parts), is_prefix, budget };
        Self::derive(index, view, TermKind::Joined, &sought)
    }

    fn derive(
        index: &ModelIndex,
        view: &SearchedFields,
        kind: TermKind,
        sought: &Sought<'_>,
    ) -> Self {
        let itself = index.word_id(sought.word).filter(|word| view.has(*word));
        Self {
            kind,
            budget: sought.budget,
            exact: itself.filter(|_| sought.parts.is_none()),
            words: sought.words(index, view),
            phrases: sought.synonyms(index),
            split: sought.split(index, view),
        }
    }

    pub fn as_phrase(&self) -> Option<&Phrase> {
        match &self.kind {
            TermKind::Phrase(phrase) => Some(phrase),
            _ => None,
        }
    }
}

impl Sought<'_> {
    fn words(&self, index: &ModelIndex, view: &SearchedFields) -> [Vec<(WordId, FieldScope)>; 3] {
        let mut words = [Vec::new(), Vec::new(), Vec::new()];
        let scope =
            if self.parts.is_none() { FieldScope::Everywhere } else { FieldScope::WhereTyposAre };
        for (id, word) in index.vocabulary.iter().enumerate() {
            if word == self.word || self.is_prefix && word.starts_with(self.word) {
                words[0].push((id, scope));
            } else if let Some(level) = self.typo_level(word)
                && view.is_tolerant(id)
            {
                words[level].push((id, FieldScope::WhereTyposAre));
            }
        }
        words
    }

    fn typo_level(&self, word: &str) -> Option<usize> {
        if self.budget == 0 {
            return None;
        }
        let distance = edit_distance(self.word, word, self.is_prefix);
        let same_start = self.word.chars().next() == word.chars().next();
        match (distance, same_start) {
            (1, true) => Some(1),
            (2, true) | (1, false) if self.budget == 2 => Some(2),
            _ => None,
        }
    }

    fn synonyms(&self, index: &ModelIndex) -> Vec<Phrase> {
        let keys = [Some([self.word.to_owned()].to_vec()), self.parts.map(<[String]>::to_vec)];
        let values = keys.iter().flatten().filter_map(|key| index.settings.synonyms.get(key));
        values.flatten().map(|words| Phrase::of_words(index, words)).collect()
    }

    /// The cut whose two parts are neighbours in most documents, whatever the query.
    fn split(&self, index: &ModelIndex, view: &SearchedFields) -> Option<Phrase> {
        let mut best: Option<(usize, [String; 2])> = None;
        for (cut, _) in self.word.char_indices().skip(1) {
            let (left, right) = self.word.split_at(cut);
            let (Some(first), Some(second)) = (index.word_id(left), index.word_id(right)) else {
                continue;
            };
            let documents = view.pair(first, second, 1, index.settings.by_attribute).len();
            if documents > best.as_ref().map_or(0, |(most, _)| *most) {
                best = Some((documents, [left.to_owned(), right.to_owned()]));
            }
        }
        let (_, parts) = best?;
        if self.parts == Some(&parts) {
            return None;
        }
        Some(Phrase::of_words(index, &parts))
    }
}
