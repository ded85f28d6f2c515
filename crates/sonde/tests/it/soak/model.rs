//! Model of an index: plain maps, searched by scanning every document.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::documents::EMBEDDER;
use super::operation::Operation;
use super::settings::Settings;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    pub exists: bool,
    pub settings: Settings,
    pub documents: BTreeMap<u64, Value>,
}

impl Model {
    /// Applies a write that succeeds.
    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Replace(sent) => {
                for document in sent {
                    self.documents.insert(id_of(document), document.clone());
                }
            }
            Operation::Update(sent) => {
                for document in sent {
                    let older = self.documents.entry(id_of(document)).or_insert_with(|| json!({}));
                    for (name, value) in document.as_object().expect("documents are objects") {
                        older[name] = value.clone();
                    }
                }
            }
            Operation::Delete(ids) => self.documents.retain(|id, _| !ids.contains(id)),
            Operation::DeleteGroup(group) => {
                self.documents.retain(|_, document| document["group"] != **group);
            }
            Operation::Clear => self.documents.clear(),
            Operation::Change(settings) => {
                self.exists = true;
                self.settings = settings.clone();
            }
            Operation::DropIndex => *self = Self::default(),
        }
    }

    /// Returns a fingerprint that does not depend on the order of documents.
    pub fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (id, document) in &self.documents {
            id.hash(&mut hasher);
            as_sorted(document).hash(&mut hasher);
        }
        hasher.finish()
    }

    pub fn ids_where(&self, mut holds: impl FnMut(&Value) -> bool) -> BTreeSet<u64> {
        let found = self.documents.iter().filter(|(_, document)| holds(document));
        found.map(|(id, _)| *id).collect()
    }

    /// Does any of the searched attributes hold the word?
    pub fn has_word(&self, document: &Value, word: &str) -> bool {
        let found_by = self.settings.synonyms.get(word).map_or(word, String::as_str);
        self.words(document).any(|words| words.contains(&word) || words.contains(&found_by))
    }

    pub fn has_prefix(&self, document: &Value, prefix: &str) -> bool {
        self.words(document).any(|words| words.iter().any(|word| word.starts_with(prefix)))
    }

    pub fn has_phrase(&self, document: &Value, phrase: [&str; 2]) -> bool {
        self.words(document).any(|words| words.windows(2).any(|pair| pair == phrase))
    }

    fn words<'a>(&self, document: &'a Value) -> impl Iterator<Item = Vec<&'a str>> {
        let texts = self.settings.searched.iter().map(|name| document[*name].as_str());
        texts.flatten().map(|text| text.split(' ').collect()).collect::<Vec<_>>().into_iter()
    }
}

pub fn id_of(document: &Value) -> u64 {
    document["id"].as_u64().expect("documents have ids")
}

/// The vector of a document, if it has one.
pub fn vector_of(document: &Value) -> Option<Vec<f64>> {
    let vector = document["_vectors"][EMBEDDER].as_array()?;
    vector.iter().map(Value::as_f64).collect()
}

/// A document as it is read, in the form in which it was sent.
pub fn as_sent(mut document: Value) -> Value {
    let read = document["_vectors"][EMBEDDER].take();
    let vector = read["embeddings"].as_array().and_then(|vectors| vectors.first()).cloned();
    document["_vectors"] = json!({EMBEDDER: vector});
    document
}

fn as_sorted(document: &Value) -> String {
    let members: BTreeMap<&String, String> = document
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name, plain(value)))
        .collect();
    format!("{members:?}")
}

/// Numbers with and without a fraction are the same.
fn plain(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("{:?}", number.as_f64()),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let members: BTreeMap<&String, String> =
                members.iter().map(|(name, value)| (name, plain(value))).collect();
            format!("{members:?}")
        }
        other => other.to_string(),
    }
}

#[test]
fn documents_are_the_same_whatever_the_form_of_their_numbers() {
    let read = json!({"number": 3, "id": 1, "_vectors": {EMBEDDER: {"embeddings": [[1.0, 0.5]], "regenerate": false}}});
    let sent = json!({"id": 1, "number": 3.0, "_vectors": {EMBEDDER: [1, 0.5]}});
    let model = |document| Model { documents: BTreeMap::from([(1, document)]), ..Model::default() };
    assert_eq!(model(as_sent(read)).mark(), model(sent).mark());
    let none = json!({"id": 1, "number": 3, "_vectors": {EMBEDDER: null}});
    assert_eq!(
        model(as_sent(json!({"id": 1, "number": 3, "_vectors": {}}))).mark(),
        model(none).mark()
    );
}
