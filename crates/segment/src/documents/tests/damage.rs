//! Tests of damaged files: never a panic, never wrong data.

use ::model::Cancel;

use super::*;
use crate::damaged_file;
use crate::directory::FileBytes;
use crate::frame::{Frame, FrameWriter, Tag};

const NAME: &str = "3.documents.1";

/// Checks that everything a damaged file still returns is true.
fn matches_model(bytes: Vec<u8>, model: &Model, samples: &[DocId]) -> bool {
    let bytes = FileBytes::from(bytes);
    let reader = match DocumentsReader::from_bytes(NAME, bytes) {
        Ok(reader) => reader,
        Err(error) => {
            assert_names_the_file(&error);
            return false;
        }
    };
    let mut sound = true;
    for doc_id in samples {
        let expected = model.documents.get(doc_id);
        match reader.get(*doc_id) {
            Ok(json) => assert_eq!(json.as_ref(), expected.map(|document| &document.json)),
            Err(error) => {
                assert_names_the_file(&error);
                sound = false;
            }
        }
        if let Some(document) = expected {
            match reader.find(&document.external_id) {
                Ok(found) => assert_eq!(found, Some(*doc_id)),
                Err(error) => {
                    assert_names_the_file(&error);
                    sound = false;
                }
            }
        }
    }
    let scanned = reader.for_each(.., |doc_id, json| {
        assert_eq!(json, model.documents[&doc_id].json);
        Ok::<(), SegmentError>(())
    });
    assert_eq!(*reader.doc_ids(), model.doc_ids());
    let problems = reader.verify();
    assert!(problems.iter().all(|problem| problem.file == NAME));
    if scanned.is_err() || !sound {
        assert!(!problems.is_empty(), "a verification finds what a read finds");
    }
    problems.is_empty()
}

fn assert_names_the_file(error: &SegmentError) {
    damaged_file::assert_names(NAME, error);
}

fn bytes_of(writer: DocumentsWriter) -> Vec<u8> {
    let directory = memory();
    writer.finish(&directory, NAME).unwrap();
    directory.open(NAME).unwrap().to_vec()
}

#[test]
fn every_flipped_byte_is_noticed() {
    let model = Model::sample(3, 150);
    let intact = bytes_of(model.writer());
    let samples = [0, 3, 4, 77, 152, 153];
    let is_sound = |bytes| matches_model(bytes, &model, &samples);
    damaged_file::every_flip_is_noticed(&intact, &[0x01, 0x80, 0xff], is_sound);
}

#[test]
fn every_missing_end_is_noticed() {
    let model = Model::sample(3, 150);
    let intact = bytes_of(model.writer());
    let is_sound = |bytes| matches_model(bytes, &model, &[3]);
    damaged_file::every_missing_end_is_noticed(&intact, NAME, is_sound);
}

#[test]
fn flips_in_a_file_with_a_dictionary_are_noticed() {
    let model = Model::sample(0, 25_000);
    let directory = memory();
    let dictionary = model.write(&directory, "x").dictionary();
    assert!(dictionary.is_some());
    let smaller = Model::sample(0, 6_500);
    let mut writer = smaller.writer();
    writer.set_dictionary(dictionary);
    let intact = bytes_of(writer);
    let samples: Vec<DocId> = (0..6_500).step_by(997).collect();
    let mut position = 17;
    for _ in 0..60 {
        position = (position * 48_271 + 11) % intact.len();
        let mut bytes = intact.clone();
        bytes[position] ^= 0x10;
        assert!(!matches_model(bytes, &smaller, &samples), "{position}");
    }
}

