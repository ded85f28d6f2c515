//! Tests that a frame returns what was written, and detects any change.

use super::*;
use crate::directory::{
    Directory, Effect, FaultDirectory, FileBytes, InjectedFault, MemoryDirectory, Operation,
};
use crate::error::{Result, SegmentError};

const KIND: Tag = Tag(*b"TEST");
const FIRST: Tag = Tag(*b"FRST");
const SECOND: Tag = Tag(*b"SCND");
const EMPTY: Tag = Tag(*b"NONE");

fn write(directory: &dyn Directory) -> Result<u64> {
    let mut frame = FrameWriter::create(directory, "x", KIND, 3)?;
    frame.section(FIRST, b"first section")?;
    frame.section(EMPTY, b"")?;
    frame.begin(SECOND, Check::InPieces)?;
    frame.append(b"in two")?;
    frame.append(b" pieces")?;
    assert_eq!(frame.section_length(), 13);
    frame.finish()
}

fn written() -> Vec<u8> {
    let directory = MemoryDirectory::new();
    let length = write(&directory).unwrap();
    let bytes = directory.open("x").unwrap().to_vec();
    assert_eq!(bytes.len() as u64, length);
    bytes
}

fn open(bytes: Vec<u8>) -> Result<Frame> {
    Frame::open("x", FileBytes::from(bytes), KIND, 3)
}

#[test]
fn sections_come_back() {
    let frame = open(written()).unwrap();
    assert_eq!((frame.kind(), frame.version()), (KIND, 3));
    assert_eq!(&*frame.section(FIRST).unwrap(), b"first section");
    assert_eq!(&*frame.section(SECOND).unwrap(), b"in two pieces");
    assert_eq!(&*frame.section(EMPTY).unwrap(), b"");
    assert!(frame.sections().iter().all(|section| section.offset % 8 == 0));
    assert!(frame.verify().is_empty());
    assert_eq!(frame.optional_section(Tag(*b"OTHR")), None);
    let missing = frame.section(Tag(*b"OTHR")).unwrap_err();
    assert_eq!(missing.to_string(), "x is damaged: section OTHR is missing");
}

#[test]
fn a_frame_without_sections_is_one() {
    let directory = MemoryDirectory::new();
    let frame = FrameWriter::create(&directory, "x", KIND, 1).unwrap();
    assert_eq!(frame.finish().unwrap(), 48);
    let frame = Frame::open("x", directory.open("x").unwrap(), KIND, 1).unwrap();
    assert!(frame.sections().is_empty());
}

#[test]
fn another_kind_and_a_newer_version_are_refused() {
    let other = Frame::open("x", FileBytes::from(written()), Tag(*b"OTHR"), 3);
    assert!(other.unwrap_err().is_damaged());
    let older = Frame::open("x", FileBytes::from(written()), KIND, 2);
    assert_eq!(
        older.unwrap_err().to_string(),
        "x has format version 3, this release reads up to 2"
    );
}

#[test]
fn every_flipped_bit_is_noticed() {
    let intact = written();
    for position in 0..intact.len() {
        for bit in 0..8 {
            let mut bytes = intact.clone();
            bytes[position] ^= 1 << bit;
            match open(bytes) {
                Err(SegmentError::Damaged { file, .. }) => assert_eq!(file, "x"),
                Err(other) => panic!("byte {position}: {other}"),
                // Only the section in pieces may be wrong in an opened frame.
                Ok(frame) => {
                    assert_eq!(&*frame.section(FIRST).unwrap(), b"first section");
                    assert_eq!(frame.verify().len(), 1, "byte {position}");
                }
            }
        }
    }
}

#[test]
fn every_missing_end_and_every_addition_is_noticed() {
    let intact = written();
    for length in 0..intact.len() {
        let error = open(intact[..length].to_vec()).unwrap_err();
        assert!(error.is_damaged(), "{length} bytes: {error}");
    }
    let mut longer = intact.clone();
    longer.push(0);
    assert!(open(longer).unwrap_err().is_damaged());
    let twice = [&intact[..], &intact[..]].concat();
    assert!(open(twice).unwrap_err().is_damaged());
}

#[test]
fn a_section_is_written_once_and_bytes_belong_to_one() {
    let directory = MemoryDirectory::new();
    let mut frame = FrameWriter::create(&directory, "x", KIND, 1).unwrap();
    assert!(frame.append(b"no section yet").is_err());
    frame.section(FIRST, b"1").unwrap();
    assert!(frame.section(FIRST, b"2").is_err());
}

#[test]
fn a_small_file_is_created_written_and_synced_once() {
    let directory = FaultDirectory::new(MemoryDirectory::new());
    write(&directory).unwrap();
    let operations: Vec<Operation> = directory.log().iter().map(|(what, _)| *what).collect();
    assert_eq!(operations, [Operation::Create, Operation::Write, Operation::SyncFile]);
}

#[test]
fn a_failed_write_is_reported_and_leaves_no_whole_file() {
    for effect in [Effect::Refused, Effect::ShortWrite, Effect::OutOfSpace] {
        for number in 0..3 {
            let fault = InjectedFault::at(number, effect);
            let directory = FaultDirectory::with_fault(MemoryDirectory::new(), fault);
            let error = write(&directory).unwrap_err();
            assert!(matches!(error, SegmentError::Io { ref file, .. } if file == "x"));
            if effect == Effect::OutOfSpace {
                assert!(error.is_out_of_space());
            }
            directory.inner().sync().unwrap();
            if let Ok(bytes) = directory.inner().crash().open("x") {
                let error = Frame::open("x", bytes, KIND, 3).unwrap_err();
                assert!(error.is_damaged(), "{effect:?} at {number}");
            }
        }
    }
}
