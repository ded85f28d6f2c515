//! Tests of the columns of an index: they match the documents by the rules, whatever has happened
//! to segments and settings, and no more is built than is newly wanted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use index::{DocId, Index, Options, inspect, verify};
use model::Cancel;
use roaring::RoaringBitmap;
use segment::{Directory, MemoryDirectory};
use serde_json::{Value, json};

use crate::support::values::Expected;
use crate::support::{
    add_ids, at, file_names, in_memory, merge_all, set_settings, small_options, upsert,
};

/// Documents that are their own place in a list, from 1.
fn upsert_all(index: &Index, documents: &[Value]) {
    let numbered = documents.iter().enumerate();
    let documents: Vec<(String, String)> =
        numbered.map(|(place, document)| ((place + 1).to_string(), document.to_string())).collect();
    upsert(index, &documents);
}

fn filterable(names: &[&str]) -> Value {
    json!({ "filterableAttributes": names })
}

fn small(memory: &MemoryDirectory) -> Index {
    Index::create_with(Arc::new(memory.clone()), at(0), small_options()).unwrap()
}

/// The files of a kind, by name.
fn files(directory: &dyn Directory, kind: &str) -> Vec<String> {
    file_names(directory).into_iter().filter(|name| name.contains(kind)).collect()
}

/// The documents of sets of a column of the only segment, counted from 1.
fn column_sets(index: &Index, name: &str) -> [Vec<DocId>; 3] {
    let snapshot = index.snapshot();
    let column = snapshot.segments()[0].column(name).unwrap().unwrap();
    [column.exists(), column.null(), column.empty()]
        .map(|set| set.iter().map(|doc_id| doc_id + 1).collect())
}

/// The strings of a column of the only segment and, before them, its numbers.
fn column_values(index: &Index, name: &str) -> Vec<String> {
    let snapshot = index.snapshot();
    let column = snapshot.segments()[0].column(name).unwrap().unwrap();
    let show = |ordinal: u32| {
        if ordinal < column.number_count() {
            column.number(ordinal).unwrap().to_string()
        } else {
            format!("{:?}", column.string(ordinal).unwrap())
        }
    };
    (0..column.value_count()).map(show).collect()
}

#[test]
fn null_and_empty_are_about_the_value_itself() {
    let (_, index) = in_memory();
    set_settings(&index, filterable(&["a", "zz"]));
    upsert_all(
        &index,
        &[
            json!({ "a": "x" }),
            json!({ "a": null }),
            json!({ "b": 1 }),
            json!({ "a": "" }),
            json!({ "a": [] }),
            json!({ "a": {} }),
            json!({ "a": [null] }),
            json!({ "a": [[]] }),
            json!({ "a": { "b": null } }),
            json!({ "a": { "b": [] } }),
            json!({ "a": [""] }),
            json!({ "a": 0 }),
            json!({ "a": false }),
            json!({ "a": " " }),
            json!({ "a": [{}] }),
            json!({ "a": { "b": 1, "c": { "d": null } } }),
            json!({ "a": [{ "e": null }, { "e": [] }] }),
        ],
    );
    let all_but_3: Vec<DocId> = (1..=17).filter(|&id| id != 3).collect();
    assert_eq!(column_sets(&index, "a"), [all_but_3, vec![2], vec![4, 5, 6]]);
    assert_eq!(column_sets(&index, "a.b"), [vec![9, 10, 16], vec![9], vec![10]]);
    assert_eq!(column_sets(&index, "a.c"), [vec![16], vec![], vec![]]);
    assert_eq!(column_sets(&index, "a.c.d"), [vec![16], vec![16], vec![]]);
    assert_eq!(column_sets(&index, "a.e"), [vec![17], vec![17], vec![17]]);
    assert_eq!(column_values(&index, "a"), ["0", "\"\"", "\"false\"", "\"x\""]);
    assert!(index.snapshot().segments()[0].column("zz").unwrap().is_none());
    assert!(index.snapshot().segments()[0].column("b").unwrap().is_none());
}

