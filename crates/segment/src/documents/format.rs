//! Section names of a documents file, and the bytes of those that are neither blocks nor
//! identifiers. FORMAT.md has the diagrams.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use crate::encoding::meta::{meta_to_bytes, parse_meta};
use crate::frame::{Frame, Tag};
use crate::varint;

pub const KIND: Tag = Tag(*b"DOCS");
pub const VERSION: u16 = 1;

/// Numbers that describe the whole file.
pub const META: Tag = Tag(*b"META");
/// The compression dictionary; missing in small segments.
pub const DICTIONARY: Tag = Tag(*b"DICT");
/// Compressed blocks, one after the other.
pub const BLOCKS: Tag = Tag(*b"BLKS");
/// One entry per block.
pub const BLOCK_INDEX: Tag = Tag(*b"BIDX");
/// External id → DocId.
pub const IDS: Tag = Tag(*b"EIDS");
/// First id and offset of each group of external ids.
pub const ID_GROUPS: Tag = Tag(*b"EGRP");
/// Filter that rules out most external ids that are not in the file.
pub const ID_FILTER: Tag = Tag(*b"EFLT");
/// Set of DocIds.
pub const DOC_IDS: Tag = Tag(*b"DIDS");
/// Top-level field names with the documents that have them.
pub const FIELDS: Tag = Tag(*b"FLDS");

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meta {
    pub documents: u64,
    /// Length of all blocks before compression.
    pub raw: u64,
    pub blocks: u64,
}

impl Meta {
    pub fn to_bytes(self) -> Vec<u8> {
        meta_to_bytes([self.documents, self.raw, self.blocks])
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let [documents, raw, blocks] = parse_meta(bytes)?;
        Some(Self { documents, raw, blocks })
    }
}

pub fn set_to_bytes(set: &RoaringBitmap, out: &mut Vec<u8>) {
    let mut compact = set.clone();
    compact.optimize();
    compact.serialize_into(out).expect("writing to memory does not fail");
}

/// Parses exactly one set, with nothing after it.
pub fn parse_set(mut bytes: &[u8]) -> Option<RoaringBitmap> {
    let set = RoaringBitmap::deserialize_from(&mut bytes).ok()?;
    bytes.is_empty().then_some(set)
}

pub fn fields_to_bytes(fields: &BTreeMap<String, RoaringBitmap>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut set_bytes = Vec::new();
    varint::write(&mut out, fields.len() as u64);
    for (name, set) in fields {
        set_bytes.clear();
        set_to_bytes(set, &mut set_bytes);
        varint::write_slice(&mut out, name.as_bytes());
        varint::write_slice(&mut out, &set_bytes);
    }
    out
}

pub fn parse_fields(mut bytes: &[u8]) -> Option<Vec<(String, RoaringBitmap)>> {
    let count = varint::read(&mut bytes)?;
    let mut fields = Vec::new();
    for _ in 0..count {
        let name = varint::read_text(&mut bytes)?;
        let set = parse_set(varint::read_slice(&mut bytes)?)?;
        fields.push((name, set));
    }
    let sorted = fields.is_sorted_by(|(left, _), (right, _)| left < right);
    (sorted && bytes.is_empty()).then_some(fields)
}

/// Returns the length of a section, for the size report.
pub fn section_length(frame: &Frame, tag: Tag) -> u64 {
    frame.sections().iter().find(|section| section.tag == tag).map_or(0, |section| section.length)
}
