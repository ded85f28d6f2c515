//! An index that earlier releases wrote, with text files of versions 1, 2 and 3: it gives the same
//! answers as one that is written now, as it is and after its segments have been rewritten.

use std::path::PathBuf;
use std::sync::Arc;

use index::{Index, Snapshot};
use model::Cancel;
use search::Query;
use segment::MemoryDirectory;
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::support::{directory_of, query};

/// The files of the index, in memory.
fn opened(version: u16) -> (Arc<MemoryDirectory>, Index) {
    let folder = format!("{}/tests/text_version_{version}", env!("CARGO_MANIFEST_DIR"));
    let is_file = |path: &PathBuf| path.extension().is_none_or(|extension| extension != "json");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<(String, Vec<u8>)> = paths
        .filter(is_file)
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    let directory = directory_of(files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])));
    let index = Index::open(Arc::<MemoryDirectory>::clone(&directory)).unwrap();
    (directory, index)
}

/// The last digit of a number may be lost on its way through JSON.
fn in_millionths(score: f64) -> u64 {
    (score * 1e6).round() as u64
}

/// A hit: the id of the document, and its score.
type Answer = Vec<(u64, u64)>;

fn answer(snapshot: &Snapshot, text: &str, attributes: Option<&[String]>) -> Answer {
    let mut query = Query { limit: 200, ..query(Some(text)) };
    query.criteria.to_mut().attributes_to_search_on = attributes.map(<[String]>::to_vec);
    let found = search::run(snapshot, &query).unwrap();
    let hit = |hit: &search::Hit| {
        let document = snapshot.document(hit.doc_id).unwrap().unwrap();
        let document: Value = serde_json::from_str(&document).unwrap();
        (document["id"].as_u64().unwrap(), in_millionths(hit.score))
    };
    found.hits.iter().map(hit).collect()
}

/// Compares with what was recorded from an index with text of version 1.
fn check_recorded_answers(snapshot: &Snapshot) {
    let answers = include_str!("../text_version_1/answers.json");
    let answers: Vec<Value> = serde_json::from_str(answers).unwrap();
    assert_eq!(answers.len(), 22);
    for recorded in answers {
        let attributes: Option<Vec<String>> =
            serde_json::from_value(recorded["attributes"].clone()).unwrap();
        let text = recorded["q"].as_str().unwrap();
        let expected: Vec<(u64, f64)> = serde_json::from_value(recorded["hits"].clone()).unwrap();
        let expected: Answer =
            expected.into_iter().map(|(id, score)| (id, in_millionths(score))).collect();
        let found = answer(snapshot, text, attributes.as_deref());
        assert_eq!(found, expected, "{text} in {}", recorded["attributes"]);
    }
}

#[test]
fn text_version_1_gives_the_same_answers_and_is_rewritten() {
    let (directory, index) = opened(1);
    let has_occurrences = |snapshot: &Snapshot| {
        snapshot.segments().iter().filter(|segment| segment.text().has_occurrences()).count()
    };
    assert_eq!(has_occurrences(&index.snapshot()), 0);
    assert_eq!(index::verify(directory.as_ref()), []);
    check_recorded_answers(&index.snapshot());

    let segments = index.snapshot().segments().len();
    assert_eq!(segments, 3);
    for rewritten in 1..=segments {
        let plan = index.next_merge().unwrap();
        index.run_merge(plan, &Cancel::default()).unwrap();
        assert_eq!(has_occurrences(&index.snapshot()), rewritten);
        check_recorded_answers(&index.snapshot());
    }
    assert!(index.next_merge().is_none());
    assert_eq!(index::verify(directory.as_ref()), []);
}

#[test]
fn text_version_2_gives_the_same_answers_and_can_be_merged() {
    let (directory, index) = opened(2);
    assert_eq!(index::verify(directory.as_ref()), []);
    check_recorded_answers(&index.snapshot());
    assert!(index.next_merge().is_none(), "its files are as quick to search as new ones");
    index.compact(&Cancel::default()).unwrap();
    assert_eq!(index.snapshot().segments().len(), 1);
    check_recorded_answers(&index.snapshot());
    assert_eq!(index::verify(directory.as_ref()), []);
}

#[test]
fn text_version_3_gives_the_same_answers_and_can_be_merged() {
    let (directory, index) = opened(3);
    let has_near_pairs = |index: &Index| {
        let snapshot = index.snapshot();
        let text = snapshot.segments()[0].text();
        text.is_frequent_nearby(text.ordinal(b"the").unwrap()).unwrap()
    };
    assert!(!has_near_pairs(&index));
    assert_eq!(index::verify(directory.as_ref()), []);
    assert!(index.next_merge().is_none(), "its files are nearly as quick to search as new ones");

    let new = indexed_again(&index.snapshot());
    assert!(has_near_pairs(&new));
    let check = |index: &Index| {
        for query in [
            "the of ",
            "of the",
            "the a it ",
            "of film",
            "a t",
            "the the",
            "great acting ",
            "it f",
            "form of the w",
            "the river \"of the\"",
            "acfing of the",
            "the of a it town",
        ] {
            let expected = answer(&new.snapshot(), query, None);
            assert!(expected.len() > 10, "{query}");
            assert_eq!(answer(&index.snapshot(), query, None), expected, "{query}");
        }
    };
    check(&index);
    // With another document there is something to merge.
    for index in [&index, &new] {
        put(index, [json!({ "id": 700, "title": "the town", "text": "of it" })]);
        index.compact(&Cancel::default()).unwrap();
    }
    assert!(has_near_pairs(&index));
    check(&index);
    assert_eq!(index::verify(directory.as_ref()), []);
}

/// The documents of an index, written by this release.
fn indexed_again(snapshot: &Snapshot) -> Index {
    let now = OffsetDateTime::UNIX_EPOCH;
    let index = Index::create(Arc::new(MemoryDirectory::new()), now).unwrap();
    let mut writer = index.writer().unwrap();
    writer.set_settings(snapshot.settings().clone());
    writer.set_primary_key(Some("id"));
    writer.commit(&[], now).unwrap();
    let document = |doc_id| snapshot.document(doc_id).unwrap().unwrap();
    put(&index, snapshot.live().iter().map(|id| serde_json::from_str(&document(id)).unwrap()));
    index
}

fn put(index: &Index, documents: impl IntoIterator<Item = Value>) {
    let mut writer = index.writer().unwrap();
    for document in documents {
        let names = document.as_object().unwrap().keys().map(String::as_str);
        writer.upsert(&document["id"].to_string(), &document.to_string(), names).unwrap();
    }
    writer.commit(&[], OffsetDateTime::UNIX_EPOCH).unwrap();
}
