//! Tests of batches and snapshots as callers see them.

// The counts show with --nocapture.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{Index, IndexError, Options, inspect, verify};
use segment::directory::{Effect, Operation};
use segment::{Directory, FaultDirectory, InjectedFault, MemoryDirectory};
use serde_json::json;

use crate::support::{
    add_ids, at, delete_ids, file_names, in_memory, list, list_ids, small_options,
};

/// The scenario of the recorded conversation about the order of lists.
#[test]
fn a_replaced_document_keeps_its_place_and_a_new_one_takes_the_first_free_place() {
    let (_, index) = in_memory();
    add_ids(&index, &["m", "c", "x"]);
    assert_eq!(list_ids(&index), ["m", "c", "x"]);
    add_ids(&index, &["a"]);
    add_ids(&index, &["c"]);
    add_ids(&index, &["m"]);
    assert_eq!(list_ids(&index), ["m", "c", "x", "a"]);
    delete_ids(&index, &["c"]);
    assert_eq!(list_ids(&index), ["m", "x", "a"]);
    add_ids(&index, &["n1"]);
    assert_eq!(list_ids(&index), ["m", "n1", "x", "a"]);
    delete_ids(&index, &["m", "x"]);
    add_ids(&index, &["n2", "n3", "n4"]);
    assert_eq!(list_ids(&index), ["n2", "n1", "n3", "a", "n4"]);

    let mut writer = index.writer().unwrap();
    assert_eq!(writer.clear().unwrap(), 5);
    writer.commit(b"", at(2)).unwrap();
    add_ids(&index, &["z", "b"]);
    assert_eq!(list_ids(&index), ["z", "b"]);
}

#[test]
fn places_freed_by_a_batch_are_taken_by_the_next() {
    let (_, index) = in_memory();
    add_ids(&index, &["a", "b", "c"]);
    let mut writer = index.writer().unwrap();
    writer.delete("a").unwrap();
    writer.upsert("n", "{\"id\":\"n\"}", ["id"]).unwrap();
    writer.delete("b").unwrap();
    writer.upsert("b", "{\"id\":\"b\"}", ["id"]).unwrap();
    writer.upsert("gone", "{\"id\":\"gone\"}", ["id"]).unwrap();
    writer.delete("gone").unwrap();
    writer.upsert("last", "{\"id\":\"last\"}", ["id"]).unwrap();
    writer.upsert("gone", "{\"id\":\"gone\"}", ["id"]).unwrap();
    writer.commit(b"", at(1)).unwrap();
    assert_eq!(list_ids(&index), ["b", "c", "n", "gone", "last"]);
    add_ids(&index, &["first"]);
    assert_eq!(list_ids(&index), ["first", "b", "c", "n", "gone", "last"]);
}

