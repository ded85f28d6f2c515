//! The writes of a client.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::Random;

use super::connection::{AnswerLost, Connection};
use super::documents;
use super::model::Model;
use super::settings::Settings;
use crate::support::http::Answer;

#[derive(Debug, Clone)]
pub enum Operation {
    Replace(Vec<Value>),
    Update(Vec<Value>),
    Delete(Vec<u64>),
    DeleteGroup(String),
    Clear,
    Change(Settings),
    DropIndex,
}

impl Operation {
    pub fn random(random: &mut Random, model: &Model) -> Self {
        if !model.exists {
            return Operation::Change(Settings::default());
        }
        match random.below(100) {
            0..40 => Operation::Replace(whole_documents(random)),
            40..60 => Operation::Update(parts(random, model)),
            60..75 => Operation::Delete(ids(random)),
            75..83 => Operation::DeleteGroup(documents::group(random.below(documents::GROUPS))),
            83..84 => Operation::Clear,
            84..99 => Operation::Change(model.settings.changed(random)),
            _ => Operation::DropIndex,
        }
    }

    /// Asks for it; the number travels as metadata where the route takes any.
    pub fn send(&self, to: Connection, index: &str, number: u64) -> Result<Answer, AnswerLost> {
        let documents = format!("/indexes/{index}/documents");
        let metadata = format!("customMetadata={number}");
        let with_metadata = |path: &str| format!("{path}?{metadata}");
        match self {
            Operation::Replace(sent) => {
                to.send("POST", &with_metadata(&documents), Some(&json!(sent)))
            }
            Operation::Update(sent) => {
                to.send("PUT", &with_metadata(&documents), Some(&json!(sent)))
            }
            Operation::Delete(ids) => {
                let path = with_metadata(&format!("{documents}/delete-batch"));
                to.send("POST", &path, Some(&json!(ids)))
            }
            Operation::DeleteGroup(group) => {
                let body = json!({"filter": format!("group = {group}")});
                to.send("POST", &with_metadata(&format!("{documents}/delete")), Some(&body))
            }
            Operation::Clear => to.send("DELETE", &with_metadata(&documents), None),
            Operation::Change(settings) => {
                let path = format!("/indexes/{index}/settings");
                to.send("PATCH", &path, Some(&settings.body()))
            }
            Operation::DropIndex => to.send("DELETE", &format!("/indexes/{index}"), None),
        }
    }

    pub fn deletes_everything(&self) -> bool {
        matches!(self, Operation::Clear | Operation::DropIndex)
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Operation::Replace(_) | Operation::Update(_) => "documentAdditionOrUpdate",
            Operation::Delete(_) | Operation::DeleteGroup(_) | Operation::Clear => {
                "documentDeletion"
            }
            Operation::Change(_) => "settingsUpdate",
            Operation::DropIndex => "indexDeletion",
        }
    }

    /// Whether its task tells what it must when the index was in this state before. In a batch in
    /// which everything is deleted, others are swallowed and tell less.
    pub fn is_told_by(&self, task: &Value, before: &Model, may_be_swallowed: bool) -> bool {
        let details = &task["details"];
        let counts = |member: &str, allowed: &[usize]| {
            let found = &details[member];
            let is_less = may_be_swallowed && (found.is_null() || *found == json!(0));
            is_less || allowed.iter().any(|count| *found == json!(count))
        };
        match self {
            Operation::Replace(sent) | Operation::Update(sent) => {
                let ids: BTreeSet<_> =
                    sent.iter().map(|document| &document["id"]).map(Value::to_string).collect();
                details["receivedDocuments"] == json!(sent.len())
                    && counts("indexedDocuments", &[ids.len()])
            }
            Operation::Delete(ids) => {
                let distinct: BTreeSet<_> = ids.iter().collect();
                let present = distinct.iter().filter(|id| before.documents.contains_key(id));
                details["providedIds"] == json!(ids.len())
                    && counts("deletedDocuments", &[present.count(), distinct.len()])
            }
            Operation::DeleteGroup(group) => {
                let present = before.documents.values().filter(|found| found["group"] == **group);
                counts("deletedDocuments", &[present.count()])
            }
            // Of what was deleted, that which was added in the same batch is not counted.
            Operation::Clear | Operation::DropIndex | Operation::Change(_) => true,
        }
    }
}

fn whole_documents(random: &mut Random) -> Vec<Value> {
    let count = match random.below(10) {
        0 => 300 + random.below(900),
        1..4 => 20 + random.below(100),
        _ => 1 + random.below(12),
    };
    (0..count)
        .map(|_| {
            let id = documents::id(random);
            documents::whole(random, id)
        })
        .collect()
}

/// Parts of documents that are there, and some that are new and so must be whole.
fn parts(random: &mut Random, model: &Model) -> Vec<Value> {
    (0..1 + random.below(15))
        .map(|_| {
            let id = documents::id(random);
            match model.documents.contains_key(&id) {
                true => documents::part(random, id),
                false => documents::whole(random, id),
            }
        })
        .collect()
}

fn ids(random: &mut Random) -> Vec<u64> {
    (0..1 + random.below(30)).map(|_| documents::id(random)).collect()
}
