//! Tests of files of version 1, without occurrences, written by the release before.

use ::model::Cancel;

use super::*;
use crate::directory::FileBytes;

const VERSION_1: &[u8] = include_bytes!("../../../../search/tests/text_version_1/1.text.1");

fn older() -> TextReader {
    TextReader::from_bytes("1.text.1", FileBytes::from(VERSION_1.to_vec())).unwrap()
}

#[test]
fn a_file_of_version_1_is_read() {
    let reader = older();
    assert!(!reader.has_occurrences());
    assert_eq!(reader.verify(), []);
    let ordinal = reader.ordinal(b"harbour").unwrap();
    assert!(reader.occurrences(ordinal, &mut Vec::new()).unwrap().is_none());
    assert!(!reader.documents_of(ordinal).unwrap().is_empty());
}

/// It has more tokens than tests index at a time.
#[test]
fn a_file_of_version_1_is_merged_into_one_of_the_newest() {
    let reader = older();
    let directory = memory();
    let mut live = reader.doc_ids().clone();
    live.remove(5);
    merge(&[TextMergeInput { reader: &reader, live: &live }], &directory, "x", &Cancel::default())
        .unwrap();
    let merged = TextReader::open(&directory, "x").unwrap();
    assert!(merged.has_occurrences());
    assert_eq!(merged.verify(), []);
    let mut expected = read_positions(&reader).unwrap();
    expected.remove(&5);
    assert_eq!(read_positions(&merged).unwrap(), expected);
}

#[test]
fn a_file_of_version_1_loses_attributes() {
    let reader = older();
    let directory = memory();
    let without = BTreeSet::from(["text"]);
    let part = TextPart { reader: &reader, live: reader.doc_ids(), without: &without };
    join(&[part], &directory, "x", &Cancel::default()).unwrap();
    let joined = TextReader::open(&directory, "x").unwrap();
    assert_eq!(joined.verify(), []);
    assert_eq!(joined.fields(), ["notes", "title"]);
}
