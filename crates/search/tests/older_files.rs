//! An index that earlier releases wrote, with text files of version 1, and of version 2: it gives
//! the answers that were recorded from the first of them, as it is and after its segments have been
//! rewritten.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use index::{Index, Snapshot};
use search::{Query, Strategy};
use segment::{Directory, MemoryDirectory};
use serde_json::Value;

static CANCELLED: AtomicBool = AtomicBool::new(false);

/// The files of the index, in memory.
fn opened(version: u16) -> (Arc<MemoryDirectory>, Index) {
    let folder = format!("{}/tests/text_version_{version}", env!("CARGO_MANIFEST_DIR"));
    let directory = Arc::new(MemoryDirectory::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            let name = path.file_name().unwrap().to_str().unwrap();
            let mut file = directory.create(name).unwrap();
            file.write_all(&std::fs::read(&path).unwrap()).unwrap();
            file.sync().unwrap();
        }
    }
    directory.sync().unwrap();
    let index = Index::open(Arc::<MemoryDirectory>::clone(&directory)).unwrap();
    (directory, index)
}

/// The last digit of a number may be lost on its way through JSON.
fn in_millionths(score: f64) -> u64 {
    (score * 1e6).round() as u64
}

fn check_answers(snapshot: &Snapshot) {
    let answers = include_str!("text_version_1/answers.json");
    let answers: Vec<Value> = serde_json::from_str(answers).unwrap();
    assert_eq!(answers.len(), 22);
    for answer in answers {
        let attributes: Option<Vec<String>> =
            serde_json::from_value(answer["attributes"].clone()).unwrap();
        let query = Query {
            text: answer["q"].as_str(),
            vector: None,
            strategy: Strategy::Last,
            attributes: attributes.as_deref(),
            locales: None,
            filter: None,
            sort: &[],
            distinct: None,
            pins: &[],
            offset: 0,
            limit: 200,
            exhaustive: false,
            threshold: None,
            with_scores: true,
            with_words: false,
            deadline: Instant::now() + Duration::from_secs(60),
            cancelled: &CANCELLED,
        };
        let found = search::run(snapshot, &query).unwrap();
        let hits: Vec<(u64, u64)> = found
            .hits
            .iter()
            .map(|hit| {
                let document = snapshot.document(hit.doc_id).unwrap().unwrap();
                let document: Value = serde_json::from_str(&document).unwrap();
                (document["id"].as_u64().unwrap(), in_millionths(hit.score))
            })
            .collect();
        let expected: Vec<(u64, f64)> = serde_json::from_value(answer["hits"].clone()).unwrap();
        let expected: Vec<(u64, u64)> =
            expected.into_iter().map(|(id, score)| (id, in_millionths(score))).collect();
        assert_eq!(hits, expected, "{} in {}", answer["q"], answer["attributes"]);
    }
}

#[test]
fn an_index_with_text_of_version_1_gives_the_same_answers_and_is_rewritten() {
    let (directory, index) = opened(1);
    let has_occurrences = |snapshot: &Snapshot| {
        snapshot.segments().iter().filter(|segment| segment.text().has_occurrences()).count()
    };
    assert_eq!(has_occurrences(&index.snapshot()), 0);
    assert_eq!(index::verify(directory.as_ref()), []);
    check_answers(&index.snapshot());

    let segments = index.snapshot().segments().len();
    assert_eq!(segments, 3);
    for rewritten in 1..=segments {
        let plan = index.next_merge().unwrap();
        index.run_merge(plan, &|| false).unwrap();
        assert_eq!(has_occurrences(&index.snapshot()), rewritten);
        check_answers(&index.snapshot());
    }
    assert!(index.next_merge().is_none());
    assert_eq!(index::verify(directory.as_ref()), []);
}

#[test]
fn an_index_with_text_of_version_2_gives_the_same_answers_and_can_be_merged() {
    let (directory, index) = opened(2);
    assert_eq!(index::verify(directory.as_ref()), []);
    check_answers(&index.snapshot());
    assert!(index.next_merge().is_none(), "its files are as quick to search as new ones");
    index.compact(&|| false).unwrap();
    assert_eq!(index.snapshot().segments().len(), 1);
    check_answers(&index.snapshot());
    assert_eq!(index::verify(directory.as_ref()), []);
}
