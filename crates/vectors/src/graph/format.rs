//! Section names, metadata and row layout of a graph file. FORMAT.md describes the bytes.

use segment::{Tag, meta_to_bytes, parse_meta};

pub const KIND: Tag = Tag(*b"GRPH");
pub const VERSION: u16 = 2;

pub const META: Tag = Tag(*b"META");
/// Rows of the lowest layer, one per node.
pub const LINKS: Tag = Tag(*b"LINK");
pub const LINK_PAGES: Tag = Tag(*b"LPAG");
/// Rows of the layers above it, lowest first.
pub const UPPER: Tag = Tag(*b"UPPR");
pub const UPPER_PAGES: Tag = Tag(*b"UPAG");

/// Most links of a node in the lowest layer (`2 M` in HNSW).
pub const LOWEST_WIDTH: usize = 32;
/// Most links of a node in a layer above, and of a new node in any layer (`M` in HNSW).
pub const WIDTH: usize = 16;
/// Words before the links of an upper-layer row: its node, its row in the layer below.
pub const UPPER_HEADER: usize = 2;
/// Number of layers, including the lowest. One in sixteen nodes of a layer is in the next.
pub const LAYERS: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// Nodes that were alive when the file was written.
    pub living: u32,
    /// Rows of each layer, lowest first.
    pub rows: [u32; LAYERS],
}

impl Meta {
    pub fn to_bytes(self) -> Vec<u8> {
        meta_to_bytes([self.living].into_iter().chain(self.rows).map(u64::from))
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let numbers: [u64; 1 + LAYERS] = parse_meta(bytes)?;
        let [living, rows @ ..] = numbers.map(|number| u32::try_from(number).ok());
        let rows: Vec<u32> = rows.into_iter().collect::<Option<_>>()?;
        Some(Self { living: living?, rows: rows.try_into().ok()? })
    }
}

/// Returns the number of words before the links of a row.
pub fn header(layer: usize) -> usize {
    if layer == 0 { 0 } else { UPPER_HEADER }
}

/// Returns the number of links of a row.
pub fn width(layer: usize) -> usize {
    if layer == 0 { LOWEST_WIDTH } else { WIDTH }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_comes_back() {
        let meta = Meta { living: 9, rows: [1_000_000, 62_500, 3906, 244, 15, 1, 0, 0] };
        assert_eq!(Meta::parse(&meta.to_bytes()), Some(meta));
        assert_eq!(Meta::parse(&meta.to_bytes()[8..]), None);
        assert_eq!(Meta::parse(&[0xff; 72]), None);
    }
}
