//! Test support for any component: damaged files, and files of a faulty writer.

use crate::directory::{Directory, FileBytes, MemoryDirectory};
use crate::encoding::pages::PAGE_LENGTH;
use crate::error::SegmentError;
use crate::frame::{Check, Frame, FrameWriter, Tag};
use crate::inspect;

pub(crate) fn assert_names(file: &str, error: &SegmentError) {
    match error {
        SegmentError::Damaged { file: named, .. } => assert_eq!(named, file),
        other => panic!("{other}"),
    }
}

/// Flips every byte of a sound file in each of the ways.
pub(crate) fn every_flip_is_noticed(
    intact: &[u8],
    flips: &[u8],
    is_sound: impl Fn(Vec<u8>) -> bool,
) {
    assert!(is_sound(intact.to_vec()));
    for position in 0..intact.len() {
        for flip in flips {
            let mut bytes = intact.to_vec();
            bytes[position] ^= flip;
            assert!(!is_sound(bytes), "byte {position} of {}", intact.len());
        }
    }
}

/// Truncates a file at every byte. Describing the rest must not fail either.
pub(crate) fn every_missing_end_is_noticed(
    intact: &[u8],
    name: &str,
    is_sound: impl Fn(Vec<u8>) -> bool,
) {
    for length in 0..intact.len() {
        let start = intact[..length].to_vec();
        assert!(!is_sound(start.clone()), "{length} bytes");
        assert!(inspect(&FileBytes::from(start), name).contains("problem"));
    }
}

/// Returns a file with one section changed and valid checksums, as a faulty writer might produce
/// it. `paged` lists the sections with page checksums and the sections of these.
pub(crate) fn with_section(
    bytes: &[u8],
    tag: Tag,
    paged: &[(Tag, Tag)],
    change: impl FnOnce(&mut Vec<u8>),
) -> Vec<u8> {
    const NAME: &str = "changed";
    let frame = Frame::read(NAME, FileBytes::from(bytes.to_vec())).unwrap();
    let mut contents: Vec<(Tag, Check, Vec<u8>)> = frame
        .sections()
        .iter()
        .map(|section| (section.tag, section.check, frame.section(section.tag).unwrap().to_vec()))
        .collect();
    let place = contents.iter().position(|(other, ..)| *other == tag).unwrap();
    change(&mut contents[place].2);
    if let Some((_, sums)) = paged.iter().find(|(paged, _)| *paged == tag) {
        let right: Vec<u8> = contents[place]
            .2
            .chunks(PAGE_LENGTH)
            .flat_map(|page| (xxhash_rust::xxh3::xxh3_64(page) as u32).to_le_bytes())
            .collect();
        contents.iter_mut().find(|(other, ..)| other == sums).unwrap().2 = right;
    }
    let directory = MemoryDirectory::new();
    let mut out = FrameWriter::create(&directory, NAME, frame.kind(), frame.version()).unwrap();
    for (tag, check, content) in contents {
        out.begin(tag, check).unwrap();
        out.append(&content).unwrap();
    }
    out.finish().unwrap();
    directory.open(NAME).unwrap().to_vec()
}
