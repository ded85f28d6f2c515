//! Golden files: an index with a file of every kind, as each format version wrote it. Every later build
//! reads all of them and gives the recorded answers; and the bytes that this build writes are those of
//! the newest folder, unless the version in the file says that they differ.
//!
//! `UPDATE_GOLDEN=1 cargo test -p search --test it golden` adds a folder for this build. Do so after a
//! change of a format, and after one of a library whose bytes are in the files (zstd, roaring, fst)
//! has been shown to be readable by the released build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use filter::{Filter, SortItem, parse_sort};
use index::{Index, Options, Snapshot, VectorOrigin};
use model::Cancel;
use search::{Query, VectorQuery};
use segment::{Directory, MemoryDirectory};
use serde_json::{Value, json};
use testkit::golden;
use time::OffsetDateTime;
use vectors::{Metric, StoreOptions};

use crate::support::{CANCELLED, directory_of, query};

const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;
const ANSWERS: &str = "answers.json";
const EMBEDDER: &str = "e";
const DIMENSIONS: usize = 8;
const DOCUMENTS: u64 = 400;

type Files = BTreeMap<String, Vec<u8>>;

/// Moves everything that may lie in a file of its own out of the manifest, and lets one thread do all.
fn options() -> Options {
    Options { inline_deleted: 0, inline_bytes: 0, threads: 1, ..Options::default() }
}

fn document(id: u64) -> Value {
    let words =
        ["amber", "tide", "song", "harbour", "quiet", "rope", "salt", "kaviár", "東京", "ship"];
    let text: Vec<&str> =
        (0..8 + id % 5).map(|n| words[((id * 7 + n * (1 + id % 3)) % 10) as usize]).collect();
    let shape = json!({ "type": "Polygon", "coordinates":
        [[[0.0, 0.0], [id as f64 / 50.0, 0.0], [0.0, 2.0], [0.0, 0.0]]] });
    let mut document = json!({
        "id": id,
        "title": format!("{} number{}", words[(id % 10) as usize], id % 23),
        "text": text.join(" "),
        "pages": (id * 37 % 100) as f64 / 4.0,
        "genre": ["sea", format!("genre {}", id % 4)],
        "_geo": { "lat": (id % 90) as f64 - 45.0, "lng": (id * 3 % 360) as f64 - 180.0 },
    });
    if id.is_multiple_of(7) {
        document["_geojson"] = shape;
    }
    if id.is_multiple_of(5) {
        document["pages"] = Value::Null;
    }
    document
}

/// Quarters, whose squares are added without rounding: every processor writes the same bytes.
fn vector(id: u64) -> [f32; DIMENSIONS] {
    std::array::from_fn(|place| ((id * 31 + place as u64 * 17) % 101 % 9) as f32 / 4.0 - 1.0)
}

fn settings() -> Value {
    json!({
        "searchableAttributes": ["title", "text"],
        "filterableAttributes": ["genre", "pages", "_geo", "_geojson"],
        "sortableAttributes": ["pages", "_geo"],
        "stopWords": ["the"],
        "synonyms": { "ship": ["boat", "sailing vessel"] },
        "stemming": { "attributes": ["*"], "languages": ["en"] },
    })
}

