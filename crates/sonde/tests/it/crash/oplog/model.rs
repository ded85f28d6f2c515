//! Model of the indexes: each task applied once, in the order of the uids, to plain maps.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::operation::{DELETED, EMBEDDER, Operation, SWAPPED};

type Documents = BTreeMap<u64, Value>;

#[derive(Debug, Default, PartialEq)]
pub struct Model {
    pub indexes: BTreeMap<String, Documents>,
}

impl Model {
    /// Applies a task that succeeded.
    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Replace { index, documents } => {
                let index = self.indexes.entry((*index).to_owned()).or_default();
                for document in documents {
                    index.insert(id_of(document), document.clone());
                }
            }
            Operation::Update { index, documents } => {
                let index = self.indexes.entry((*index).to_owned()).or_default();
                for document in documents {
                    merge(index.entry(id_of(document)).or_insert_with(|| json!({})), document);
                }
            }
            Operation::Delete { index, ids } => {
                let Some(documents) = self.indexes.get_mut(*index) else {
                    return;
                };
                documents.retain(|id, _| !ids.contains(id));
            }
            Operation::Clear { index } => {
                let Some(documents) = self.indexes.get_mut(*index) else {
                    return;
                };
                documents.clear();
            }
            Operation::Count { index } => {
                let Some(documents) = self.indexes.get_mut(*index) else {
                    return;
                };
                for document in documents.values_mut() {
                    document["count"] = json!(document["count"].as_u64().unwrap_or(0) + 1);
                }
            }
            Operation::DeleteIndex => {
                self.indexes.remove(DELETED);
            }
            Operation::Swap => {
                let [left, right] = SWAPPED.map(|name| self.indexes.remove(name));
                for (name, documents) in [(SWAPPED[0], right), (SWAPPED[1], left)] {
                    if let Some(documents) = documents {
                        self.indexes.insert(name.to_owned(), documents);
                    }
                }
            }
        }
    }
}

impl Model {
    /// The vector of every document that has one, by the index and the id.
    pub fn vectors(&self) -> impl Iterator<Item = (&str, u64, &Value)> {
        let documents = self.indexes.iter().flat_map(|(uid, documents)| {
            documents.iter().map(move |(id, document)| (uid.as_str(), *id, document))
        });
        documents.filter_map(|(uid, id, document)| {
            let vector = &document["_vectors"][EMBEDDER];
            vector.is_array().then_some((uid, id, vector))
        })
    }
}

/// A document as it is read, with its vector as it was sent.
pub fn as_sent(mut document: Value) -> Value {
    let read = document["_vectors"][EMBEDDER].take();
    let fields = document.as_object_mut().expect("documents are objects");
    match read["embeddings"].as_array() {
        Some(vectors) => {
            let vector = vectors.first().cloned().unwrap_or_default();
            fields.insert("_vectors".to_owned(), json!({EMBEDDER: vector}));
        }
        None => drop(fields.remove("_vectors")),
    }
    document
}

pub fn id_of(document: &Value) -> u64 {
    document["id"].as_u64().expect("documents have ids")
}

fn merge(older: &mut Value, newer: &Value) {
    for (name, value) in newer.as_object().expect("documents are objects") {
        older[name] = value.clone();
    }
}
