//! Reads token streams: the words of a document, attribute by attribute, in order.
//!
//! This is the hot path of ranking. The lower 16 bits of all tokens of a document are adjacent,
//! followed by the upper bits if the file has more than 65,534 words, so that a stream can be
//! scanned without decoding. Its lengths are checked once, when the document is looked up; after
//! that nothing can fail.

use super::reader::TextReader;
use crate::DocId;
use crate::error::Result;
use crate::varint;

/// Looks up the streams of documents; quick in ascending order.
#[derive(Debug, Clone)]
pub struct TokenCursor<'r> {
    reader: &'r TextReader,
    near: usize,
}

/// The tokens of one document.
#[derive(Debug, Clone, Copy)]
pub struct DocumentTokens<'r> {
    heads: &'r [u8],
    fields: usize,
    low: &'r [[u8; 2]],
    high: High<'r>,
}

/// The tokens of one attribute of a document.
#[derive(Debug, Clone, Copy)]
pub struct FieldTokens<'r> {
    field: u16,
    low: &'r [[u8; 2]],
    high: High<'r>,
}

/// The bits above the lower 16 of each token.
#[derive(Debug, Clone, Copy)]
pub enum High<'r> {
    /// All are 0.
    Nothing,
    /// Two tokens per byte, the earlier one in the lower half. True if the first token is in the
    /// upper half of its byte.
    Nibbles(&'r [u8], bool),
    Bytes(&'r [u8]),
    Pairs(&'r [[u8; 2]]),
}

/// Marks a token count that does not fit into a head of one byte.
pub(super) const LONG_COUNT: u8 = 31;
/// Marks a step to the next field that does not fit into a head of one byte.
pub(super) const LONG_STEP: u8 = 7;

impl<'r> TokenCursor<'r> {
    pub(super) fn new(reader: &'r TextReader) -> Self {
        Self { reader, near: 0 }
    }

    /// Returns the tokens of a document; `None` if the file does not have it.
    #[inline]
    pub fn seek(&mut self, doc_id: DocId) -> Result<Option<DocumentTokens<'r>>> {
        match self.reader.runs.place(doc_id, &mut self.near) {
            Some(place) => self.reader.document_tokens(place).map(Some),
            None => Ok(None),
        }
    }
}

impl<'r> DocumentTokens<'r> {
    /// Parses a stream; `None` if the bytes are not one.
    pub(super) fn parse(bytes: &'r [u8], high_bits: u32) -> Option<Self> {
        let mut rest = bytes;
        let fields = usize::try_from(varint::read(&mut rest)?).ok()?;
        let mut heads = Heads { rest, left: fields, next_field: 0 };
        let heads_start = rest;
        let mut tokens = 0_usize;
        while heads.left > 0 {
            let (_, count) = heads.next()?;
            tokens = tokens.checked_add(count)?;
        }
        let (low, high) = heads.rest.split_at_checked(tokens.checked_mul(2)?)?;
        let (low, _) = low.as_chunks();
        let high = match high_bits {
            0 => High::Nothing,
            4 => High::Nibbles(high, false),
            8 => High::Bytes(high),
            _ => High::Pairs(high.as_chunks().0),
        };
        let expected = (tokens as u64 * u64::from(high_bits)).div_ceil(8);
        let found = heads.rest.len() - tokens * 2;
        (found as u64 == expected).then_some(Self { heads: heads_start, fields, low, high })
    }

    /// Returns each attribute that has words, once, in the order of its number.
    pub fn fields(self) -> impl Iterator<Item = FieldTokens<'r>> {
        let mut heads = Heads { rest: self.heads, left: self.fields, next_field: 0 };
        let mut place = 0;
        std::iter::from_fn(move || {
            if heads.left == 0 {
                return None;
            }
            let (field, count) = heads.next()?;
            let start = place;
            place += count;
            Some(FieldTokens {
                field,
                low: self.low.get(start..place)?,
                high: self.high.slice(start, place)?,
            })
        })
    }

    /// Returns the number and the token count of each attribute that has words, in order.
    #[inline]
    pub fn field_lengths(self) -> impl Iterator<Item = (u16, usize)> {
        let mut heads = Heads { rest: self.heads, left: self.fields, next_field: 0 };
        std::iter::from_fn(move || if heads.left == 0 { None } else { heads.next() })
    }

    /// Returns the lower 16 bits of all tokens of all attributes.
    #[inline]
    pub fn low(self) -> &'r [[u8; 2]] {
        self.low
    }

    /// Returns the bits above the lower 16 of all tokens of all attributes.
    #[inline]
    pub fn high(self) -> High<'r> {
        self.high
    }

    /// Returns the number of tokens of all attributes.
    pub fn token_count(self) -> usize {
        self.low.len()
    }
}

/// Heads of the attributes of a document: number and count of tokens.
struct Heads<'r> {
    rest: &'r [u8],
    left: usize,
    next_field: u32,
}

impl Heads<'_> {
    #[inline]
    fn next(&mut self) -> Option<(u16, usize)> {
        let (&head, rest) = self.rest.split_first()?;
        self.rest = rest;
        let mut step = u32::from(head >> 5);
        let mut count = u64::from(head & 31);
        if step == u32::from(LONG_STEP) {
            step = u32::try_from(varint::read(&mut self.rest)?).ok()?.checked_add(step)?;
        }
        if count == u64::from(LONG_COUNT) {
            count = varint::read(&mut self.rest)?.checked_add(count)?;
        }
        let field = u16::try_from(self.next_field.checked_add(step)?).ok()?;
        self.next_field = u32::from(field) + 1;
        self.left -= 1;
        Some((field, usize::try_from(count).ok()?))
    }
}

