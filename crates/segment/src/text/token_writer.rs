//! Writes token streams, document by document in DocId order.

use super::format::{self, FieldTotals};
use super::tokens::{LONG_COUNT, LONG_STEP};
use crate::DocId;
use crate::documents::RunSet;
use crate::encoding::offsets::OffsetsBuilder;
use crate::encoding::pages::{self, PagesWriter};
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;
use crate::varint;

pub struct TokenWriter<'f> {
    frame: &'f mut FrameWriter,
    pages: PagesWriter,
    offsets: OffsetsBuilder,
    doc_ids: RunSet,
    high_bits: u32,
    token_count: u64,
    totals: Vec<FieldTotals>,
}

/// Metadata known once all streams are written.
pub struct WrittenTokens {
    pub doc_ids: roaring::RoaringBitmap,
    pub token_count: u64,
    /// Totals by number of the attribute.
    pub totals: Vec<FieldTotals>,
}

impl<'f> TokenWriter<'f> {
    pub fn new(frame: &'f mut FrameWriter, words: u32) -> Result<Self> {
        let pages = PagesWriter::begin(frame, format::TOKENS)?;
        Ok(Self {
            frame,
            pages,
            offsets: OffsetsBuilder::default(),
            doc_ids: RunSet::default(),
            high_bits: format::high_bits(words),
            token_count: 0,
            totals: Vec::new(),
        })
    }

    /// Adds a document: the number and token count of each attribute that has tokens, by ascending
    /// number, and all tokens.
    pub fn add(&mut self, doc_id: DocId, fields: &[(u16, u32)], tokens: &[u32]) -> Result<()> {
        debug_assert!(fields.is_sorted_by(|left, right| left.0 < right.0));
        debug_assert!(tokens.iter().all(|&token| token >> self.high_bits >> 16 == 0));
        if !self.doc_ids.push(doc_id) {
            let what = format!("document {doc_id} comes twice or out of order");
            return Err(SegmentError::Inconsistent(what));
        }
        self.offsets.push(self.pages.length());
        self.token_count += tokens.len() as u64;
        self.count_fields(fields);
        let out = &mut self.pages.pending;
        write_heads(out, fields);
        out.extend(tokens.iter().flat_map(|&token| (token as u16).to_le_bytes()));
        let high = tokens.iter().map(|&token| (token >> 16) as u16);
        match self.high_bits {
            0 => {}
            4 => out.extend(tokens.chunks(2).map(|pair| match *pair {
                [first, second] => (first >> 16 | second >> 16 << 4) as u8,
                _ => (pair[0] >> 16) as u8,
            })),
            8 => out.extend(high.map(|high| high as u8)),
            _ => out.extend(high.flat_map(u16::to_le_bytes)),
        }
        self.pages.flush(self.frame)
    }

    fn count_fields(&mut self, fields: &[(u16, u32)]) {
        if let Some(&(last, _)) = fields.last()
            && self.totals.len() <= usize::from(last)
        {
            self.totals.resize(usize::from(last) + 1, FieldTotals::default());
        }
        for &(field, tokens) in fields {
            let totals = &mut self.totals[usize::from(field)];
            totals.documents += 1;
            totals.tokens += u64::from(tokens);
        }
    }

    pub fn finish(mut self) -> Result<WrittenTokens> {
        self.offsets.push(self.pages.length());
        self.pages.finish(self.frame, format::TOKEN_PAGES)?;
        let offsets = self.offsets.to_bytes();
        pages::write(self.frame, format::TOKEN_OFFSETS, format::TOKEN_OFFSET_PAGES, offsets)?;
        Ok(WrittenTokens {
            doc_ids: self.doc_ids.finish(),
            token_count: self.token_count,
            totals: self.totals,
        })
    }
}

fn write_heads(out: &mut Vec<u8>, fields: &[(u16, u32)]) {
    varint::write(out, fields.len() as u64);
    let mut next_field = 0;
    for &(field, count) in fields {
        let step = u32::from(field) - next_field;
        next_field = u32::from(field) + 1;
        let (long_step, long_count) = (u32::from(LONG_STEP), u32::from(LONG_COUNT));
        out.push((step.min(long_step) << 5 | count.min(long_count)) as u8);
        if step >= long_step {
            varint::write(out, u64::from(step - long_step));
        }
        if count >= long_count {
            varint::write(out, u64::from(count - long_count));
        }
    }
}
