//! Tests of merging files.

use std::sync::atomic::Ordering;

use ::model::Cancel;

use super::*;

fn merged(
    directory: &dyn Directory,
    parts: &[(&DocumentsReader, &RoaringBitmap)],
    name: &str,
) -> DocumentsReader {
    let inputs: Vec<MergeInput<'_>> =
        parts.iter().map(|&(reader, live)| MergeInput { reader, live }).collect();
    let length = merge(&inputs, directory, name, &Cancel::default()).unwrap();
    let reader = DocumentsReader::open(directory, name).unwrap();
    assert_eq!(reader.sizes().file, length);
    reader
}

#[test]
fn later_versions_replace_earlier_ones() {
    let directory = memory();
    let mut expected = Model::sample(0, 1000);
    let old = expected.write(&directory, "old");
    let mut newer = Model::default();
    for doc_id in (0..1200).step_by(7) {
        newer.documents.insert(doc_id, Expected::sample(doc_id, "new "));
    }
    let new = newer.write(&directory, "new");
    expected.documents.extend(newer.documents.clone());
    expected.documents.retain(|doc_id, _| doc_id % 5 != 0);

    let old_live = &(expected.doc_ids() - newer.doc_ids());
    let new_live = &(expected.doc_ids() & newer.doc_ids());
    let reader = merged(&directory, &[(&new, new_live), (&old, old_live)], "merged");
    expected.check(&reader);
    assert_eq!(reader.find("item-5").unwrap(), None);
}

#[test]
fn live_documents_that_an_input_lacks_are_ignored() {
    let directory = memory();
    let model = Model::sample(0, 10);
    let reader = model.write(&directory, "x");
    let everything = RoaringBitmap::from_iter(0..1000);
    model.check(&merged(&directory, &[(&reader, &everything)], "y"));
}

#[test]
fn merging_no_live_documents_writes_an_empty_file() {
    let directory = memory();
    let reader = Model::sample(0, 10).write(&directory, "x");
    let nothing = RoaringBitmap::new();
    let empty = merged(&directory, &[(&reader, &nothing)], "y");
    Model::default().check(&empty);
    Model::default().check(&merged(&directory, &[], "z"));
}

#[test]
fn fields_without_documents_are_dropped() {
    let directory = memory();
    let mut writer = DocumentsWriter::new();
    writer.add(1, "1", "{}", ["a", "gone"]).unwrap();
    writer.add(2, "2", "{}", ["a"]).unwrap();
    writer.finish(&directory, "first").unwrap();
    let mut writer = DocumentsWriter::new();
    writer.add(3, "3", "{}", ["a", "b"]).unwrap();
    writer.finish(&directory, "second").unwrap();

    let first = DocumentsReader::open(&directory, "first").unwrap();
    let second = DocumentsReader::open(&directory, "second").unwrap();
    let live = RoaringBitmap::from_iter([2, 3]);
    let reader = merged(&directory, &[(&first, &live), (&second, &live)], "x");
    let fields: Vec<(&str, u64)> = reader.fields().map(|(name, set)| (name, set.len())).collect();
    assert_eq!(fields, [("a", 2), ("b", 1)]);
}

#[test]
fn blocks_with_the_same_dictionary_move_as_they_are() {
    let directory = memory();
    let mut expected = Model::sample(0, 25_000);
    let large = expected.write(&directory, "large");
    assert!(large.dictionary().is_some());
    let more = Model::sample(25_000, 7_000);
    let mut writer = more.writer();
    writer.set_dictionary(large.dictionary());
    writer.finish(&directory, "more").unwrap();
    let more_reader = DocumentsReader::open(&directory, "more").unwrap();
    expected.documents.extend(more.documents);
    // One document in the middle is gone, and a few at the end.
    expected.documents.remove(&12_345);
    expected.documents.retain(|doc_id, _| *doc_id < 31_990);
    let live = expected.doc_ids();

    let parts = [(&large, &live), (&more_reader, &live)];
    let reader = merged(&directory, &parts, "merged");
    expected.check(&reader);
    assert_eq!(reader.dictionary(), large.dictionary());
    let checksums = |reader: &DocumentsReader| -> Vec<u32> {
        (0..reader.block_count()).map(|block| reader.entry(block).checksum).collect()
    };
    let before = [checksums(&large), checksums(&more_reader)].concat();
    let after = checksums(&reader);
    let kept = after.iter().filter(|sum| before.contains(sum)).count();
    assert!(kept + 5 > after.len(), "{kept} of {} blocks are the same", after.len());
}