impl<'r> High<'r> {
    fn slice(self, start: usize, end: usize) -> Option<Self> {
        Some(match self {
            Self::Nothing => Self::Nothing,
            Self::Nibbles(bytes, _) => {
                Self::Nibbles(bytes.get(start / 2..end.div_ceil(2))?, start % 2 == 1)
            }
            Self::Bytes(bytes) => Self::Bytes(bytes.get(start..end)?),
            Self::Pairs(pairs) => Self::Pairs(pairs.get(start..end)?),
        })
    }

    #[inline]
    fn get(self, place: usize) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Nibbles(bytes, odd) => {
                let place = place + usize::from(odd);
                u32::from(bytes[place / 2] >> (place % 2 * 4) & 15)
            }
            Self::Bytes(bytes) => u32::from(bytes[place]),
            Self::Pairs(pairs) => u32::from(u16::from_le_bytes(pairs[place])),
        }
    }
}

#[inline]
fn token(high: u32, low: [u8; 2]) -> u32 {
    high << 16 | u32::from(u16::from_le_bytes(low))
}

impl<'r> FieldTokens<'r> {
    /// Returns its index in [`TextReader::fields`].
    pub fn field(self) -> u16 {
        self.field
    }

    /// Returns the number of tokens, including markers.
    pub fn len(self) -> usize {
        self.low.len()
    }

    pub fn is_empty(self) -> bool {
        self.low.is_empty()
    }

    /// Returns at most `count` tokens from the beginning.
    #[inline]
    pub fn first(self, count: usize) -> Self {
        let count = count.min(self.low.len());
        match (self.low.get(..count), self.high.slice(0, count)) {
            // The upper bits start in the middle of a byte: the slice would start too early.
            (Some(low), Some(_)) if matches!(self.high, High::Nibbles(..)) => Self { low, ..self },
            (Some(low), Some(high)) => Self { low, high, ..self },
            _ => self,
        }
    }

    /// Returns the lower 16 bits of each token, for scanning many at once.
    #[inline]
    pub fn low(self) -> &'r [[u8; 2]] {
        self.low
    }

    /// # Panics
    /// Where there is no such token.
    #[inline]
    pub fn get(self, place: usize) -> u32 {
        token(self.high.get(place), self.low[place])
    }

    #[inline]
    pub fn iter(self) -> Tokens<'r> {
        Tokens { tokens: self, place: 0 }
    }

    /// Appends all tokens to a list: the fastest way to read them all.
    pub fn decode_into(self, out: &mut Vec<u32>) {
        let low = self.low;
        match self.high {
            High::Nothing => out.extend(low.iter().map(|&low| token(0, low))),
            High::Nibbles(bytes, odd) => decode_nibbles(low, bytes, odd, out),
            High::Bytes(bytes) => {
                out.extend(low.iter().zip(bytes).map(|(&low, &high)| token(u32::from(high), low)));
            }
            High::Pairs(pairs) => out.extend(
                low.iter()
                    .zip(pairs)
                    .map(|(&low, &high)| token(u32::from(u16::from_le_bytes(high)), low)),
            ),
        }
    }
}

fn decode_nibbles(mut low: &[[u8; 2]], mut bytes: &[u8], odd: bool, out: &mut Vec<u32>) {
    if odd
        && let (Some((&first, rest)), Some((&byte, others))) =
            (low.split_first(), bytes.split_first())
    {
        out.push(token(u32::from(byte >> 4), first));
        (low, bytes) = (rest, others);
    }
    let (pairs, last) = low.as_chunks::<2>();
    out.extend(pairs.iter().zip(bytes).flat_map(|(&[first, second], &byte)| {
        [token(u32::from(byte & 15), first), token(u32::from(byte >> 4), second)]
    }));
    if let (&[last], Some(&byte)) = (last, bytes.get(pairs.len())) {
        out.push(token(u32::from(byte & 15), last));
    }
}

/// Iterates over the tokens of an attribute.
#[derive(Debug, Clone)]
pub struct Tokens<'r> {
    tokens: FieldTokens<'r>,
    place: usize,
}

impl Iterator for Tokens<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let low = *self.tokens.low.get(self.place)?;
        let high = self.tokens.high.get(self.place);
        self.place += 1;
        Some(token(high, low))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.tokens.low.len() - self.place;
        (left, Some(left))
    }

    /// Decides on the width only once, which `for_each`, `any` and the like profit from.
    #[inline]
    fn fold<B, F: FnMut(B, u32) -> B>(self, init: B, mut each: F) -> B {
        let place = self.place;
        let low = self.tokens.low;
        let left = low[place..].iter();
        match self.tokens.high {
            High::Nothing => left.fold(init, |state, &low| each(state, token(0, low))),
            High::Bytes(bytes) => left
                .zip(&bytes[place..])
                .fold(init, |state, (&low, &high)| each(state, token(u32::from(high), low))),
            high => (place..low.len())
                .fold(init, |state, place| each(state, token(high.get(place), low[place]))),
        }
    }
}

impl ExactSizeIterator for Tokens<'_> {}
