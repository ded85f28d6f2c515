//! Tests of damaged files: never a panic, never wrong data.

use std::ops::ControlFlow;

use ::model::Cancel;

use super::*;
use crate::damaged_file;
use crate::directory::FileBytes;
use crate::frame::{Frame, FrameWriter, Tag};

const NAME: &str = "3.text.1";

fn assert_names_the_file(error: &SegmentError) {
    damaged_file::assert_names(NAME, error);
}

/// Checks that everything a damaged file still returns is true.
fn matches_model(bytes: Vec<u8>, model: &Model) -> bool {
    let reader = match TextReader::from_bytes(NAME, FileBytes::from(bytes)) {
        Ok(reader) => reader,
        Err(error) => {
            assert_names_the_file(&error);
            return false;
        }
    };
    let mut sound = true;
    let mut note = |error: SegmentError| {
        assert_names_the_file(&error);
        sound = false;
    };
    assert_eq!(*reader.doc_ids(), model.doc_ids());
    for (word, documents) in model.words() {
        let ordinal = reader.ordinal(word.as_bytes()).unwrap();
        match reader.documents_of(ordinal) {
            Ok(found) => assert_eq!(found, documents),
            Err(error) => note(error),
        }
        match reader.document_count(ordinal) {
            Ok(found) => assert_eq!(u64::from(found), documents.len()),
            Err(error) => note(error),
        }
    }
    match reader.documents_of_range(0..reader.word_count()) {
        Ok(found) => assert!(found.is_subset(reader.doc_ids())),
        Err(error) => note(error),
    }
    match read_positions(&reader) {
        Ok(found) => assert_eq!(found, model.positions()),
        Err(error) => note(error),
    }
    let problems = reader.verify();
    assert!(problems.iter().all(|problem| problem.file == NAME));
    assert!(sound || !problems.is_empty(), "a verification finds what a read finds");
    problems.is_empty()
}

fn bytes_of(model: &Model) -> Vec<u8> {
    let directory = memory();
    model.write(&directory, NAME);
    directory.open(NAME).unwrap().to_vec()
}

/// Small, with lists of one and of several documents, and a set.
fn small_model() -> Model {
    let mut model = Model::default();
    for doc_id in 3..140 {
        let words = if doc_id % 20 == 3 { format!("{doc_id} . b _ c") } else { String::new() };
        model.add(doc_id, &[("text", "all"), ("more", &words)]);
    }
    model
}

#[test]
fn every_flipped_byte_is_noticed() {
    let model = small_model();
    let is_sound = |bytes| matches_model(bytes, &model);
    damaged_file::every_flip_is_noticed(&bytes_of(&model), &[0x01, 0x80, 0xff], is_sound);
}

#[test]
fn every_missing_end_is_noticed() {
    let model = small_model();
    let is_sound = |bytes| matches_model(bytes, &model);
    damaged_file::every_missing_end_is_noticed(&bytes_of(&model), NAME, is_sound);
}

#[test]
fn damage_in_one_page_leaves_the_others_readable() {
    let mut model = Model::default();
    for doc_id in 0..100 {
        let words: String = (0..1000).map(|number| format!(" {}", number % 77)).collect();
        model.add(doc_id, &[("a", &words)]);
    }
    let intact = bytes_of(&model);
    let frame = Frame::read(NAME, FileBytes::from(intact.clone())).unwrap();
    let tokens = frame.sections().iter().find(|it| it.tag == format::TOKENS).unwrap();
    let mut bytes = intact;
    bytes[tokens.offset as usize + 70_000] ^= 4;

    let damaged = TextReader::from_bytes(NAME, FileBytes::from(bytes)).unwrap();
    let mut cursor = damaged.tokens();
    let unreadable: Vec<DocId> = (0..100).filter(|&doc_id| cursor.seek(doc_id).is_err()).collect();
    // A stream has about 2,003 bytes, a page 4,096.
    assert_eq!(unreadable, [34, 35, 36]);
    let what: Vec<String> = damaged.verify().into_iter().map(|problem| problem.what).collect();
    assert_eq!(what[0], "checksum of section TOKS does not match");
    assert_eq!(what[1], "checksum of page 17 of section TOKS does not match");

    // A merge does not copy damage into a new file.
    let live = model.doc_ids();
    let inputs = [TextMergeInput { reader: &damaged, live: &live }];
    assert_names_the_file(&merge(&inputs, &memory(), "merged", &Cancel::default()).unwrap_err());
}

/// Sections that are checked in pages, with their checksums.
const PAGED: [(Tag, Tag); 7] = [
    (format::POSTINGS, format::POSTING_PAGES),
    (format::TOKENS, format::TOKEN_PAGES),
    (format::PREFIX_SETS, format::PREFIX_PAGES),
    (format::PARTS, format::PART_PAGES),
    (format::LENGTHS, format::LENGTH_PAGES),
    (format::POSTING_OFFSETS, format::POSTING_OFFSET_PAGES),
    (format::TOKEN_OFFSETS, format::TOKEN_OFFSET_PAGES),
];

fn with_section(bytes: &[u8], tag: Tag, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    damaged_file::with_section(bytes, tag, &PAGED, change)
}

