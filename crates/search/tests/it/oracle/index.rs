//! The documents of the model, cut into words.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::doc_set::DocSet;
use super::fields::SearchedFields;
use super::leaves::leaves;
use super::settings::{Artefacts, ModelSettings};
use super::text::{self, HARD_DISTANCE};

/// Place of a word in the sorted vocabulary.
pub type WordId = usize;
/// Place of a field in the list of those that hold words.
pub type FieldId = usize;

#[derive(Debug)]
pub struct ModelIndex {
    pub settings: ModelSettings,
    pub documents: Vec<ModelDocument>,
    /// Every word of the documents, in order.
    pub vocabulary: Vec<String>,
    /// Every attribute that holds a word, in order of their names.
    pub fields: Vec<ModelField>,
    pub all_fields: SearchedFields,
}

#[derive(Debug)]
pub struct ModelDocument {
    pub doc_id: u32,
    pub source: Map<String, Value>,
    /// The text of each field.
    pub texts: Vec<FieldText>,
}

/// The words of one attribute of one document, with ascending positions.
pub type FieldText = Vec<Occurrence>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    pub word: WordId,
    pub position: u32,
}

#[derive(Debug)]
pub struct ModelField {
    pub name: String,
    pub weight: u32,
    pub has_typos: bool,
}

impl ModelIndex {
    /// Documents come with the number by which ties are broken.
    pub fn new(settings: ModelSettings, documents: Vec<(u32, Map<String, Value>)>) -> Self {
        assert!(documents.len() <= DocSet::CAPACITY);
        let texts: Vec<_> =
            documents.iter().map(|(_, source)| texts_by_attribute(source, &settings)).collect();
        let words: BTreeSet<&String> =
            texts.iter().flat_map(BTreeMap::values).flatten().map(|(_, word)| word).collect();
        let vocabulary: Vec<String> = words.into_iter().cloned().collect();
        let names: BTreeSet<&String> = texts.iter().flat_map(BTreeMap::keys).collect();
        let fields = names.iter().map(|name| ModelField {
            weight: settings.weight(name).unwrap_or_default(),
            has_typos: settings.has_typos(name),
            name: (*name).clone(),
        });
        let fields: Vec<ModelField> = fields.collect();

        let word_id = |word: &String| vocabulary.binary_search(word).unwrap_or_default();
        let field_text = |words: &Vec<(u32, String)>| -> FieldText {
            let ids = words.iter();
            ids.map(|(position, word)| Occurrence { word: word_id(word), position: *position })
                .collect()
        };
        let mut model_documents = Vec::new();
        for ((doc_id, source), texts) in documents.into_iter().zip(&texts) {
            let texts = names.iter().map(|name| texts.get(*name).map(field_text));
            let texts = texts.map(Option::unwrap_or_default).collect();
            model_documents.push(ModelDocument { doc_id, source, texts });
        }
        model_documents.sort_by_key(|document| document.doc_id);

        let mut index = Self {
            settings,
            documents: model_documents,
            vocabulary,
            fields,
            all_fields: SearchedFields::default(),
        };
        index.all_fields = SearchedFields::new(&index, (0..index.fields.len()).collect());
        index
    }

    pub fn word_id(&self, word: &str) -> Option<WordId> {
        self.vocabulary.binary_search_by(|other| other.as_str().cmp(word)).ok()
    }

    pub fn everything(&self) -> DocSet {
        (0..self.documents.len()).collect()
    }

    /// Whether no typo and no concatenation leads to this word in this field.
    pub fn is_strict(&self, field: FieldId, word: WordId) -> bool {
        let is_number =
            |word: &str| word.chars().all(|c| c.is_ascii_digit() || c.is_ascii_punctuation());
        !self.fields[field].has_typos
            || self.settings.numbers_without_typos && is_number(&self.vocabulary[word])
    }

    pub fn improved(&self) -> bool {
        self.settings.artefacts == Artefacts::Improved
    }
}

type Texts = BTreeMap<String, Vec<(u32, String)>>;

fn texts_by_attribute(document: &Map<String, Value>, settings: &ModelSettings) -> Texts {
    let mut texts = Texts::new();
    // Where the last value of each attribute ended.
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    for leaf in leaves(document, settings.artefacts) {
        if settings.weight(&leaf.attribute).is_none() {
            continue;
        }
        let start = ends.get(&leaf.attribute).map_or(0, |end| end + HARD_DISTANCE);
        let text = leaf.text.unwrap_or_default();
        let words = text::positions(&text, start, &settings.stop_words);
        match words.last() {
            Some((position, _)) => drop(ends.insert(leaf.attribute.clone(), *position)),
            None if settings.artefacts == Artefacts::Reference => {
                ends.insert(leaf.attribute.clone(), start);
            }
            None => {}
        }
        if !words.is_empty() {
            texts.entry(leaf.attribute).or_default().extend(words);
        }
    }
    texts
}

/// Positions far from the start are known only roughly.
pub fn bucketed(position: u32) -> u32 {
    match position {
        0..16 => position,
        16..24 => 24,
        _ => position.next_power_of_two(),
    }
}