/// The scenario of the recorded conversation about field counts.
#[test]
fn field_distribution_counts_top_level_fields_of_live_documents() {
    let (_, index) = in_memory();
    let commit = |changes: &[(&str, &str, &[&str])]| {
        let mut writer = index.writer().unwrap();
        for (id, json, fields) in changes {
            writer.upsert(id, json, fields.iter().copied()).unwrap();
        }
        writer.commit(b"", at(1)).unwrap();
    };
    let expect = |expected: &[(&str, u64)]| {
        let expected: BTreeMap<String, u64> =
            expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        assert_eq!(index.snapshot().field_distribution(), expected);
    };
    commit(&[
        ("1", r#"{"id":1,"a":1,"b":{"c":1,"d":2}}"#, &["id", "a", "b"]),
        ("2", r#"{"id":2,"a":null}"#, &["id", "a"]),
        ("3", r#"{"id":3,"b":[]}"#, &["id", "b"]),
    ]);
    expect(&[("a", 2), ("b", 2), ("id", 3)]);
    commit(&[("2", r#"{"id":2,"a":null,"z":1}"#, &["id", "a", "z"])]);
    expect(&[("a", 2), ("b", 2), ("id", 3), ("z", 1)]);
    commit(&[("1", r#"{"id":1}"#, &["id"])]);
    expect(&[("a", 1), ("b", 1), ("id", 3), ("z", 1)]);
    delete_ids(&index, &["3"]);
    expect(&[("a", 1), ("id", 2), ("z", 1)]);
    commit(&[("4", r#"{"id":4,"":3,"_vectors":{}}"#, &["id", "", "_vectors"])]);
    expect(&[("", 1), ("a", 1), ("id", 3), ("z", 1)]);
    delete_ids(&index, &["4", "2"]);
    expect(&[("id", 1)]);

    let snapshot = index.snapshot();
    let known: Vec<&str> = snapshot.field_names().collect();
    assert_eq!(known, ["", "a", "b", "id", "z"], "names stay when their documents go");
    assert!(snapshot.knows_field("z") && !snapshot.knows_field("_vectors"));
}

#[test]
fn a_writer_sees_its_own_changes_and_nobody_else_does() {
    let (_, index) = in_memory();
    add_ids(&index, &["a", "b"]);
    let mut writer = index.writer().unwrap();
    writer.upsert("b", "{\"id\":\"b\",\"v\":2}", ["id", "v"]).unwrap();
    writer.upsert("c", "{\"id\":\"c\"}", ["id"]).unwrap();
    assert!(writer.delete("a").unwrap());
    assert!(!writer.delete("a").unwrap());
    assert!(!writer.delete("never").unwrap());
    assert_eq!(writer.get("b").unwrap().as_deref(), Some("{\"id\":\"b\",\"v\":2}"));
    assert_eq!(writer.get("a").unwrap(), None);
    assert!(writer.contains("c").unwrap());
    assert_eq!(writer.number_of_documents(), 2);
    writer.set_primary_key(Some("id"));
    assert_eq!(writer.primary_key(), Some("id"));
    assert_eq!(list_ids(&index), ["a", "b"]);
    assert_eq!(index.snapshot().primary_key(), None);
    drop(writer);
    assert_eq!(list_ids(&index), ["a", "b"]);
    assert_eq!(index.snapshot().primary_key(), None);
}

#[test]
fn a_key_that_was_named_before_any_field_leads_also_after_reopening() {
    let leading = |index: &Index| index.writer().unwrap().leading_field().map(str::to_owned);
    let (directory, index) = in_memory();
    let mut writer = index.writer().unwrap();
    writer.set_named_primary_key("id");
    writer.commit(b"", at(1)).unwrap();
    add_ids(&index, &["a"]);
    assert_eq!(leading(&index).as_deref(), Some("id"));
    drop(index);
    let index = Index::open(directory).unwrap();
    assert_eq!(leading(&index).as_deref(), Some("id"));
    assert!(index.snapshot().leads_with_key());
    // The index knows fields now, so another key comes behind them.
    let mut writer = index.writer().unwrap();
    writer.set_named_primary_key("sku");
    assert_eq!(writer.leading_field(), None);
    writer.lead_with_primary_key();
    assert_eq!(writer.leading_field(), Some("sku"));
    writer.set_primary_key(Some("id"));
    assert_eq!(writer.leading_field(), None);
    let (_, fresh) = in_memory();
    let mut writer = fresh.writer().unwrap();
    writer.set_named_primary_key("meta.id");
    assert_eq!(writer.leading_field(), None, "no member of this name");
}

#[test]
fn flushed_segments_disappear_with_an_aborted_batch() {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let index = Index::create_with(directory.clone(), at(0), small_options()).unwrap();
    add_ids(&index, &["a"]);
    let before = file_names(&*directory);
    let mut writer = index.writer().unwrap();
    for number in 0..200 {
        let id = number.to_string();
        writer.upsert(&id, &format!("{{\"id\":\"{id}\"}}"), ["id"]).unwrap();
    }
    assert!(file_names(&*directory).len() > before.len() + 1, "the buffer is too large");
    assert_eq!(writer.get("3").unwrap().as_deref(), Some("{\"id\":\"3\"}"));
    drop(writer);
    assert_eq!(file_names(&*directory), before);
    assert_eq!(list_ids(&index), ["a"]);
}

#[test]
fn a_snapshot_keeps_its_state_and_its_files() {
    let (directory, index) = in_memory();
    add_ids(&index, &["a", "b"]);
    let held = index.snapshot();
    let held_files = file_names(&*directory);
    let mut writer = index.writer().unwrap();
    writer.clear().unwrap();
    writer.commit(b"", at(1)).unwrap();

    assert_eq!(held.number_of_documents(), 2);
    assert_eq!(held.document(1).unwrap().as_deref(), Some("{\"id\":\"b\"}"));
    assert_eq!(held.doc_id("a").unwrap(), Some(0));
    let documents = held_files.iter().find(|name| name.contains("documents")).unwrap();
    assert!(file_names(&*directory).contains(documents));
    drop(held);
    assert_eq!(file_names(&*directory).len(), 1, "only the manifest is left");
}

#[test]
fn everything_is_there_after_opening_again() {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let options = Options { buffer_bytes: 1 << 20, ..small_options() };
    let index = Index::create_with(directory.clone(), at(5), options).unwrap();
    let mut writer = index.writer().unwrap();
    for number in 0..40 {
        let id = number.to_string();
        writer.upsert(&id, &format!("{{\"id\":\"{id}\"}}"), ["id"]).unwrap();
    }
    writer
        .register_fields(["a.b", "a.long-name-that-does-not-fit-into-the-manifest.by-far.at-all"]);
    writer.set_settings(json!({ "synonyms": "x".repeat(100), "n": 1 }));
    writer.set_primary_key(Some("id"));
    writer.commit(b"receipt", at(6)).unwrap();
    let mut writer = index.writer().unwrap();
    assert_eq!(writer.delete_doc_ids(&(0..10).chain([99]).collect()).unwrap(), 10);
    writer.commit(b"second", at(7)).unwrap();
    let before = list(&index);
    let sizes = index.snapshot().sizes();
    drop(index);

    let names = file_names(&*directory);
    for part in ["deleted", "fields", "settings", "manifest"] {
        assert!(names.iter().any(|name| name.contains(part)), "{part}");
    }
    let index = Index::open(directory.clone()).unwrap();
    let snapshot = index.snapshot();
    assert_eq!(list(&index), before);
    assert_eq!(snapshot.number_of_documents(), 30);
    assert_eq!(snapshot.receipt(), b"second");
    assert_eq!(snapshot.settings()["n"], 1);
    assert_eq!(snapshot.primary_key(), Some("id"));
    assert_eq!((snapshot.created_at(), snapshot.updated_at()), (at(5), at(7)));
    assert!(snapshot.knows_field("a.b"));
    assert_eq!(snapshot.sizes(), sizes);
    assert!(sizes.used < sizes.total);
    assert!(sizes.documents_raw > 0 && sizes.documents_stored < sizes.total);
    let on_disk: u64 = directory.list().unwrap().iter().map(|(_, length)| length).sum();
    assert_eq!(sizes.total, on_disk);
    assert_eq!(verify(&*directory), []);
    for name in names {
        assert!(inspect(&*directory, &name).unwrap().contains(&name));
    }
}

/// A commit writes what changed: neither old documents, nor many names, nor long settings.
#[test]
fn a_small_commit_writes_little() {
    let (directory, index) = in_memory();
    let mut writer = index.writer().unwrap();
    let names: Vec<String> = (0..5_000).map(|number| format!("field-number-{number}")).collect();
    writer.register_fields(names.iter().map(String::as_str));
    writer.set_settings(json!({ "synonyms": "x".repeat(100_000) }));
    for number in 0..20_000 {
        let id = number.to_string();
        writer.upsert(&id, &format!("{{\"id\":\"{id}\"}}"), ["id"]).unwrap();
    }
    writer.commit(b"", at(1)).unwrap();
    let mut writer = index.writer().unwrap();
    writer.delete_doc_ids(&(0..15_000).step_by(2).chain(15_000..16_500).collect()).unwrap();
    writer.commit(b"", at(1)).unwrap();
    let before = file_names(&*directory);
    add_ids(&index, &["19999"]);
    let written: u64 = directory
        .list()
        .unwrap()
        .into_iter()
        .filter(|(name, _)| !before.contains(name))
        .map(|(_, length)| length)
        .sum();
    println!("a commit of one document writes {written} bytes");
    assert!(written < 4_000, "{written} bytes");
    assert!(file_names(&*directory).iter().any(|name| name.contains("deleted")));
}

#[test]
fn leftovers_are_removed_and_foreign_files_are_not() {
    let memory = MemoryDirectory::new();
    let directory: Arc<dyn Directory> = Arc::new(memory.clone());
    let index = Index::create(directory.clone(), at(0)).unwrap();
    add_ids(&index, &["a"]);
    drop(index);
    let before = file_names(&*directory);
    for leftover in ["manifest-99.tmp", "manifest-1", "7.documents.1", "1.text.3", "fields.4"] {
        memory.put(leftover, b"whatever".to_vec());
    }
    memory.put("notes.txt", b"not ours".to_vec());
    let index = Index::open(directory.clone()).unwrap();
    add_ids(&index, &["b"]);
    assert_eq!(list_ids(&index), ["a", "b"]);
    drop(index);
    let after = file_names(&*directory);
    assert!(after.contains(&"notes.txt".to_owned()));
    assert_eq!(after.len(), before.len() + 3, "{after:?}");
}

#[test]
fn leftovers_that_cannot_be_removed_are_not_in_the_way() {
    let memory = MemoryDirectory::new();
    let index = Index::create(Arc::new(memory.clone()), at(0)).unwrap();
    let generation = index.snapshot().generation();
    drop(index);
    memory.put("1.documents.1", b"left".to_vec());
    memory.put(&format!("manifest-{}.tmp", generation + 1), b"left".to_vec());
    let fault = InjectedFault::at(0, Effect::Refused).only(Operation::Delete).for_good();
    let faulty = Arc::new(FaultDirectory::with_fault(memory.clone(), fault));
    let index = Index::open(faulty.clone()).unwrap();
    faulty.set_fault(None);
    add_ids(&index, &["a"]);
    assert_eq!(list_ids(&index), ["a"]);
    assert!(file_names(&memory).contains(&"1.documents.1".to_owned()));
}

#[test]
fn a_damaged_manifest_is_reported_and_never_skipped() {
    let memory = MemoryDirectory::new();
    let directory: Arc<dyn Directory> = Arc::new(memory.clone());
    let index = Index::create(directory.clone(), at(0)).unwrap();
    let generation = index.snapshot().generation();
    drop(index);
    let good = directory.open(&format!("manifest-{generation}")).unwrap();
    let newer = format!("manifest-{}", generation + 1);
    // The right bytes under the wrong name are damage too.
    for position in 0..=good.len() {
        let mut bytes = good.to_vec();
        if let Some(byte) = bytes.get_mut(position) {
            *byte ^= 0x20;
        }
        memory.put(&newer, bytes);
        let error = Index::open(directory.clone()).unwrap_err();
        assert!(
            error.is_damaged() || error.to_string().contains("format version"),
            "{position}: {error}"
        );
        assert_eq!(verify(&*directory).len(), 1);
        assert_eq!(file_names(&*directory).len(), 2, "nothing is removed");
    }
    for length in 0..good.len() {
        memory.put(&newer, good[..length].to_vec());
        assert!(Index::open(directory.clone()).unwrap_err().is_damaged());
    }
}

#[test]
fn an_index_is_created_once_and_opened_only_where_it_is() {
    let (directory, _index) = in_memory();
    let again = Index::create_with(directory, at(0), Options::default());
    assert!(matches!(again, Err(IndexError::AlreadyExists)));
    let nothing = Index::open(Arc::new(MemoryDirectory::new()));
    assert!(matches!(nothing, Err(IndexError::Missing)));
}

/// The components of a segment belong together.
#[test]
fn a_text_that_is_damaged_or_of_another_segment_is_noticed() {
    let memory = MemoryDirectory::new();
    let directory: Arc<dyn Directory> = Arc::new(memory.clone());
    let index = Index::create(directory.clone(), at(0)).unwrap();
    add_ids(&index, &["a", "b"]);
    add_ids(&index, &["c"]);
    drop(index);
    let first = directory.open("1.text.1").unwrap().to_vec();
    let second = directory.open("2.text.1").unwrap().to_vec();

    for (name, bytes) in [("1.text.1", &second), ("2.text.1", &first)] {
        let right = directory.open(name).unwrap().to_vec();
        memory.put(name, bytes.clone());
        let error = Index::open(directory.clone()).unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains(name), "{error}");
        assert_eq!(verify(&*directory).len(), 1);
        memory.put(name, right);
    }
    for position in 0..first.len() {
        let mut bytes = first.clone();
        bytes[position] ^= 1;
        memory.put("1.text.1", bytes);
        let problems = verify(&*directory);
        assert!(problems.iter().any(|problem| problem.file == "1.text.1"), "{position}");
    }
    memory.put("1.text.1", first);
    assert_eq!(verify(&*directory), []);
    let text = inspect(&*directory, "1.text.1").unwrap();
    assert!(text.contains("kind: TEXT") && text.contains("documents: 2"), "{text}");
    let manifest = file_names(&*directory).into_iter().find(|name| name.starts_with("manifest"));
    assert!(inspect(&*directory, &manifest.unwrap()).unwrap().contains("2.text.1"));
}