#[test]
fn damage_in_one_block_leaves_the_others_readable() {
    let model = Model::sample(0, 1000);
    let directory = memory();
    let reader = model.write(&directory, NAME);
    let blocks =
        reader.frame.sections().iter().find(|section| section.tag == format::BLOCKS).unwrap();
    let third = reader.entry(3);
    let mut bytes = directory.open(NAME).unwrap().to_vec();
    bytes[(blocks.offset + third.offset) as usize + 20] ^= 4;

    let damaged = DocumentsReader::from_bytes(NAME, FileBytes::from(bytes)).unwrap();
    let unreadable: Vec<DocId> = (0..1000).filter(|&doc_id| damaged.get(doc_id).is_err()).collect();
    let end = reader.end_of(3).unwrap();
    assert_eq!(unreadable, Vec::from_iter(third.first..end));
    let what: Vec<String> = damaged.verify().into_iter().map(|problem| problem.what).collect();
    assert_eq!(what[0], "checksum of section BLKS does not match");
    assert_eq!(what[1], "checksum of block 3 does not match");

    // A merge does not copy damage into a new file.
    let live = model.doc_ids();
    let inputs = [MergeInput { reader: &damaged, live: &live }];
    let error = merge(&inputs, &directory, "merged", &Cancel::default()).unwrap_err();
    assert_names_the_file(&error);
}

fn with_section(bytes: &[u8], tag: Tag, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    damaged_file::with_section(bytes, tag, &[], change)
}

fn problems_of(bytes: Vec<u8>) -> Vec<String> {
    match DocumentsReader::from_bytes(NAME, FileBytes::from(bytes)) {
        Ok(reader) => reader.verify().into_iter().map(|it| it.what).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn a_verification_finds_what_checksums_cannot() {
    let intact = bytes_of(Model::sample(3, 150).writer());
    let unchanged = with_section(&intact, format::META, |_| ());
    assert_eq!(unchanged, intact);

    let shifted: RoaringBitmap = (4..154).collect();
    let wrong_set = with_section(&intact, format::DOC_IDS, |bytes| {
        bytes.clear();
        set_to_bytes(&shifted, bytes);
    });
    assert_eq!(
        problems_of(wrong_set),
        [
            "1 documents are in no block, 1 are in a block only",
            "the document of id `item-3` is missing",
            "field `id` has documents that are missing",
            "field `note` has documents that are missing",
            "field `price` has documents that are missing",
            "field `title` has documents that are missing",
        ]
    );

    let no_filter = with_section(&intact, format::ID_FILTER, |bytes| bytes.fill(0));
    assert_eq!(problems_of(no_filter)[0], "the filter denies the id `item-10`");

    let shorter = with_section(&intact, format::BLOCKS, |bytes| bytes.truncate(100));
    assert!(problems_of(shorter)[0].starts_with("block "));
}

/// Sections with random contents may read as damaged but must not panic.
#[test]
fn nonsense_under_right_checksums_does_no_harm() {
    let model = Model::sample(3, 150);
    let intact = bytes_of(model.writer());
    let frame = Frame::read(NAME, FileBytes::from(intact.clone())).unwrap();
    let mut state = 5_usize;
    for section in frame.sections() {
        for _ in 0..60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let place = (state >> 33) % section.length.max(1) as usize;
            let bytes = with_section(&intact, section.tag, |bytes| match state >> 20 & 3 {
                0 => bytes.truncate(place),
                1 => bytes[place..].fill(0xff),
                _ => bytes[place] ^= (state >> 25) as u8 | 1,
            });
            let Ok(reader) = DocumentsReader::from_bytes(NAME, FileBytes::from(bytes)) else {
                continue;
            };
            for (doc_id, document) in &model.documents {
                let _ = reader.get(*doc_id);
                let _ = reader.find(&document.external_id);
            }
            let _ = reader.for_each(.., |_, _| Ok::<(), SegmentError>(()));
            let _ = reader.verify();
            let live = &model.doc_ids();
            let inputs = [MergeInput { reader: &reader, live }];
            let _ = merge(&inputs, &memory(), "merged", &Cancel::default());
        }
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let directory = memory();
    let mut frame = FrameWriter::create(&directory, NAME, Tag(*b"OTHR"), 1).unwrap();
    frame.section(Tag(*b"DATA"), b"x").unwrap();
    frame.finish().unwrap();
    assert_names_the_file(&DocumentsReader::open(&directory, NAME).unwrap_err());
}
