//! Section names and metadata of a vector file. FORMAT.md describes the bytes.

use roaring::RoaringBitmap;
use segment::{DocId, Tag, meta_to_bytes, parse_meta};

use crate::options::{Metric, StoreOptions};

pub const KIND: Tag = Tag(*b"VECT");
pub const VERSION: u16 = 2;

pub const META: Tag = Tag(*b"META");
/// The vectors.
pub const ROWS: Tag = Tag(*b"ROWS");
pub const ROW_PAGES: Tag = Tag(*b"RPAG");
/// Document of each row.
pub const OWNERS: Tag = Tag(*b"OWNR");
pub const OWNER_PAGES: Tag = Tag(*b"OPAG");
/// First row of each document, in DocId order; missing where row n belongs to the n-th document.
pub const PLACES: Tag = Tag(*b"PLAC");
pub const PLACE_PAGES: Tag = Tag(*b"PPAG");
/// Documents that have rows in this file.
pub const DOC_IDS: Tag = Tag(*b"DIDS");
/// Documents that lose their vectors from earlier files.
pub const GONE: Tag = Tag(*b"GONE");
/// Rows of zero vectors.
pub const ZEROS: Tag = Tag(*b"ZERO");
/// Nodes of the rows, minus the first node; missing where they are consecutive.
pub const NODES: Tag = Tag(*b"NODE");

/// Owner of a row that belongs to no document.
pub const NO_OWNER: DocId = DocId::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    pub options: StoreOptions,
    pub rows: u32,
    /// Rows that belong to a document.
    pub owned: u32,
    pub documents: u32,
    /// Largest number of rows of one document.
    pub most: u32,
}

impl Meta {
    pub fn to_bytes(self) -> Vec<u8> {
        meta_to_bytes([
            self.options.dimensions as u64,
            metric_code(self.options.metric),
            self.rows.into(),
            self.owned.into(),
            self.documents.into(),
            self.most.into(),
        ])
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let [dimensions, metric, rows, owned, documents, most] = parse_meta(bytes)?;
        let small = |number| u32::try_from(number).ok();
        Some(Self {
            options: StoreOptions {
                dimensions: small(dimensions)? as usize,
                metric: metric_from_code(metric)?,
            },
            rows: small(rows)?,
            owned: small(owned)?,
            documents: small(documents)?,
            most: small(most)?,
        })
    }
}

pub fn metric_code(metric: Metric) -> u64 {
    match metric {
        Metric::Cosine => 0,
        Metric::Euclidean => 1,
        Metric::DotProduct => 2,
        Metric::Hamming => 3,
    }
}

pub fn metric_from_code(code: u64) -> Option<Metric> {
    [Metric::Cosine, Metric::Euclidean, Metric::DotProduct, Metric::Hamming]
        .into_iter()
        .find(|metric| metric_code(*metric) == code)
}

/// Serializes a set in the standard Roaring format.
pub fn set_to_bytes(set: &RoaringBitmap) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(set.serialized_size());
    // Writing to memory cannot fail.
    let _ = set.serialize_into(&mut bytes);
    bytes
}

pub fn numbers_to_bytes(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Reads the number at the start of `bytes`.
pub fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_comes_back() {
        let options = StoreOptions { dimensions: 768, metric: Metric::Hamming };
        let meta = Meta { options, rows: 12, owned: 11, documents: 9, most: 3 };
        assert_eq!(Meta::parse(&meta.to_bytes()), Some(meta));
        assert_eq!(Meta::parse(&meta.to_bytes()[1..]), None);
        assert_eq!(Meta::parse(&[0xff; 48]), None);
    }
}
