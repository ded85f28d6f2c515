//! Section names of a text file, the special tokens of streams, and the small sections. FORMAT.md
//! has the diagrams.

use crate::encoding::meta::{meta_to_bytes, parse_meta};
use crate::frame::Tag;
use crate::varint;

pub const KIND: Tag = Tag(*b"TEXT");
pub const VERSION: u16 = 4;
/// First version that stores pairs of frequent words with words between them.
pub const FIRST_WITH_NEAR_PAIRS: u16 = 4;

/// Numbers that describe the whole file.
pub const META: Tag = Tag(*b"META");
/// Word → ordinal.
pub const DICTIONARY: Tag = Tag(*b"DICT");
/// Documents of each word, in word order.
pub const POSTINGS: Tag = Tag(*b"POST");
/// Start of the documents of each word.
pub const POSTING_OFFSETS: Tag = Tag(*b"POFF");
/// Page checksums of the sections above.
pub const POSTING_PAGES: Tag = Tag(*b"PPAG");
pub const POSTING_OFFSET_PAGES: Tag = Tag(*b"POPG");
/// Unions over the words of a prefix, for prefixes that many documents match.
pub const PREFIX_SETS: Tag = Tag(*b"PSET");
/// Ranges of ordinals that have a union.
pub const PREFIXES: Tag = Tag(*b"PRFX");
pub const PREFIX_PAGES: Tag = Tag(*b"XPAG");
/// First positions of the words of unions, and pairs of frequent words, in parts of some documents.
pub const PARTS: Tag = Tag(*b"PART");
pub const PART_PAGES: Tag = Tag(*b"APAG");
pub const PART_TABLE: Tag = Tag(*b"PTAB");
/// Ordinals of frequent words.
pub const FREQUENT_WORDS: Tag = Tag(*b"FREQ");
/// Number of tokens of attributes.
pub const LENGTHS: Tag = Tag(*b"LENS");
pub const LENGTH_PAGES: Tag = Tag(*b"LPAG");
pub const LENGTH_TABLE: Tag = Tag(*b"LTAB");
/// Token streams, in DocId order.
pub const TOKENS: Tag = Tag(*b"TOKS");
/// Start of the token stream of each document.
pub const TOKEN_OFFSETS: Tag = Tag(*b"TOFF");
pub const TOKEN_PAGES: Tag = Tag(*b"TPAG");
pub const TOKEN_OFFSET_PAGES: Tag = Tag(*b"TOPG");
/// Set of DocIds.
pub const DOC_IDS: Tag = Tag(*b"DIDS");
/// Names of attributes; a stream refers to their position in this list.
pub const FIELDS: Tag = Tag(*b"FLDS");
/// Documents and tokens of each attribute.
pub const FIELD_TOTALS: Tag = Tag(*b"FTOT");

/// Token of a hard separator or a new leaf. It adds 7 to the position of what follows.
pub const GAP: u32 = 0;
/// Token of a stop word or a word that is too long. It takes one position.
pub const SKIP: u32 = 1;
/// Token of the word with ordinal 0.
pub const FIRST_WORD: u32 = 2;

/// Longest indexed word, in bytes.
pub const LONGEST_WORD: usize = 250;
/// Words at this position of their attribute and beyond are not indexed.
pub const POSITIONS: u32 = 1 << 16;
/// Positions that a gap adds, beyond the 1 that every word adds.
pub const GAP_POSITIONS: u32 = 7;

/// Returns how many positions a token takes.
#[inline]
pub fn positions_of(token: u32) -> u32 {
    if token == GAP { GAP_POSITIONS } else { 1 }
}
/// Maximum number of attributes of one file.
pub const MAX_FIELDS: usize = 1 << 16;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meta {
    pub documents: u64,
    pub words: u32,
    /// Number of tokens of all streams, including markers.
    pub tokens: u64,
}

impl Meta {
    pub fn to_bytes(self) -> Vec<u8> {
        meta_to_bytes([self.documents, self.words.into(), self.tokens])
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let [documents, words, tokens] = parse_meta(bytes)?;
        let words = u32::try_from(words).ok()?;
        // Ordinals and markers share 32 bits.
        words.checked_add(FIRST_WORD)?;
        Some(Self { documents, words, tokens })
    }
}

/// Returns the bits of a token beyond the lower 16, for this many words.
pub fn high_bits(words: u32) -> u32 {
    match words.saturating_add(FIRST_WORD - 1) {
        0..=0xffff => 0,
        0x1_0000..=0xf_ffff => 4,
        0x10_0000..=0xff_ffff => 8,
        _ => 16,
    }
}

/// Serializes the names of attributes, which must be in byte order.
pub fn fields_to_bytes<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Vec<u8> {
    let mut out = Vec::new();
    varint::write(&mut out, names.len() as u64);
    for name in names {
        varint::write_slice(&mut out, name.as_bytes());
    }
    out
}

pub fn parse_fields(mut bytes: &[u8]) -> Option<Vec<String>> {
    let count = varint::read(&mut bytes)?;
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(varint::read_text(&mut bytes)?);
    }
    let sorted = names.is_sorted_by(|left, right| left < right);
    (bytes.is_empty() && sorted && names.len() <= MAX_FIELDS).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_token_fits_its_width() {
        for words in [0, 1, 0xfffe, 0xffff, 0xf_fffe, 0xf_ffff, 0xff_fffe, 0xff_ffff, 1 << 30] {
            let largest = u64::from(words) + u64::from(FIRST_WORD) - 1;
            assert!(largest < 1 << (16 + high_bits(words)), "{words}");
        }
    }

    #[test]
    fn the_description_comes_back() {
        let meta = Meta { documents: 3, words: 70_000, tokens: 1 << 40 };
        let bytes = meta.to_bytes();
        assert_eq!(bytes.len(), 24);
        assert_eq!(Meta::parse(&bytes), Some(meta));
        assert_eq!(Meta::parse(&bytes[1..]), None);
        assert_eq!(Meta::parse(&[0xff; 24]), None);
    }
}

/// Totals of an attribute over all documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FieldTotals {
    /// Number of documents that have words in it.
    pub documents: u64,
    /// Number of their tokens, including markers.
    pub tokens: u64,
}

pub fn totals_to_bytes(totals: &[FieldTotals]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for total in totals {
        varint::write(&mut bytes, total.documents);
        varint::write(&mut bytes, total.tokens);
    }
    bytes
}

/// Parses totals; `None` if the bytes are not those of so many attributes.
pub fn parse_totals(mut bytes: &[u8], fields: usize) -> Option<Vec<FieldTotals>> {
    let total = |_| {
        Some(FieldTotals {
            documents: varint::read(&mut bytes)?,
            tokens: varint::read(&mut bytes)?,
        })
    };
    let totals = (0..fields).map(total).collect::<Option<Vec<_>>>()?;
    bytes.is_empty().then_some(totals)
}