#[test]
fn paths_lead_through_objects_arrays_and_dotted_names() {
    let (_, index) = in_memory();
    set_settings(&index, filterable(&["maker", "parts.kind", "parts.qty"]));
    upsert_all(
        &index,
        &[
            json!({ "maker": { "name": "Orla", "home": { "city": "Galway", "zip": 91 } },
                "parts": [{ "kind": "wheel", "qty": 2 }, { "kind": "bell", "qty": 1 }] }),
            json!({ "maker": { "name": "Timo" }, "parts": [{ "kind": "wheel", "qty": 4 }] }),
            json!({ "maker.name": "Orla", "parts": { "kind": "chain", "qty": [3, 9] } }),
            json!({ "maker": "Orla", "parts": "wheel" }),
            json!({ "maker": [{ "name": "Ana" }, "Solo", { "name": ["Bo", "Cy"] }], "parts": [] }),
        ],
    );
    let snapshot = index.snapshot();
    let names: Vec<&str> = snapshot.segments()[0].column_names().into_iter().collect();
    assert_eq!(
        names,
        [
            "maker",
            "maker.home",
            "maker.home.city",
            "maker.home.zip",
            "maker.name",
            "parts.kind",
            "parts.qty"
        ]
    );
    assert_eq!(column_values(&index, "maker"), ["\"orla\"", "\"solo\""]);
    assert_eq!(
        column_values(&index, "maker.name"),
        ["\"ana\"", "\"bo\"", "\"cy\"", "\"orla\"", "\"timo\""]
    );
    assert_eq!(column_sets(&index, "maker.name")[0], [1, 2, 3, 5]);
    assert_eq!(column_values(&index, "parts.qty"), ["1", "2", "3", "4", "9"]);
    assert_eq!(column_sets(&index, "parts.kind")[0], [1, 2, 3]);
}

#[test]
fn values_are_numbers_and_normal_forms() {
    let (_, index) = in_memory();
    set_settings(&index, json!({ "sortableAttributes": ["v"] }));
    let values = json!([
        " Red",
        "red",
        "ÉTÉ",
        2,
        2.0,
        "2",
        true,
        "TRUE",
        "  ",
        -0.0,
        0,
        1e300,
        18446744073709551615_u64,
        -1e-7
    ]);
    upsert_all(&index, &[json!({ "v": values })]);
    assert_eq!(
        column_values(&index, "v"),
        [
            "-0.0000001",
            "0",
            "2",
            "18446744073709552000",
            &format!("1{}", "0".repeat(300)),
            "\"\"",
            "\"2\"",
            "\"e\\u{301}te\\u{301}\"",
            "\"red\"",
            "\"true\""
        ]
    );
}

#[test]
fn there_is_no_file_where_there_is_nothing_to_keep() {
    let (directory, index) = in_memory();
    add_ids(&index, &["a"]);
    set_settings(&index, filterable(&["x", "_geo"]));
    add_ids(&index, &["b"]);
    assert_eq!(files(&*directory, "columns"), [""; 0]);
    assert_eq!(files(&*directory, "geo"), [""; 0]);
    upsert_all(&index, &[json!({ "x": null })]);
    assert_eq!(files(&*directory, "columns"), ["3.columns.1"]);
    index.compact(&Cancel::default()).unwrap();
    assert_eq!(files(&*directory, "columns"), ["4.columns.1"]);
    let mut writer = index.writer().unwrap();
    writer.delete("1").unwrap();
    writer.commit(b"", at(1)).unwrap();
    index.compact(&Cancel::default()).unwrap();
    assert_eq!(files(&*directory, "columns"), [""; 0], "nobody has the attribute any more");
    assert_eq!(verify(&*directory), []);
}

#[test]
fn only_what_has_become_wanted_is_built() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    upsert_all(&index, &[json!({ "a": 1, "b": { "c": 2 }, "d": "x" }), json!({ "a": 3 })]);
    let texts = files(&memory, "text");
    set_settings(&index, filterable(&["a"]));
    let first = files(&memory, "columns");
    assert_eq!(first.len(), 1);

    set_settings(&index, filterable(&["a", "b"]));
    let second = files(&memory, "columns");
    assert_eq!(second.len(), 2);
    assert!(second.contains(&first[0]));
    let snapshot = index.snapshot();
    let segment = &snapshot.segments()[0];
    assert_eq!(segment.column_names().into_iter().collect::<Vec<_>>(), ["a", "b", "b.c"]);
    assert_eq!(segment.column("b").unwrap().unwrap().exists(), &RoaringBitmap::from([0]));

    // No longer wanted, or wanted for something else: nothing is built, nothing is lost.
    set_settings(&index, json!({ "filterableAttributes": ["a"], "sortableAttributes": ["b.c"] }));
    assert_eq!(files(&memory, "columns"), second);
    set_settings(&index, filterable(&["a", "b", "unknown"]));
    assert_eq!(files(&memory, "columns"), second);
    assert_eq!(files(&memory, "text"), texts);
    drop(snapshot);

    // A file goes when nothing in it is wanted, and is built again when it is.
    set_settings(&index, filterable(&["a"]));
    assert_eq!(files(&memory, "columns"), first);
    set_settings(&index, Value::Null);
    assert_eq!(files(&memory, "columns"), [""; 0]);
    set_settings(&index, json!({ "rankingRules": ["d:asc"], "stopWords": ["x"] }));
    assert_eq!(files(&memory, "columns").len(), 1);
    assert_ne!(files(&memory, "text"), texts, "both in one go");
    assert_eq!(column_values(&index, "d"), ["\"x\""]);
    assert_eq!(verify(&memory), []);
}

