//! Tests of damaged files: never a panic, never wrong data.

use ::model::Cancel;

use super::*;
use crate::SegmentError;
use crate::damaged_file;
use crate::directory::FileBytes;
use crate::frame::{Frame, FrameWriter, Tag};

const NAME: &str = "3.columns.1";

fn assert_names_the_file(error: &SegmentError) {
    damaged_file::assert_names(NAME, error);
}

/// Checks that everything a damaged file still returns is true.
fn matches_model(bytes: Vec<u8>, model: &Model) -> bool {
    let reader = match ColumnsReader::from_bytes(NAME, FileBytes::from(bytes)) {
        Ok(reader) => reader,
        Err(error) => {
            assert_names_the_file(&error);
            return false;
        }
    };
    let mut sound = true;
    let columns = model.columns();
    assert!(reader.names().eq(columns.keys()));
    for (name, expected) in &columns {
        match reader.column(name) {
            Ok(column) => sound &= is_true(column.unwrap(), expected),
            Err(error) => {
                assert_names_the_file(&error);
                sound = false;
            }
        }
    }
    let problems = reader.verify();
    assert!(problems.iter().all(|problem| problem.file == NAME));
    assert!(sound || !problems.is_empty(), "a verification finds what a read finds");
    problems.is_empty()
}

fn is_true(column: &Column, expected: &ModelColumn) -> bool {
    let mut sound = true;
    let mut note = |error: SegmentError| {
        assert_names_the_file(&error);
        sound = false;
    };
    macro_rules! same {
        ($found:expr, $expected:expr) => {
            match $found {
                Ok(found) => assert_eq!(found, $expected),
                Err(error) => note(error),
            }
        };
    }
    assert_eq!(*column.exists(), expected.exists);
    assert_eq!(*column.null(), expected.null);
    let mut all = RoaringBitmap::new();
    for (ordinal, (value, documents)) in (0..).zip(&expected.values) {
        match value {
            ModelValue::Number(key) => {
                same!(column.number(ordinal), buffer::number_of_key(*key));
            }
            ModelValue::Text(string) => {
                same!(column.string(ordinal), *string);
                same!(column.string_ordinal(string.as_bytes()), Some(ordinal));
                if let Err(error) = column.spelling(ordinal) {
                    note(error);
                }
            }
        }
        same!(column.documents_of(ordinal), *documents);
        same!(column.document_count(ordinal).map(u64::from), documents.len());
        all |= documents;
    }
    if let Some(folded) = column.folded() {
        same!(folded.ordinals(0).map(|ordinals| ordinals.len()), 1);
    }
    let count = column.value_count();
    same!(column.documents_of_range(1..count), {
        let lists: Vec<&RoaringBitmap> = expected.values.values().skip(1).collect();
        union(&lists)
    });
    let mut cursor = column.values();
    let mut counts = vec![0; count as usize];
    for doc_id in &expected.exists {
        match cursor.seek(doc_id) {
            Ok(values) => {
                assert_eq!(values.len() > 0, all.contains(doc_id));
                values.for_each(|ordinal| counts[ordinal as usize] += 1);
            }
            Err(error) => note(error),
        }
    }
    let mut counted = vec![0; count as usize];
    same!(column.count_values(&expected.exists, &mut counted), ());
    if sound {
        assert_eq!(counts, counted);
    }
    sound
}

fn bytes_of(model: &Model) -> Vec<u8> {
    let directory = memory();
    model.write(&directory, NAME);
    directory.open(NAME).unwrap().to_vec()
}

