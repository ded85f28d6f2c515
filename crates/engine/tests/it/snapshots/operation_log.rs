//! Log of the requested operations by task uid, and the documents that result from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use engine::Edition;
use engine::keys::Access;
use model::IndexUid;
use serde_json::json;
use tasks::{Content, Method, Swap, Task};

use crate::support::Instance;

pub const INDEXES: [&str; 3] = ["left", "right", "fleeting"];
/// A change that must not be applied twice.
const COUNT: &str = "doc.n += 1";
/// Bodies above 64 KiB are files.
const PADDING: usize = 80_000;

#[derive(Debug, Clone)]
pub enum Operation {
    /// A new document, with a body that is a file or not.
    Add {
        index: &'static str,
        id: u64,
        is_large: bool,
    },
    /// Adds one to a number in each document of the index.
    Count {
        index: &'static str,
    },
    DeleteIndex {
        index: &'static str,
    },
    /// Of the first two.
    Swap,
}

/// Index → document → its number.
pub type Model = BTreeMap<String, BTreeMap<u64, u64>>;

#[derive(Debug, Default)]
pub struct OperationLog {
    entries: Mutex<BTreeMap<u32, Operation>>,
}

impl OperationLog {
    pub fn perform(&self, instance: &Instance, operation: Operation) -> Task {
        // Held until the uid is known, so that no reader sees a task in between.
        let mut entries = self.entries.lock().unwrap();
        let task = send(instance, &operation);
        entries.insert(task.uid, operation);
        task
    }

    pub fn highest(&self) -> Option<u32> {
        self.entries.lock().unwrap().keys().next_back().copied()
    }

    pub fn uids(&self) -> BTreeSet<u32> {
        self.entries.lock().unwrap().keys().copied().collect()
    }

    /// Returns the documents after these tasks.
    pub fn model_of(&self, succeeded: impl IntoIterator<Item = u32>) -> Model {
        let entries = self.entries.lock().unwrap();
        let mut model = Model::new();
        for uid in succeeded {
            match &entries[&uid] {
                Operation::Add { index, id, .. } => {
                    model.entry((*index).to_owned()).or_default().insert(*id, 0);
                }
                Operation::Count { index } => {
                    let documents = model.get_mut(*index).expect("it succeeded");
                    documents.values_mut().for_each(|number| *number += 1);
                }
                Operation::DeleteIndex { index } => {
                    model.remove(*index);
                }
                Operation::Swap => {
                    let [left, right] = ["left", "right"].map(|name| model.remove(name).unwrap());
                    model.insert("left".to_owned(), right);
                    model.insert("right".to_owned(), left);
                }
            }
        }
        model
    }
}

fn send(instance: &Instance, operation: &Operation) -> Task {
    match operation {
        Operation::Add { index, id, is_large } => {
            let padding = if *is_large { "x".repeat(PADDING) } else { String::new() };
            let document = json!([{"id": id, "n": 0, "padding": padding}]);
            instance.add(index, Method::Replace, &document.to_string())
        }
        Operation::Count { index } => {
            let edition = Edition { function: COUNT.to_owned(), filter: None, context: None };
            let uid = IndexUid::new(*index).expect("a good name");
            instance.engine().edit_documents(uid, edition, None).expect("it is enqueued")
        }
        Operation::DeleteIndex { index } => {
            instance.enqueue(Content::IndexDeletion { index_uid: (*index).to_owned() })
        }
        Operation::Swap => {
            let indexes = ("left".to_owned(), "right".to_owned());
            instance.enqueue(Content::IndexSwap { swaps: vec![Swap { indexes, rename: false }] })
        }
    }
}

/// Returns the documents of an instance.
pub fn model_in(instance: &Instance) -> Model {
    let mut model = Model::new();
    for index in instance.engine().indexes(&Access::full(), 0, 100).expect("the indexes").results {
        let documents = instance.documents(&index.uid).expect("its documents");
        let numbers = documents.iter().map(|document| {
            (document["id"].as_u64().expect("an id"), document["n"].as_u64().expect("a number"))
        });
        model.insert(index.uid, numbers.collect());
    }
    model
}