#[test]
fn settings_and_documents_of_one_batch_go_together() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    add_ids(&index, &["old"]);
    let mut writer = index.writer().unwrap();
    let mut documents = BTreeMap::from([("old".to_owned(), "{\"id\":\"old\"}".to_owned())]);
    // More than the buffer holds: some are indexed before the settings are known.
    for number in 0..60 {
        let json = format!("{{\"id\":\"{number}\",\"a\":\"word {}\"}}", number % 7);
        writer.upsert(&number.to_string(), &json, ["id", "a"]).unwrap();
        documents.insert(number.to_string(), json);
        match number {
            20 => writer.set_settings(filterable(&["id"])),
            40 => writer.set_settings(filterable(&["a"])),
            _ => {}
        }
    }
    writer.delete("3").unwrap();
    documents.remove("3");
    writer.commit(b"", at(1)).unwrap();
    Expected { documents, settings: filterable(&["a"]) }.check(&index);
    assert_eq!(verify(&memory), []);
}

#[test]
fn a_snapshot_keeps_its_columns() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    set_settings(&index, filterable(&["id"]));
    add_ids(&index, &["a"]);
    let held = index.snapshot();
    set_settings(&index, Value::Null);
    assert!(index.snapshot().segments()[0].column("id").unwrap().is_none());
    let column = held.segments()[0].column("id").unwrap().unwrap();
    assert_eq!(column.string_ordinal(b"a").unwrap(), Some(0));
    assert_eq!(files(&memory, "columns").len(), 1);
    drop(held);
    assert_eq!(files(&memory, "columns").len(), 0);
}

#[test]
fn a_merge_keeps_what_is_wanted() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    set_settings(&index, filterable(&["id", "x"]));
    for id in ["a", "b"] {
        upsert(&index, &[(id.to_owned(), json!({ "id": id, "x": id }).to_string())]);
    }
    // A file of its own for each of the two, and an unwanted column.
    set_settings(&index, filterable(&["id", "y"]));
    upsert(&index, &[("c".to_owned(), json!({ "id": "c", "y": 7 }).to_string())]);
    index.compact(&Cancel::default()).unwrap();
    let snapshot = index.snapshot();
    let segment = &snapshot.segments()[0];
    assert_eq!(segment.column_names().into_iter().collect::<Vec<_>>(), ["id", "y"]);
    assert_eq!(column_values(&index, "id"), ["\"a\"", "\"b\"", "\"c\""]);
    assert_eq!(column_sets(&index, "y")[0], [3]);
    assert_eq!(files(&memory, "columns").len(), 1);
    assert_eq!(verify(&memory), []);
}

#[test]
fn a_merge_that_began_when_other_columns_were_wanted_is_dropped() {
    let memory = MemoryDirectory::new();
    let index = Arc::new(small(&memory));
    set_settings(&index, filterable(&["id", "x"]));
    for id in ["a", "b", "c"] {
        upsert(&index, &[(id.to_owned(), json!({ "id": id, "x": 1 }).to_string())]);
    }
    // `x` stays in the files, unwanted. Then it is wanted again while a merge leaves it out.
    set_settings(&index, filterable(&["id"]));
    let before = files(&memory, "columns");
    let plan = index.next_merge().unwrap();
    let (changing, changed) = (Arc::clone(&index), AtomicBool::new(false));
    let meanwhile = Cancel::new().or_when(move || {
        if !changed.swap(true, Ordering::Relaxed) {
            set_settings(&changing, filterable(&["id", "x"]));
        }
        false
    });
    assert!(!index.run_merge(plan, &meanwhile).unwrap().published);
    assert_eq!(files(&memory, "columns"), before, "nothing had to be built");
    assert!(merge_all(&index).unwrap()[0].published, "it is tried again");
    assert_eq!(index.snapshot().segments().len(), 1);
    assert_eq!(column_sets(&index, "x")[0], [1, 2, 3]);
    assert_eq!(verify(&memory), []);
}

