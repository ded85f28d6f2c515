//! The part of the model that a search looks at: everything, or what `attributesToSearchOn`
//! names. A search is as if there were nothing else.

use std::collections::{BTreeMap, HashMap};

use super::doc_set::DocSet;
use super::index::{FieldId, ModelIndex, Occurrence, WordId, bucketed};

/// Farther apart is no neighbourhood.
pub const FARTHEST: u32 = 3;

#[derive(Debug, Default)]
pub struct SearchedFields {
    pub fields: Vec<FieldId>,
    /// By word: documents that hold it where typos may lead to it, and where they may not.
    tolerant: Vec<DocSet>,
    strict: Vec<DocSet>,
    in_field: HashMap<(WordId, FieldId), DocSet>,
    /// By bucketed position and word: wherever it stands there, and where typos may lead to it.
    at_position: BTreeMap<u32, HashMap<WordId, [DocSet; 2]>>,
    /// By two words in order: documents by their least distance.
    pairs: HashMap<(WordId, WordId), [DocSet; FARTHEST as usize + 1]>,
}

/// Whether a word is the typed one, or found by a typo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldScope {
    Everywhere,
    /// Not where typos are disabled.
    WhereTyposAre,
}

impl SearchedFields {
    pub fn new(index: &ModelIndex, fields: Vec<FieldId>) -> Self {
        let words = index.vocabulary.len();
        let none = vec![DocSet::default(); words];
        let mut view =
            Self { fields, tolerant: none.clone(), strict: none, ..SearchedFields::default() };
        for document in 0..index.documents.len() {
            view.add_document(index, document);
        }
        view
    }

    /// Selects fields by names, which may be patterns; without names, all fields.
    pub fn named(index: &ModelIndex, names: &[String]) -> Self {
        let fields = index.fields.iter().enumerate();
        let fields =
            fields.filter(|(_, field)| names.iter().any(|name| selects(name, &field.name)));
        Self::new(index, fields.map(|(id, _)| id).collect())
    }

    fn add_document(&mut self, index: &ModelIndex, document: usize) {
        let one = DocSet::single(document);
        let mut distances: HashMap<(WordId, WordId), u32> = HashMap::new();
        for &field in &self.fields {
            let text = &index.documents[document].texts[field];
            for (i, &Occurrence { word, position }) in text.iter().enumerate() {
                let is_strict = index.is_strict(field, word);
                let by_word = if is_strict { &mut self.strict } else { &mut self.tolerant };
                by_word[word] |= one;
                *self.in_field.entry((word, field)).or_default() |= one;
                let here = self.at_position.entry(bucketed(position)).or_default();
                let [everywhere, tolerant] = here.entry(word).or_default();
                *everywhere |= one;
                if !is_strict {
                    *tolerant |= one;
                }
                for next in &text[i + 1..] {
                    let distance = next.position - position;
                    if distance > FARTHEST {
                        break;
                    }
                    let least = distances.entry((word, next.word)).or_insert(distance);
                    *least = distance.min(*least);
                }
            }
        }
        for (pair, distance) in distances {
            self.pairs.entry(pair).or_default()[distance as usize] |= one;
        }
    }

    pub fn documents(&self, word: WordId, scope: FieldScope) -> DocSet {
        match scope {
            FieldScope::Everywhere => self.tolerant[word] | self.strict[word],
            FieldScope::WhereTyposAre => self.tolerant[word],
        }
    }

    pub fn has(&self, word: WordId) -> bool {
        !self.documents(word, FieldScope::Everywhere).is_empty()
    }

    /// Whether a typo may lead to this word anywhere.
    pub fn is_tolerant(&self, word: WordId) -> bool {
        !self.tolerant[word].is_empty()
    }

    pub fn in_field(&self, word: WordId, field: FieldId) -> DocSet {
        self.in_field.get(&(word, field)).copied().unwrap_or_default()
    }

    /// The bucketed positions at which there is any word.
    pub fn positions(&self) -> impl Iterator<Item = u32> {
        self.at_position.keys().copied()
    }

    pub fn at_position(&self, word: WordId, scope: FieldScope, position: u32) -> DocSet {
        let here = self.at_position.get(&position).and_then(|words| words.get(&word));
        let [everywhere, tolerant] = here.copied().unwrap_or_default();
        match scope {
            FieldScope::Everywhere => everywhere,
            FieldScope::WhereTyposAre => tolerant,
        }
    }

    /// Documents in which the second word follows the first one at this distance at best; by
    /// attribute, those that have both in one attribute.
    pub fn pair(&self, first: WordId, second: WordId, distance: u32, by_attribute: bool) -> DocSet {
        if by_attribute {
            let both =
                |&field: &FieldId| self.in_field(first, field) & self.in_field(second, field);
            return self.fields.iter().map(both).fold(DocSet::default(), |all, some| all | some);
        }
        self.pairs.get(&(first, second)).map_or(DocSet::default(), |by| by[distance as usize])
    }
}

/// A name stands for itself alone: what it contains takes a pattern.
fn selects(pattern: &str, attribute: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        _ if pattern == "*" => true,
        (Some(rest), Some(_)) => attribute.contains(&rest[..rest.len() - 1]),
        (Some(rest), None) => attribute.ends_with(rest),
        (None, Some(rest)) => attribute.starts_with(rest),
        (None, None) => pattern == attribute,
    }
}
