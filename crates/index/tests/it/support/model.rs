//! The index as one would write it in ten minutes: a map in memory. What it says is right by
//! being obvious.

use std::collections::{BTreeMap, BTreeSet};

use index::{DocId, Snapshot};
use segment::SegmentError;
use serde_json::Value;
use time::OffsetDateTime;

use super::{values, words};

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub documents: BTreeMap<DocId, ModelDocument>,
    pub fields: BTreeSet<String>,
    pub primary_key: Option<String>,
    pub settings: Value,
    pub receipt: Vec<u8>,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ModelDocument {
    pub external_id: String,
    pub json: String,
    pub fields: Vec<String>,
}

impl Model {
    pub fn new(now: OffsetDateTime) -> Self {
        Self {
            documents: BTreeMap::new(),
            fields: BTreeSet::new(),
            primary_key: None,
            settings: Value::Null,
            receipt: Vec::new(),
            created_at: now,
            updated_at: now,
        }
    }

    pub fn doc_id(&self, external_id: &str) -> Option<DocId> {
        let mut documents = self.documents.iter();
        documents.find(|(_, document)| document.external_id == external_id).map(|(id, _)| *id)
    }

    fn distribution(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for field in self.documents.values().flat_map(|document| &document.fields) {
            if field != "_vectors" {
                *counts.entry(field.clone()).or_default() += 1;
            }
        }
        counts
    }

    /// The first difference between this and what a snapshot says.
    pub fn difference(&self, snapshot: &Snapshot) -> Option<String> {
        let mut differences = Vec::new();
        let mut compare = |what: &str, expected: String, found: String| {
            if expected != found {
                differences.push(format!("{what}: expected {expected}, found {found}"));
            }
        };
        compare("documents", self.show_documents(), show_documents(snapshot));
        let known: Vec<&str> = snapshot.field_names().collect();
        let expected: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        compare("fields", format!("{expected:?}"), format!("{known:?}"));
        compare(
            "distribution",
            format!("{:?}", self.distribution()),
            format!("{:?}", snapshot.field_distribution()),
        );
        compare(
            "count",
            self.documents.len().to_string(),
            snapshot.number_of_documents().to_string(),
        );
        compare(
            "primary key",
            format!("{:?}", self.primary_key.as_deref()),
            format!("{:?}", snapshot.primary_key()),
        );
        compare("settings", self.settings.to_string(), snapshot.settings().to_string());
        compare(
            "words",
            format!("{:?}", words::expected(self)),
            format!("{:?}", words::found(snapshot)),
        );
        let (expected_values, expected_places) = values::expected(self);
        let (values, places) = values::found(snapshot);
        compare("values", format!("{expected_values:?}"), format!("{values:?}"));
        compare("places", format!("{expected_places:?}"), format!("{places:?}"));
        compare("receipt", format!("{:?}", self.receipt), format!("{:?}", snapshot.receipt()));
        compare("created", self.created_at.to_string(), snapshot.created_at().to_string());
        compare("updated", self.updated_at.to_string(), snapshot.updated_at().to_string());
        for (doc_id, document) in &self.documents {
            let found = snapshot.doc_id(&document.external_id);
            compare("look-up", format!("{:?}", Some(doc_id)), format!("{:?}", found.unwrap()));
        }
        differences.into_iter().next()
    }

    fn show_documents(&self) -> String {
        self.documents.iter().map(|(id, document)| format!("{id} {}\n", document.json)).collect()
    }
}

/// Read in both ways: one by one, and all in a row.
fn show_documents(snapshot: &Snapshot) -> String {
    let mut shown = String::new();
    snapshot
        .for_each_document(snapshot.live(), |doc_id, json| {
            shown.push_str(&format!("{doc_id} {json}\n"));
            Ok::<(), SegmentError>(())
        })
        .unwrap();
    let one_by_one: String = snapshot
        .live()
        .iter()
        .map(|id| format!("{id} {}\n", snapshot.document(id).unwrap().unwrap_or_default()))
        .collect();
    assert_eq!(shown, one_by_one);
    shown
}