#[test]
fn small_segments_are_packed_into_full_blocks_and_a_dictionary() {
    let directory = memory();
    let expected = Model::sample(0, 25_000);
    let mut readers = Vec::new();
    for part in 0..250 {
        let model = Model::sample(part * 100, 100);
        readers.push(model.write(&directory, &format!("part-{part}")));
    }
    let live = expected.doc_ids();
    let parts: Vec<(&DocumentsReader, &RoaringBitmap)> =
        readers.iter().map(|reader| (reader, &live)).collect();
    let reader = merged(&directory, &parts, "merged");
    expected.check(&reader);
    assert!(reader.dictionary().is_some());
    let (merged, apart) =
        (reader.sizes().file, readers.iter().map(|it| it.sizes().file).sum::<u64>());
    assert!(merged < apart * 92 / 100, "{merged} bytes, {apart} in parts");
    let mean = reader.sizes().raw_json / reader.block_count() as u64;
    assert!(mean > 3500, "{mean} bytes a block");
}

#[test]
fn merging_over_and_over_does_not_wear_blocks_out() {
    let directory = memory();
    let mut expected = Model::sample(0, 12_000);
    let mut base = expected.write(&directory, "base-0");
    for round in 0..6 {
        let mut newer = Model::default();
        for doc_id in (round * 13..12_000).step_by(90) {
            let document = Expected::sample(doc_id, &format!("round {round} "));
            newer.documents.insert(doc_id, document);
        }
        let new = newer.write(&directory, &format!("new-{round}"));
        expected.documents.extend(newer.documents.clone());
        let old_live = expected.doc_ids() - newer.doc_ids();
        let parts = [(&base, &old_live), (&new, &newer.doc_ids())];
        base = merged(&directory, &parts, &format!("base-{}", round + 1));
    }
    expected.check(&base);
    let mean = base.sizes().raw_json / base.block_count() as u64;
    assert!(mean > 3400, "{mean} bytes a block");
}

#[test]
fn rejects_documents_live_in_two_inputs() {
    let directory = memory();
    let first = Model::sample(0, 100).write(&directory, "first");
    let second = Model::sample(50, 100).write(&directory, "second");
    let everything = &RoaringBitmap::from_iter(0..1000);
    let inputs = [&first, &second].map(|reader| MergeInput { reader, live: everything });
    let error = merge(&inputs, &directory, "x", &Cancel::default()).unwrap_err();
    assert!(matches!(error, SegmentError::Inconsistent(_)), "{error}");

    let mut writer = DocumentsWriter::new();
    writer.add(900, "item-7", "{}", []).unwrap();
    writer.finish(&directory, "third").unwrap();
    let third = DocumentsReader::open(&directory, "third").unwrap();
    let inputs = [&first, &third].map(|reader| MergeInput { reader, live: everything });
    let error = merge(&inputs, &directory, "y", &Cancel::default()).unwrap_err();
    assert!(error.to_string().contains("item-7"), "{error}");
}

#[test]
fn a_merge_stops_when_asked() {
    let directory = memory();
    let model = Model::sample(0, 2000);
    let reader = model.write(&directory, "x");
    let live = &model.doc_ids();
    let inputs = [MergeInput { reader: &reader, live }];
    let (count, asked) = Cancel::at_check(usize::MAX);
    merge(&inputs, &directory, "whole", &count).unwrap();
    let asked = asked.load(Ordering::Relaxed);
    assert!(asked >= reader.block_count());

    for stop_at in [1, asked / 2, asked] {
        let (stop, _) = Cancel::at_check(stop_at);
        let name = format!("stopped-{stop_at}");
        let stopped = merge(&inputs, &directory, &name, &stop);
        assert!(matches!(stopped, Err(SegmentError::Stopped)));
        assert!(DocumentsReader::open(&directory, &name).unwrap_err().is_damaged());
    }
}
