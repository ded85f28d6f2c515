//! Tests of writing and reading one file.

use super::*;
use crate::inspect;

#[test]
fn documents_come_back() {
    let model = Model::sample(5, 1000);
    let directory = memory();
    let reader = model.write(&directory, "1.documents.1");
    model.check(&reader);
    assert!(reader.block_count() > 5);
    assert_eq!(reader.get(4).unwrap(), None);
    assert_eq!(reader.get(1005).unwrap(), None);
    assert_eq!(reader.find("item-4").unwrap(), None);
    assert_eq!(reader.find("").unwrap(), None);
    let sizes = reader.sizes();
    let length = directory.list().unwrap()[0].1;
    assert_eq!(sizes.file, length);
    assert!(sizes.stored_json < sizes.raw_json / 2);
}

#[test]
fn an_empty_segment_is_one() {
    let model = Model::default();
    let reader = model.write(&memory(), "x");
    model.check(&reader);
    assert!(reader.is_empty());
    assert_eq!(reader.find("a").unwrap(), None);
    assert_eq!(reader.get(0).unwrap(), None);
}

#[test]
fn the_last_word_on_a_doc_id_or_external_id_counts() {
    let mut writer = DocumentsWriter::new();
    let mut add = |doc_id, external_id, json| {
        writer.add(doc_id, external_id, json, ["f"]).unwrap();
    };
    add(1, "a", r#"{"v":1}"#);
    add(2, "b", r#"{"v":2}"#);
    add(3, "a", r#"{"v":3}"#);
    add(2, "c", r#"{"v":4}"#);
    add(9, "d", r#"{"v":5}"#);
    assert!(writer.remove(9));
    assert!(!writer.remove(9));
    assert!(!writer.remove(1), "its external id has moved on");
    assert_eq!(writer.len(), 2);
    assert_eq!(writer.find("a"), Some(3));
    assert_eq!(writer.find("b"), None);
    assert_eq!(writer.get(2), Some(r#"{"v":4}"#));
    assert_eq!(writer.get(1), None);

    let directory = memory();
    writer.finish(&directory, "x").unwrap();
    let reader = DocumentsReader::open(&directory, "x").unwrap();
    assert_eq!(scan(&reader), [(2, r#"{"v":4}"#.to_owned()), (3, r#"{"v":3}"#.to_owned())]);
    assert_eq!(reader.find("a").unwrap(), Some(3));
    assert_eq!(reader.find("c").unwrap(), Some(2));
    assert_eq!(reader.find("d").unwrap(), None);
    assert_eq!(reader.verify(), []);
}

#[test]
fn the_order_of_adding_does_not_matter() {
    let model = Model::sample(0, 300);
    let mut writer = DocumentsWriter::new();
    for number in 0..300 {
        let doc_id = number * 77 % 300;
        model.documents[&doc_id].add_to(&mut writer, doc_id);
    }
    let directory = memory();
    writer.finish(&directory, "x").unwrap();
    model.write(&directory, "y");
    assert_eq!(directory.open("x").unwrap(), directory.open("y").unwrap());
}

#[test]
fn odd_documents_survive() {
    let huge = format!(r#"{{"text":"{}"}}"#, "long é ".repeat(60_000));
    let texts = ["", "{}", &huge, "{\n \"a\" : 1.50e0 }", "not json \u{0} at all"];
    let doc_ids = [0, 1, 70_000, u32::MAX - 1, u32::MAX];
    let mut model = Model::default();
    for (doc_id, json) in doc_ids.into_iter().zip(texts) {
        let document = Expected {
            external_id: format!("{doc_id}/ü"),
            json: json.to_owned(),
            fields: vec!["a.b".to_owned(), "a.b".to_owned(), String::new()],
        };
        model.documents.insert(doc_id, document);
    }
    let reader = model.write(&memory(), "x");
    model.check(&reader);
}

#[test]
fn parts_can_be_read_by_range_and_by_set() {
    let model = Model::sample(100, 900);
    let reader = model.write(&memory(), "x");
    let in_range = |range: std::ops::Range<DocId>| {
        let mut seen = Vec::new();
        let read = reader.for_each(range, |doc_id, _| {
            seen.push(doc_id);
            Ok::<(), SegmentError>(())
        });
        read.unwrap();
        seen
    };
    assert_eq!(in_range(0..103), [100, 101, 102]);
    assert_eq!(in_range(998..2000), [998, 999]);
    assert_eq!(in_range(500..700), Vec::from_iter(500..700));
    assert!(in_range(700..700).is_empty());
    assert!(in_range(0..0).is_empty());

    let wanted = RoaringBitmap::from_iter([0, 100, 101, 555, 999, 4000]);
    let mut seen = Vec::new();
    let read = reader.for_each_of(&wanted, |doc_id, json| {
        seen.push((doc_id, json.to_owned()));
        Ok::<(), SegmentError>(())
    });
    read.unwrap();
    let expected: Vec<(DocId, String)> =
        [100, 101, 555, 999].map(|doc_id| (doc_id, model.documents[&doc_id].json.clone())).to_vec();
    assert_eq!(seen, expected);
}

#[test]
fn reading_stops_at_the_callers_error() {
    let reader = Model::sample(0, 100).write(&memory(), "x");
    let mut seen = 0;
    let stopped: Result<(), SegmentError> = reader.for_each(.., |_, _| {
        seen += 1;
        if seen == 3 {
            return Err(SegmentError::Stopped);
        }
        Ok(())
    });
    assert!(matches!(stopped, Err(SegmentError::Stopped)));
    assert_eq!(seen, 3);
}

#[test]
fn documents_can_be_read_while_others_are_scanned() {
    let directory = memory();
    let model = Model::sample(0, 200);
    let reader = model.write(&directory, "x");
    let other = Model::sample(500, 200);
    let other_reader = other.write(&directory, "y");
    let read = reader.for_each(.., |doc_id, json| {
        assert_eq!(
            reader.get(199 - doc_id)?.as_ref(),
            Some(&model.documents[&(199 - doc_id)].json)
        );
        let across = other_reader.get(500 + doc_id)?;
        assert_eq!(across.as_ref(), Some(&other.documents[&(500 + doc_id)].json));
        assert_eq!(json, model.documents[&doc_id].json);
        Ok::<(), SegmentError>(())
    });
    read.unwrap();
}

#[test]
fn memory_grows_with_what_is_held() {
    let mut writer = DocumentsWriter::new();
    let empty = writer.memory_used();
    let json = format!(r#"{{"t":"{}"}}"#, "x".repeat(1000));
    for doc_id in 0..1000 {
        writer.add(doc_id, &doc_id.to_string(), &json, ["t"]).unwrap();
    }
    let held = writer.memory_used() - empty;
    assert!(held > 1_000_000 && held < 3_000_000, "{held}");
}

#[test]
fn large_segments_get_a_dictionary_and_pass_it_on() {
    let directory = memory();
    let model = Model::sample(0, 25_000);
    let reader = model.write(&directory, "x");
    let dictionary = reader.dictionary().expect("trained on 2 MB");
    model.check(&reader);

    let smaller = Model::sample(50_000, 7_000);
    let mut writer = smaller.writer();
    writer.set_dictionary(Some(dictionary.clone()));
    writer.finish(&directory, "y").unwrap();
    let reader = DocumentsReader::open(&directory, "y").unwrap();
    assert_eq!(reader.dictionary(), Some(dictionary.clone()));
    smaller.check(&reader);

    let mut writer = Model::sample(0, 100).writer();
    writer.set_dictionary(Some(dictionary));
    writer.finish(&directory, "z").unwrap();
    let reader = DocumentsReader::open(&directory, "z").unwrap();
    assert_eq!(reader.dictionary(), None, "larger than what it would save");
}

#[test]
fn readers_are_shared_between_threads() {
    let model = Model::sample(0, 500);
    let reader = model.write(&memory(), "x");
    std::thread::scope(|scope| {
        for start in 0..4 {
            let (reader, model) = (&reader, &model);
            scope.spawn(move || {
                for doc_id in (start..500).step_by(3) {
                    let json = reader.get(doc_id).unwrap();
                    assert_eq!(json.as_ref(), Some(&model.documents[&doc_id].json));
                }
            });
        }
    });
}

#[test]
fn a_file_is_explained_to_people() {
    let directory = memory();
    Model::sample(10, 100).write(&directory, "7.documents.1");
    let bytes = directory.open("7.documents.1").unwrap();
    let text = inspect(&bytes, "7.documents.1");
    for part in [
        "file: 7.documents.1, ",
        "kind: DOCS, version 1",
        "  BLKS  at ",
        "documents: 100, DocIds 10 to 109",
        "  price: 33 documents",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let half = bytes.slice(0..bytes.len() / 2).unwrap();
    let text = inspect(&half, "7.documents.1");
    assert!(text.contains("problem: 7.documents.1 is damaged: its end is missing"));
}