/// Small, with lists of one and of several documents, a set, and every part of a column.
fn small_model() -> Model {
    let mut model = Model::default();
    for doc_id in 3..140 {
        model.add(doc_id, [("all", text("Été")), ("all", Item::Number(f64::from(doc_id / 50)))]);
    }
    model.add(20, [("few", Item::Number(1.5)), ("all", Item::Null)]);
    model.add(90, [("few", text("x")), ("all", Item::Empty)]);
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
    for doc_id in 0..20_000 {
        model.add(doc_id, [("a", Item::Number(f64::from(doc_id))), ("b", Item::Number(1.0))]);
    }
    let mut bytes = bytes_of(&model);
    let frame = Frame::read(NAME, FileBytes::from(bytes.clone())).unwrap();
    let data = frame.sections().iter().find(|it| it.tag == format::DATA).unwrap();
    bytes[data.offset as usize + 70_000] ^= 4;
    let damaged = ColumnsReader::from_bytes(NAME, FileBytes::from(bytes)).unwrap();
    let column = damaged.column("a").unwrap().unwrap();
    assert_eq!(column.number(100).unwrap(), 100.0);
    assert_names_the_file(&column.number(70_000 / 8).unwrap_err());
    assert_eq!(column.number(10_000).unwrap(), 10_000.0);
    let other = damaged.column("b").unwrap().unwrap();
    assert_eq!(other.documents_of(0).unwrap().len(), 20_000);
    let what: Vec<String> = damaged.verify().into_iter().map(|problem| problem.what).collect();
    assert_eq!(what[0], "checksum of section DATA does not match");
    assert_eq!(what[1], "checksum of page 17 of section DATA does not match");

    // A merge does not copy damage into a new file.
    let live = model.doc_ids();
    let inputs = [ColumnsMergeInput { readers: vec![&damaged], live: &live }];
    let error =
        merge(&inputs, &|_| true, &fold, &memory(), "merged", &Cancel::default()).unwrap_err();
    assert_names_the_file(&error);
}

/// The section that is checked in pages, with its checksums.
const PAGED: [(Tag, Tag); 1] = [(format::DATA, format::DATA_PAGES)];

fn with_section(bytes: &[u8], tag: Tag, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    damaged_file::with_section(bytes, tag, &PAGED, change)
}

/// Returns the ranges of the dictionaries in the columns: their library trusts its input, so
/// nothing reads them before their checksum is verified.
fn dictionaries(reader: &ColumnsReader) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    for number in 0..reader.names().len() {
        let description = reader.description(number).unwrap();
        for part in [format::ColumnPart::Dictionary, format::ColumnPart::Folded] {
            ranges.push(description.part(part).unwrap());
        }
    }
    ranges
}