#[test]
fn files_of_columns_do_not_pile_up() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    let names: Vec<String> = (0..30).map(|number| format!("n{number:02}")).collect();
    let members = names.iter().map(|name| (name.clone(), json!(name)));
    upsert_all(&index, &[Value::Object(members.collect())]);
    let mut most = 0;
    for end in 1..=names.len() {
        set_settings(&index, json!({ "filterableAttributes": names[..end] }));
        most = most.max(files(&memory, "columns").len());
    }
    assert_eq!(most, 8);
    for name in &names {
        assert_eq!(column_values(&index, name), [format!("{name:?}")]);
    }
    assert_eq!(verify(&memory), []);
}

fn many_documents() -> Vec<(String, String)> {
    let document = |number: u64| {
        let noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let json = json!({
            "id": number, "noise": noise, "kind": format!("Kind {}", noise % 10),
            "list": [noise % 7, "é", { "deep": [noise.is_multiple_of(3), null] }],
            "_geo": { "lat": noise % 90, "lng": number % 180 },
            "text": "Some more words, and a sentence. ".repeat(6),
        });
        (number.to_string(), json.to_string())
    };
    (0..6_000).map(document).collect()
}

/// Many documents are indexed by several threads; the files are the same.
#[test]
fn threads_do_not_show() {
    let documents = many_documents();
    let files = |threads: usize| {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let options = Options { threads, ..Options::default() };
        let index = Index::create_with(directory.clone(), at(0), options).unwrap();
        set_settings(&index, filterable(&["kind", "list"]));
        upsert(&index, &documents);
        set_settings(&index, filterable(&["kind", "list", "noise", "_geo"]));
        assert_eq!(index.snapshot().segments().len(), 1);
        let names = file_names(&*directory);
        names.iter().map(|name| directory.open(name).unwrap().to_vec()).collect::<Vec<_>>()
    };
    assert!(files(1) == files(4));
}

#[test]
fn a_large_segment_is_built_again_in_parts() {
    let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
    let index = Index::create_with(directory.clone(), at(0), Options::default()).unwrap();
    let documents = many_documents();
    upsert(&index, &documents);
    drop(index);
    let options = Options { buffer_bytes: 50_000, ..Options::default() };
    let index = Index::open_with(directory.clone(), options).unwrap();
    let settings = filterable(&["kind", "list", "noise", "_geo"]);
    set_settings(&index, settings.clone());
    let snapshot = index.snapshot();
    let geo = snapshot.segments()[0].geo().unwrap();
    assert_eq!(geo.documents_with_point().len(), 6_000);
    Expected { documents: documents.into_iter().collect(), settings }.check(&index);
    assert_eq!(verify(&*directory), []);
    assert_eq!(files(&*directory, "part"), [""; 0]);
    assert_eq!(files(&*directory, "columns").len(), 1);
}

#[test]
fn files_can_be_inspected() {
    let (directory, index) = in_memory();
    set_settings(&index, filterable(&["id", "_geo"]));
    upsert_all(&index, &[json!({ "id": 1, "_geo": { "lat": 1, "lng": 2 } })]);
    let manifest = files(&*directory, "manifest").pop().unwrap();
    let shown = inspect(&*directory, &manifest).unwrap();
    for name in ["1.columns.1", "1.geo.1"] {
        assert!(shown.contains(name), "{shown}");
        let shown = inspect(&*directory, name).unwrap();
        assert!(shown.contains(name) && !shown.contains("problem"), "{shown}");
    }
}

#[test]
fn columns_of_another_segment_are_found_out() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    set_settings(&index, filterable(&["id"]));
    add_ids(&index, &["a"]);
    add_ids(&index, &["b"]);
    drop(index);
    let bytes = memory.open("1.columns.1").unwrap().to_vec();
    memory.put("2.columns.1", bytes);
    let problems = verify(&memory);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].file, "2.columns.1");
    assert!(problems[0].what.contains("never had"), "{problems:?}");
}

#[test]
fn every_damaged_file_of_a_segment_is_named() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    set_settings(&index, filterable(&["id"]));
    add_ids(&index, &["a"]);
    drop(index);
    let names = ["1.columns.1", "1.documents.1", "1.text.1"];
    for name in names {
        let bytes = memory.open(name).unwrap();
        memory.put(name, bytes[..bytes.len() - 8].to_vec());
    }
    let mut damaged: Vec<String> =
        verify(&memory).into_iter().map(|problem| problem.file).collect();
    damaged.sort();
    assert_eq!(damaged, names);
}
