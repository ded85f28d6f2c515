//! Damaged files: never a panic, never wrong data.

use super::*;
use crate::directory::FileBytes;
use crate::inspect;

const NAME: &str = "3.documents.1";

/// Everything that a file still says is true, whatever has happened to it.
fn tells_the_truth(bytes: Vec<u8>, model: &Model, samples: &[DocId]) -> bool {
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
            assert_eq!(reader.find(&document.external_id).unwrap(), Some(*doc_id));
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
    match error {
        SegmentError::Damaged { file, .. } => assert_eq!(file, NAME),
        other => panic!("{other}"),
    }
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
    assert!(tells_the_truth(intact.clone(), &model, &samples));
    for position in 0..intact.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = intact.clone();
            bytes[position] ^= flip;
            let sound = tells_the_truth(bytes, &model, &samples);
            assert!(!sound, "byte {position} of {}", intact.len());
        }
    }
}

#[test]
fn every_missing_end_is_noticed() {
    let model = Model::sample(3, 150);
    let intact = bytes_of(model.writer());
    for length in 0..intact.len() {
        let bytes = intact[..length].to_vec();
        assert!(!tells_the_truth(bytes, &model, &[3]), "{length} bytes");
        // Explaining a damaged file does not fail either.
        let half = FileBytes::from(intact[..length].to_vec());
        assert!(inspect(&half, NAME).contains("problem"));
    }
}

#[test]
fn flips_in_a_file_with_a_dictionary_are_noticed() {
    let model = Model::sample(0, 40_000);
    let directory = memory();
    let dictionary = model.write(&directory, "x").dictionary();
    assert!(dictionary.is_some());
    let smaller = Model::sample(0, 11_000);
    let mut writer = smaller.writer();
    writer.set_dictionary(dictionary.clone());
    let intact = bytes_of(writer);
    let samples: Vec<DocId> = (0..11_000).step_by(997).collect();
    let mut position = 17;
    for _ in 0..60 {
        position = (position * 48_271 + 11) % intact.len();
        let mut bytes = intact.clone();
        bytes[position] ^= 0x10;
        assert!(!tells_the_truth(bytes, &smaller, &samples), "{position}");
    }
}

#[test]
fn damage_in_one_block_leaves_the_others_readable() {
    let model = Model::sample(0, 1000);
    let directory = memory();
    let reader = model.write(&directory, NAME);
    let blocks = reader
        .frame
        .sections()
        .iter()
        .find(|section| section.tag == super::super::format::BLOCKS)
        .unwrap();
    let third = reader.entry(3);
    let mut bytes = directory.open(NAME).unwrap().to_vec();
    bytes[(blocks.offset + third.offset) as usize + 20] ^= 4;

    let damaged = DocumentsReader::from_bytes(NAME, FileBytes::from(bytes)).unwrap();
    let unreadable: Vec<DocId> = (0..1000)
        .filter(|&doc_id| damaged.get(doc_id).is_err())
        .collect();
    let end = reader.end_of(3).unwrap();
    assert_eq!(unreadable, Vec::from_iter(third.first..end));
    let what: Vec<String> = damaged
        .verify()
        .into_iter()
        .map(|problem| problem.what)
        .collect();
    assert_eq!(what[0], "checksum of section BLKS does not match");
    assert_eq!(what[1], "checksum of block 3 does not match");

    // Damage is not carried into a new file.
    let live = model.doc_ids();
    let inputs = [MergeInput {
        reader: &damaged,
        live: &live,
    }];
    let error = merge(&inputs, &directory, "merged", &|| false).unwrap_err();
    assert_names_the_file(&error);
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let directory = memory();
    let mut frame =
        crate::FrameWriter::create(&directory, NAME, crate::Tag(*b"OTHR"), 1).unwrap();
    frame.section(crate::Tag(*b"DATA"), b"x").unwrap();
    frame.finish().unwrap();
    assert_names_the_file(&DocumentsReader::open(&directory, NAME).unwrap_err());
}