/// Writes the index of this build: two segments, deleted documents, values, places and vectors with
/// a graph over them.
fn written() -> Files {
    let directory = Arc::new(MemoryDirectory::new());
    let index =
        Index::create_with(Arc::<MemoryDirectory>::clone(&directory), NOW, options()).unwrap();
    let mut writer = index.writer().unwrap();
    writer.set_primary_key(Some("id"));
    writer.set_settings(settings());
    writer.commit(&[], NOW).unwrap();
    for half in [1..=DOCUMENTS / 2, DOCUMENTS / 2 + 1..=DOCUMENTS] {
        let mut writer = index.writer().unwrap();
        for id in half {
            let document = document(id);
            let fields: Vec<&str> =
                document.as_object().unwrap().keys().map(String::as_str).collect();
            writer.upsert(&id.to_string(), &document.to_string(), fields).unwrap();
        }
        writer.commit(&[], NOW).unwrap();
    }
    let snapshot = index.snapshot();
    let mut writer = index.writer().unwrap();
    let metric = Metric::Cosine;
    writer.reset_embedder(EMBEDDER, StoreOptions { dimensions: DIMENSIONS, metric });
    let origin = VectorOrigin { given: true, regenerate: false };
    for id in (1..=DOCUMENTS).filter(|id| id % 9 != 0) {
        let doc_id = snapshot.doc_id(&id.to_string()).unwrap().unwrap();
        writer.set_vectors(doc_id, EMBEDDER, &[vector(id)], origin).unwrap();
    }
    writer.commit(&[], NOW).unwrap();
    while let Some(plan) = index.next_vector_merge() {
        assert!(index.run_vector_merge(&plan, &Cancel::default()).unwrap());
    }
    let mut writer = index.writer().unwrap();
    for id in [3_u64, 77, 210, 399] {
        assert!(writer.delete(&id.to_string()).unwrap());
    }
    writer.commit(b"a receipt", NOW).unwrap();
    drop(index);
    let names = directory.list().unwrap();
    names
        .into_iter()
        .map(|(name, _)| {
            let bytes = directory.open(&name).unwrap().to_vec();
            (name, bytes)
        })
        .collect()
}

fn opened(files: &Files) -> (Arc<MemoryDirectory>, Index) {
    let directory = directory_of(files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])));
    let index = Index::open_with(Arc::<MemoryDirectory>::clone(&directory), options()).unwrap();
    (directory, index)
}