fn problems_of(bytes: Vec<u8>) -> Vec<String> {
    match TextReader::from_bytes(NAME, FileBytes::from(bytes)) {
        Ok(reader) => reader.verify().into_iter().map(|it| it.what).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn a_verification_finds_what_checksums_cannot() {
    let mut model = Model::default();
    model.add(1, &[("x", "a b")]);
    model.add(2, &[("x", "b b")]);
    let intact = bytes_of(&model);
    assert_eq!(with_section(&intact, format::META, |_| ()), intact);

    // One document whose words are `a` and `b`, where both documents have `b`.
    let other_words = with_section(&intact, format::TOKENS, |bytes| {
        let place = bytes.iter().rposition(|&byte| byte == 3).unwrap();
        bytes[place - 2] = 2;
    });
    assert_eq!(
        problems_of(other_words),
        [
            "the documents of word 0 are not those that have it",
            "word 1 is not at the position in its list"
        ]
    );
    let no_word = with_section(&intact, format::TOKENS, |bytes| {
        let place = bytes.iter().rposition(|&byte| byte == 3).unwrap();
        bytes[place] = 4;
    });
    assert_eq!(
        problems_of(no_word),
        [
            "document 2 has an unknown word or attribute",
            "word 1 is not at the position in its list"
        ]
    );
    let other_documents = with_section(&intact, format::POSTINGS, |bytes| bytes[0] = 2 << 1 | 1);
    assert_eq!(
        problems_of(other_documents),
        ["the documents of word 0 are not those that have it"]
    );
    // `a` stands once, at position 0.
    let other_place = with_section(&intact, format::POSTINGS, |bytes| bytes[2] = 1 << 3);
    assert_eq!(problems_of(other_place), ["word 0 is not at the position in its list"]);
    let more_often = with_section(&intact, format::POSTINGS, |bytes| bytes[2] = 1);
    assert_eq!(problems_of(more_often), ["word 0 is not at the position in its list"]);
}

#[test]
fn a_verification_compares_unions_parts_and_lengths() {
    let mut model = Model::default();
    for doc_id in 0..300 {
        let mut words: String = (0..70).map(|number| format!(" x{number}")).collect();
        words.push_str(&" x1".repeat(doc_id as usize % 2));
        model.add(doc_id, &[("a", &words)]);
    }
    let intact = bytes_of(&model);
    let wrong = with_section(&intact, format::PREFIX_SETS, |bytes| {
        let length = bytes.len();
        let set: RoaringBitmap = (0..299).collect();
        bytes.clear();
        crate::documents::set_to_bytes(&set, bytes);
        assert_eq!(bytes.len(), length);
    });
    assert_eq!(problems_of(wrong), ["the union of words 0 to 70 is not that of their documents"]);
    let wrong = with_section(&intact, format::PARTS, |bytes| bytes[7] = 0x10);
    assert_eq!(problems_of(wrong), ["the parts are not those of its documents"]);
    let wrong = with_section(&intact, format::LENGTHS, |bytes| bytes[7] = 72);
    assert_eq!(problems_of(wrong), ["the lengths of attributes are not those of its documents"]);
}

/// Sections with random contents may read as damaged but must not panic. The dictionary is left
/// out: its library trusts its input, so nothing reads it before its checksum is verified.
#[test]
fn nonsense_under_right_checksums_does_no_harm() {
    let model = Model::sample(3, 150);
    let intact = bytes_of(&model);
    let frame = Frame::read(NAME, FileBytes::from(intact.clone())).unwrap();
    let mut state = 5_usize;
    for section in frame.sections().iter().filter(|it| it.tag != format::DICTIONARY) {
        for _ in 0..60 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if section.length == 0 {
                continue;
            }
            let place = (state >> 33) % section.length as usize;
            let bytes = with_section(&intact, section.tag, |bytes| match state >> 20 & 3 {
                0 => bytes.truncate(place),
                1 => bytes[place..].fill(0xff),
                _ => bytes[place] ^= (state >> 25) as u8 | 1,
            });
            let Ok(reader) = TextReader::from_bytes(NAME, FileBytes::from(bytes)) else {
                continue;
            };
            for ordinal in 0..reader.word_count() + 2 {
                let _ = reader.documents_of(ordinal);
                let _ = reader.document_count(ordinal);
                let _ = reader.documents_in_fields([ordinal].into_iter(), |field| field > 0);
                let _ = reader.word(ordinal);
            }
            let _ = reader.documents_of_range(0..u32::MAX);
            if let Ok(Some(positions)) = reader.union_positions(&(0..reader.word_count())) {
                positions.try_for_each(|_, _| ControlFlow::Continue(()));
                positions.for_each_of(&[1, 5, 300], |_, _| ());
            }
            let mut cursor = reader.tokens();
            let mut tokens = Vec::new();
            for doc_id in reader.doc_ids().iter().take(1000) {
                if let Ok(Some(stream)) = cursor.seek(doc_id) {
                    stream.fields().for_each(|field| field.decode_into(&mut tokens));
                }
            }
            let _ = reader.verify();
            let live = &model.doc_ids();
            let inputs = [TextMergeInput { reader: &reader, live }];
            let _ = merge(&inputs, &memory(), "merged", &Cancel::default());
        }
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let directory = memory();
    let mut frame = FrameWriter::create(&directory, NAME, Tag(*b"DOCS"), 1).unwrap();
    frame.section(Tag(*b"DATA"), b"x").unwrap();
    frame.finish().unwrap();
    assert_names_the_file(&TextReader::open(&directory, NAME).unwrap_err());
}
