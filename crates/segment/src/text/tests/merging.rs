//! Tests of merging particular files.

use std::sync::atomic::Ordering;

use ::model::Cancel;

use super::*;

fn merged(
    directory: &dyn Directory,
    parts: &[(&TextReader, &RoaringBitmap)],
    name: &str,
) -> TextReader {
    let inputs: Vec<TextMergeInput<'_>> =
        parts.iter().map(|&(reader, live)| TextMergeInput { reader, live }).collect();
    let length = merge(&inputs, directory, name, &Cancel::default()).unwrap();
    let reader = TextReader::open(directory, name).unwrap();
    assert_eq!(reader.file_bytes(), length);
    reader
}

/// Large enough for sets, unions over prefixes and a second plane of tokens.
#[test]
fn a_merge_of_large_files_is_what_one_large_file_would_be() {
    let directory = memory();
    let mut expected = Model::default();
    let mut parts = Vec::new();
    for part in 0..3 {
        let mut model = Model::default();
        for number in 0..400 {
            let doc_id = part * 1000 + number;
            let words: String = (0..60)
                .map(|place| format!(" word{} {doc_id}x{place}", (place * 7 + doc_id) % 100))
                .collect();
            model.add(doc_id, &[("text", &words)]);
        }
        parts.push(model.write(&directory, &format!("part-{part}")));
        expected.documents.extend(model.documents);
    }
    expected.documents.retain(|doc_id, _| doc_id % 50 != 7);
    let live = expected.doc_ids();
    let parts: Vec<(&TextReader, &RoaringBitmap)> =
        parts.iter().map(|reader| (reader, &live)).collect();
    let reader = merged(&directory, &parts, "merged");
    assert_eq!(reader.verify(), []);
    assert!(reader.word_count() > 65_536 && reader.union_count() > 0);
    expected.write(&directory, "fresh");
    assert_eq!(directory.open("fresh").unwrap(), directory.open("merged").unwrap());
}

#[test]
fn words_and_attributes_without_live_documents_are_gone() {
    let directory = memory();
    let mut model = Model::default();
    model.add(1, &[("kept", "common one"), ("gone", "common two")]);
    let first = model.write(&directory, "first");
    let mut model = Model::default();
    model.add(1, &[("kept", "common three")]);
    model.add(2, &[]);
    let second = model.write(&directory, "second");
    let (nothing, all) = (RoaringBitmap::new(), RoaringBitmap::from_iter(0..100));
    let reader = merged(&directory, &[(&first, &nothing), (&second, &all)], "x");
    model.check(&reader);
    assert_eq!(reader.fields(), ["kept"]);
    Model::default().check(&merged(&directory, &[(&first, &nothing)], "y"));
    Model::default().check(&merged(&directory, &[], "z"));
}

#[test]
fn rejects_documents_live_in_two_inputs() {
    let directory = memory();
    let first = Model::sample(0, 100).write(&directory, "first");
    let second = Model::sample(50, 100).write(&directory, "second");
    let everything = &RoaringBitmap::from_iter(0..1000);
    let inputs = [&first, &second].map(|reader| TextMergeInput { reader, live: everything });
    let error = merge(&inputs, &directory, "x", &Cancel::default()).unwrap_err();
    assert!(matches!(error, SegmentError::Inconsistent(_)), "{error}");
}

#[test]
fn a_merge_stops_when_asked() {
    let directory = memory();
    let model = Model::sample(0, 3000);
    let reader = model.write(&directory, "x");
    let live = &model.doc_ids();
    let inputs = [TextMergeInput { reader: &reader, live }];
    let (count, asked) = Cancel::at_check(usize::MAX);
    merge(&inputs, &directory, "whole", &count).unwrap();
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked >= 4, "{asked}");
    for stop_at in [1, asked / 2, asked] {
        let (stop, _) = Cancel::at_check(stop_at);
        let name = format!("stopped-{stop_at}");
        let stopped = merge(&inputs, &directory, &name, &stop);
        assert!(matches!(stopped, Err(SegmentError::Stopped)));
        assert!(TextReader::open(&directory, &name).unwrap_err().is_damaged());
    }
}