fn problems_of(bytes: Vec<u8>) -> Vec<String> {
    match ColumnsReader::from_bytes(NAME, FileBytes::from(bytes)) {
        Ok(reader) => reader.verify().into_iter().map(|it| it.what).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn a_verification_finds_what_checksums_cannot() {
    let mut model = Model::default();
    model.add(1, [("x", Item::Number(1.0))]);
    model.add(2, [("x", Item::Number(2.0))]);
    let intact = bytes_of(&model);
    assert_eq!(with_section(&intact, format::META, |_| ()), intact);
    let reader = ColumnsReader::from_bytes(NAME, FileBytes::from(intact.clone())).unwrap();
    let part = |part| reader.description(0).unwrap().part(part).unwrap();
    let change = |of: format::ColumnPart, place: usize, byte: u8| {
        let place = part(of).start + place;
        problems_of(with_section(&intact, format::DATA, |bytes| bytes[place] = byte))
    };
    // The places are those of the documents 0, 1 and 2.
    assert_eq!(part(format::ColumnPart::Ordinals).len(), 3);
    let list = "the list of value 0 of column `x` is malformed";
    assert_eq!(change(format::ColumnPart::Ordinals, 2, 0), [list]);
    assert_eq!(change(format::ColumnPart::Postings, 0, 2 << 1 | 1), [list]);
    let valued = "the set of documents with values of column `x` is malformed";
    assert_eq!(change(format::ColumnPart::Ordinals, 0, 1), [valued]);
    assert_eq!(change(format::ColumnPart::Ordinals, 1, 2), [valued]);
    assert_eq!(
        change(format::ColumnPart::Ordinals, 1, 3),
        ["document 1 of column `x` is malformed"]
    );
    let numbers = "the list of numbers of column `x` is malformed";
    assert_eq!(change(format::ColumnPart::Numbers, 7, 0x7f), [numbers]);
}

/// Sections with random contents may read as damaged but must not panic.
#[test]
fn nonsense_under_right_checksums_does_no_harm() {
    let model = small_model();
    let intact = bytes_of(&model);
    let frame = Frame::read(NAME, FileBytes::from(intact.clone())).unwrap();
    let reader = ColumnsReader::from_bytes(NAME, FileBytes::from(intact.clone())).unwrap();
    let dictionaries = dictionaries(&reader);
    let mut state = 5_usize;
    for section in frame.sections() {
        let rounds = if section.tag == format::DATA { 1500 } else { 200 };
        for _ in 0..rounds {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if section.length == 0 {
                continue;
            }
            let place = (state >> 33) % section.length as usize;
            let bytes = with_section(&intact, section.tag, |bytes| {
                let is_data = section.tag == format::DATA;
                let is_left_out = |place: usize| {
                    is_data && dictionaries.iter().any(|range| range.contains(&place))
                };
                match state >> 20 & 3 {
                    0 => bytes.truncate(place),
                    1 => {
                        for (place, byte) in bytes.iter_mut().enumerate().skip(place) {
                            if !is_left_out(place) {
                                *byte = 0xff;
                            }
                        }
                    }
                    _ if !is_left_out(place) => bytes[place] ^= (state >> 25) as u8 | 1,
                    _ => {}
                }
            });
            let Ok(reader) = ColumnsReader::from_bytes(NAME, FileBytes::from(bytes)) else {
                continue;
            };
            // A description may place anything where a dictionary should be.
            if section.tag == format::DESCRIPTIONS || section.tag == format::DESCRIPTION_OFFSETS {
                continue;
            }
            read_all(&reader, &model);
        }
    }
}

fn read_all(reader: &ColumnsReader, model: &Model) {
    let names: Vec<&str> = reader.names().collect();
    for name in names {
        let Ok(Some(column)) = reader.column(name) else {
            continue;
        };
        for ordinal in 0..column.value_count() + 2 {
            let _ = column.documents_of(ordinal);
            let _ = column.document_count(ordinal);
            let _ = column.number(ordinal);
            let _ = column.string(ordinal);
            let _ = column.spelling(ordinal);
        }
        let _ = column.documents_of_range(0..u32::MAX);
        let _ = column.documents_of_range(1..u32::MAX);
        let _ = column.documents_of_many(&[0, 1, u32::MAX]);
        let _ = column.numbers_between(Bound::Included(1.0), Bound::Unbounded);
        let _ = column.strings_between(Bound::Included(b"a"), Bound::Excluded(b"b"));
        let _ = column.folded().map(|folded| folded.ordinals(0));
        let mut counts = vec![0; column.value_count() as usize];
        for universe in [(0..200).collect(), (0..200).step_by(3).collect()] {
            let universe: RoaringBitmap = universe;
            let _ = column.count_values(&universe, &mut counts);
        }
        let mut cursor = column.values();
        for doc_id in 0..200 {
            let _ = cursor.seek(doc_id).map(Iterator::count);
        }
    }
    let _ = reader.verify();
    let live = &model.doc_ids();
    let inputs = [ColumnsMergeInput { readers: vec![reader], live }];
    let _ = merge(&inputs, &|_| true, &fold, &memory(), "merged", &Cancel::default());
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let directory = memory();
    let mut frame = FrameWriter::create(&directory, NAME, Tag(*b"DOCS"), 1).unwrap();
    frame.section(Tag(*b"DATA"), b"x").unwrap();
    frame.finish().unwrap();
    assert_names_the_file(&ColumnsReader::open(&directory, NAME).unwrap_err());
}