/// One question of each kind, with the ids and scores of its hits.
fn answers(snapshot: &Snapshot) -> Value {
    let questions = [
        json!({ "q": "quiet harbour" }),
        json!({ "q": "quite harbuor" }),
        json!({ "q": "\"tide song\"" }),
        json!({ "q": "sh" }),
        json!({ "q": "boats" }),
        json!({ "q": "kaviar 東京" }),
        json!({ "q": "amber -salt" }),
        json!({ "q": "salt", "filter": "pages > 10 AND genre = 'genre 1'" }),
        json!({ "filter": "_geoRadius(0, 0, 3000000)", "sort": ["_geoPoint(1, 2):asc"] }),
        json!({ "filter": "_geoPolygon([0, 0], [0, 1], [1, 1])" }),
        json!({ "filter": "pages IS NULL", "sort": ["pages:desc"] }),
        json!({ "vector": 42 }),
        json!({ "vector": 300, "filter": "genre = 'genre 2'" }),
    ];
    let answer = |question: &Value| {
        let filter = question.get("filter").and_then(|filter| Filter::from_json(filter).unwrap());
        let sort: Vec<String> =
            serde_json::from_value(question["sort"].clone()).unwrap_or_default();
        let sort: Vec<SortItem> = parse_sort(&sort).unwrap();
        let of_vector = question["vector"].as_u64().map(vector);
        let embedder = snapshot.embedder(EMBEDDER).expect("the embedder");
        let vector = of_vector.as_ref().map(|vector| VectorQuery {
            store: embedder.store(),
            vector,
            distribution: None,
        });
        let query = Query {
            vector,
            filter: filter.as_ref(),
            sort: &sort,
            limit: 12,
            exhaustive: true,
            ..query(question["q"].as_str())
        };
        let found = search::run(snapshot, &query).unwrap();
        let hit = |hit: &search::Hit| {
            let document = snapshot.document(hit.doc_id).unwrap().unwrap();
            let document: Value = serde_json::from_str(&document).unwrap();
            json!([document["id"], (hit.score * 1e6).round()])
        };
        let facets = search::facets::distribution(
            snapshot,
            &found.candidates,
            &["*".to_owned()],
            &CANCELLED,
        );
        json!({
            "question": question,
            "total": found.candidates.len(),
            "hits": found.hits.iter().map(hit).collect::<Vec<_>>(),
            "facets": format!("{:?}", facets.unwrap()),
        })
    };
    Value::Array(questions.iter().map(answer).collect())
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn read(folder: &std::path::Path) -> (Files, Value) {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Files = entries
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    let answers = files.remove(ANSWERS).expect("the recorded answers");
    (files, serde_json::from_slice(&answers).unwrap())
}

/// Kind and version of a file, as its frame tells them.
fn version(bytes: &[u8]) -> (&[u8], u16) {
    assert_eq!(&bytes[..8], b"\x89SONDE\r\n", "every file is framed");
    (&bytes[8..12], u16::from_le_bytes([bytes[12], bytes[13]]))
}

#[test]
fn golden_files_are_read_and_give_the_recorded_answers() {
    let folders = golden::folders(&root());
    assert!(!folders.is_empty(), "no golden files");
    for (_, folder) in folders {
        let (files, recorded) = read(&folder);
        let (directory, index) = opened(&files);
        assert_eq!(index::verify(directory.as_ref()), [], "{}", folder.display());
        let snapshot = index.snapshot();
        assert_eq!(snapshot.receipt(), b"a receipt");
        assert_eq!(snapshot.number_of_documents(), DOCUMENTS - 4);
        for (found, recorded) in
            answers(&snapshot).as_array().unwrap().iter().zip(recorded.as_array().unwrap())
        {
            assert_eq!(found, recorded, "{}", folder.display());
        }
        // What is written on top of them is read, too.
        index.compact(&Cancel::default()).unwrap();
        assert_eq!(index::verify(directory.as_ref()), [], "{}", folder.display());
        assert_eq!(answers(&index.snapshot()), recorded, "compacted: {}", folder.display());
    }
}

#[test]
fn bytes_change_only_with_the_version_of_their_kind() {
    let files = written();
    let changed = match golden::folders(&root()).last() {
        Some((_, folder)) => changes(&read(folder).0, &files),
        None => vec!["there are no golden files yet".to_owned()],
    };
    if golden::is_update() && !changed.is_empty() {
        let folder = golden::new_folder(&root()).unwrap();
        let answers = answers(&opened(&files).1.snapshot());
        for (name, bytes) in &files {
            fs::write(folder.join(name), bytes).unwrap();
        }
        fs::write(folder.join(ANSWERS), serde_json::to_string_pretty(&answers).unwrap()).unwrap();
        return;
    }
    assert!(
        changed.is_empty(),
        "the bytes of files changed without a new version, so that an older build may misread them:\n{}\n\
         Raise the version of the kind, describe it in FORMAT.md and run with UPDATE_GOLDEN=1.",
        changed.join("\n")
    );
}

/// Lists the files whose bytes differ from the golden files of the same version, and the versions
/// without a golden file.
fn changes(golden: &Files, files: &Files) -> Vec<String> {
    let versions: BTreeSet<(&[u8], u16)> = golden.values().map(|bytes| version(bytes)).collect();
    let mut changes = Vec::new();
    for (name, bytes) in files {
        let (kind, number) = version(bytes);
        if !versions.contains(&(kind, number)) {
            let kind = String::from_utf8_lossy(kind);
            changes.push(format!("{name}: {kind} of version {number} has no golden file"));
            continue;
        }
        match golden.get(name) {
            Some(golden) if golden == bytes => {}
            Some(_) => changes.push(format!("{name} has other bytes")),
            None => changes.push(format!("{name} is new")),
        }
    }
    let gone = golden.keys().filter(|name| !files.contains_key(*name));
    changes.extend(gone.map(|name| format!("{name} is gone")));
    changes
}

#[test]
fn the_same_documents_give_the_same_bytes() {
    assert!(changes(&written(), &written()).is_empty());
}
