//! Tests that a merged file equals one written from the remaining documents.

use std::sync::atomic::Ordering;

use model::Cancel;

use super::*;

/// Splits a model by document.
fn split(model: &Model, parts: u32) -> Vec<Model> {
    let mut models = vec![Model::default(); parts as usize];
    for (doc_id, point) in &model.points {
        models[(doc_id / 3 % parts) as usize].points.insert(*doc_id, *point);
    }
    for (doc_id, shape) in &model.shapes {
        models[(doc_id / 3 % parts) as usize].shapes.insert(*doc_id, shape.clone());
    }
    models
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn merging_is_writing_what_is_left(
        seed in 0_u32..1000,
        documents in 0_u32..400,
        parts in 1_u32..5,
        every in 1_u32..6,
    ) {
        let mut model = Model::sample(seed, documents);
        let readers: Vec<GeoReader> = split(&model, parts).iter().map(Model::reader).collect();
        let is_live = |doc_id: &DocId| every == 1 || !doc_id.is_multiple_of(every);
        let live: RoaringBitmap = (0..documents * 3 + 9).filter(is_live).collect();
        let inputs: Vec<GeoMergeInput<'_>> =
            readers.iter().map(|reader| GeoMergeInput { reader, live: &live }).collect();
        let directory = MemoryDirectory::new();
        let length = merge(&inputs, &directory, "merged", &Cancel::default()).unwrap();

        model.points.retain(|doc_id, _| is_live(doc_id));
        model.shapes.retain(|doc_id, _| is_live(doc_id));
        model.write(&directory, "written");
        let merged = directory.open("merged").unwrap();
        prop_assert_eq!(length, merged.len() as u64);
        prop_assert_eq!(&merged[..], &directory.open("written").unwrap()[..]);
    }
}

#[test]
fn a_document_is_live_in_one_file_only() {
    let model = Model::sample(3, 20);
    let (one, other) = (model.reader(), model.reader());
    let live: RoaringBitmap = (0..100).collect();
    let inputs = [&one, &other].map(|reader| GeoMergeInput { reader, live: &live });
    let error = merge(&inputs, &MemoryDirectory::new(), "twice", &Cancel::default()).unwrap_err();
    assert!(matches!(error, SegmentError::Inconsistent(_)), "{error}");
    let nothing = RoaringBitmap::new();
    let inputs = [
        GeoMergeInput { reader: &one, live: &live },
        GeoMergeInput { reader: &other, live: &nothing },
    ];
    merge(&inputs, &MemoryDirectory::new(), "once", &Cancel::default()).unwrap();
}

#[test]
fn a_merge_stops_when_asked_to() {
    let reader = Model::sample(4, 8000).reader();
    let live: RoaringBitmap = (0..30_000).collect();
    let inputs = [GeoMergeInput { reader: &reader, live: &live }];
    for patience in 0..4 {
        let (cancel, asked) = Cancel::at_check(patience + 1);
        let error = merge(&inputs, &MemoryDirectory::new(), "stopped", &cancel).unwrap_err();
        assert!(matches!(error, SegmentError::Stopped), "{error}");
        assert_eq!(asked.load(Ordering::Relaxed), patience + 1);
    }
}
