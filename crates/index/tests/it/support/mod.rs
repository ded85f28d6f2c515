//! Test support: a naive model of an index, batches of changes that run against both the model and
//! a real index, and the comparison of the two.

pub mod batch;
pub mod model;
pub mod script;
pub mod values;
pub mod words;

use std::sync::Arc;

use ::model::Cancel;
use index::{Index, MergePolicy, MergeReport, Options, Result};
use segment::documents::DocumentsWriter;
use segment::{Directory, MemoryDirectory};
use time::{Duration, OffsetDateTime};

/// Small enough that a few documents reach every path.
pub fn small_options() -> Options {
    // A buffer takes some room for its first document already.
    let mut one = DocumentsWriter::new();
    one.add(0, "id", "{}", []).unwrap();
    Options {
        buffer_bytes: one.memory_used() + 800,
        inline_deleted: 3,
        inline_bytes: 64,
        merge: MergePolicy { fan_in: 3, small_segment_bytes: 1500, ..MergePolicy::default() },
        threads: 2,
        preload_vectors: true,
    }
}

/// The time of the n-th commit.
pub fn at(seconds: i64) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + Duration::seconds(seconds) + Duration::nanoseconds(7)
}

pub fn in_memory() -> (Arc<dyn Directory>, Index) {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let index = Index::create(directory.clone(), at(0)).unwrap();
    (directory, index)
}

/// Commits documents, each an id and its JSON.
pub fn upsert(index: &Index, documents: &[(String, String)]) {
    let mut writer = index.writer().unwrap();
    for (id, json) in documents {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        let fields: Vec<&String> = value.as_object().unwrap().keys().collect();
        writer.upsert(id, json, fields.iter().map(|name| name.as_str())).unwrap();
    }
    writer.commit(b"", at(1)).unwrap();
}

pub fn set_settings(index: &Index, settings: serde_json::Value) {
    let mut writer = index.writer().unwrap();
    writer.set_settings(settings);
    writer.commit(b"", at(1)).unwrap();
}

/// Commits documents whose only field is their id.
pub fn add_ids(index: &Index, ids: &[&str]) {
    let mut writer = index.writer().unwrap();
    for id in ids {
        writer.upsert(id, &format!("{{\"id\":\"{id}\"}}"), ["id"]).unwrap();
    }
    writer.commit(b"", at(1)).unwrap();
}

pub fn delete_ids(index: &Index, ids: &[&str]) {
    let mut writer = index.writer().unwrap();
    for id in ids {
        assert!(writer.delete(id).unwrap(), "{id}");
    }
    writer.commit(b"", at(1)).unwrap();
}

/// The documents in list order.
pub fn list(index: &Index) -> Vec<String> {
    let mut documents = Vec::new();
    let snapshot = index.snapshot();
    snapshot
        .for_each_document(snapshot.live(), |_, json| {
            documents.push(json.to_owned());
            Ok::<(), segment::SegmentError>(())
        })
        .unwrap();
    documents
}

pub fn list_ids(index: &Index) -> Vec<String> {
    let id_of = |json: &String| {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        value["id"].as_str().unwrap().to_owned()
    };
    list(index).iter().map(id_of).collect()
}

pub fn merge_all(index: &Index) -> Result<Vec<MergeReport>> {
    let mut reports = Vec::new();
    while let Some(plan) = index.next_merge() {
        reports.push(index.run_merge(plan, &Cancel::default())?);
    }
    Ok(reports)
}

pub fn file_names(directory: &dyn Directory) -> Vec<String> {
    directory.list().unwrap().into_iter().map(|(name, _)| name).collect()
}
