//! Tests of merging particular files.

use std::sync::atomic::Ordering;

use ::model::Cancel;

use super::*;
use crate::SegmentError;

fn merged(
    directory: &dyn Directory,
    parts: &[(&ColumnsReader, &RoaringBitmap)],
    name: &str,
) -> ColumnsReader {
    let inputs: Vec<ColumnsMergeInput<'_>> = parts
        .iter()
        .map(|&(reader, live)| ColumnsMergeInput { readers: vec![reader], live })
        .collect();
    let length = merge(&inputs, &|_| true, &fold, directory, name, &Cancel::default()).unwrap();
    let reader = ColumnsReader::open(directory, name).unwrap();
    assert_eq!(reader.file_bytes(), length);
    reader
}

fn sample(first: DocId, count: u32, step: u32) -> Model {
    let mut model = Model::default();
    for number in 0..count {
        let doc_id = first + number * step;
        let noise = doc_id.wrapping_mul(2_654_435_761) >> 7;
        let mut items = vec![
            ("year", Item::Number(f64::from(1900 + noise % 120))),
            ("price", Item::Number(f64::from(noise % 100_000) / 100.0)),
            ("brand", Item::Text(format!("Marque é{}", noise % 300))),
            ("tags", Item::Text(format!("tag{}", noise % 40))),
            ("tags", Item::Text(format!("tag{}", noise / 64 % 40))),
        ];
        if noise.is_multiple_of(3) {
            items.push(("rare", Item::Text(format!("{noise:x}"))));
        }
        model.add(doc_id, items);
    }
    model
}

/// Documents of the parts alternate.
#[test]
fn a_merge_of_large_files_is_what_one_large_file_would_be() {
    let directory = memory();
    let mut expected = Model::default();
    let mut parts = Vec::new();
    let lives: Vec<RoaringBitmap> =
        (0..3).map(|part| (part..6000).step_by(3).filter(|it| it % 50 != 7).collect()).collect();
    for part in 0..3 {
        let model = sample(part, 2000, 3);
        parts.push(model.write(&directory, &format!("part-{part}")));
        expected.documents.extend(model.documents);
    }
    expected.documents.retain(|doc_id, _| doc_id % 50 != 7);
    let parts: Vec<(&ColumnsReader, &RoaringBitmap)> = parts.iter().zip(&lives).collect();
    expected.check(&merged(&directory, &parts, "merged"));
    expected.write(&directory, "fresh");
    assert_eq!(directory.open("fresh").unwrap(), directory.open("merged").unwrap());
}

#[test]
fn values_and_columns_without_live_documents_are_gone() {
    let directory = memory();
    let mut model = Model::default();
    model.add(1, [("kept", text("one")), ("gone", Item::Number(1.0)), ("kept", text("both"))]);
    let first = model.write(&directory, "first");
    let mut model = Model::default();
    model.add(1, [("kept", text("both")), ("kept", Item::Number(3.0))]);
    model.add(2, []);
    let second = model.write(&directory, "second");
    let (nothing, all) = (RoaringBitmap::new(), RoaringBitmap::from_iter(0..100));
    let reader = merged(&directory, &[(&first, &nothing), (&second, &all)], "x");
    model.check(&reader);
    assert!(reader.names().eq(["kept"]));
    Model::default().check(&merged(&directory, &[(&first, &nothing)], "y"));
    Model::default().check(&merged(&directory, &[], "z"));
}

#[test]
fn spellings_that_differ_between_files_vary() {
    let directory = memory();
    let write = |doc_id, spelling: &str, name: &str| {
        let mut model = Model::default();
        model.add(doc_id, [("a", text("Same")), ("a", text(spelling))]);
        model.write(&directory, name)
    };
    let first = write(1, "Other", "first");
    let second = write(2, "OTHER", "second");
    let (one, two) = (RoaringBitmap::from_iter([1]), RoaringBitmap::from_iter([2]));
    let both = merged(&directory, &[(&first, &one), (&second, &two)], "both");
    let column = both.column("a").unwrap().unwrap();
    assert_eq!(column.spelling(0).unwrap(), Spelling::Varies);
    assert_eq!(column.spelling(1).unwrap(), Spelling::Is("Same".to_owned()));
    // Values without documents are irrelevant.
    let nothing = RoaringBitmap::new();
    let one_left = merged(&directory, &[(&first, &nothing), (&second, &two)], "one-left");
    let column = one_left.column("a").unwrap().unwrap();
    assert_eq!(column.spelling(0).unwrap(), Spelling::Is("OTHER".to_owned()));
}

#[test]
fn rejects_documents_live_in_two_inputs() {
    let directory = memory();
    let first = sample(0, 100, 1).write(&directory, "first");
    let second = sample(50, 100, 1).write(&directory, "second");
    let live = &RoaringBitmap::from_iter(0..1000);
    let inputs = [&first, &second].map(|reader| ColumnsMergeInput { readers: vec![reader], live });
    let error = merge(&inputs, &|_| true, &fold, &directory, "x", &Cancel::default()).unwrap_err();
    assert!(matches!(error, SegmentError::Inconsistent(_)), "{error}");
}

#[test]
fn a_merge_stops_when_asked() {
    let directory = memory();
    let model = sample(0, 5000, 1);
    let reader = model.write(&directory, "x");
    let live = &model.doc_ids();
    let inputs = [ColumnsMergeInput { readers: vec![&reader], live }];
    let (count, asked) = Cancel::at_check(usize::MAX);
    merge(&inputs, &|_| true, &fold, &directory, "whole", &count).unwrap();
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked >= 8, "{asked}");
    for stop_at in [1, asked / 2, asked] {
        let (stop, _) = Cancel::at_check(stop_at);
        let name = format!("stopped-{stop_at}");
        let stopped = merge(&inputs, &|_| true, &fold, &directory, &name, &stop);
        assert!(matches!(stopped, Err(SegmentError::Stopped)));
        assert!(ColumnsReader::open(&directory, &name).unwrap_err().is_damaged());
    }
}
