//! Data stored in parts, each for some documents of a file, in addition to lists and streams: first
//! positions of the words of unions (`union_positions`), and neighbouring frequent words (`pairs`).
//! It is derived from the token streams. A part is written when it is complete, so that memory does
//! not grow with the file. FORMAT.md has the bytes.

mod pairs;
mod union_positions;

use std::ops::Range;

use super::format;
use super::word_writer::WrittenWords;
use crate::DocId;
use crate::directory::FileBytes;
use crate::encoding::pages::{Pages, PagesWriter};
use crate::encoding::runs::Runs;
use crate::encoding::stored_set::StoredSet;
use crate::error::Result;
use crate::frame::{Frame, FrameWriter};
use pairs::{ADJACENT, NEAR, PairsOfPart, right_key};
use union_positions::UnionPositionsOfPart;

pub use pairs::{MOST_WORDS, Steps, least_frequent, least_near, older_least_frequent};
pub use union_positions::{LATE, UnionPositions};

/// A part ends with the document that brings it to this many tokens, or this many documents.
const TOKENS_IN_PART: u64 = if cfg!(test) { 300 } else { 4 << 20 };
const DOCUMENTS_IN_PART: usize = 1 << 16;

/// The fixed beginning of a row of the table: documents 4 | end of the pairs 8 | end of the part 8
const ROW_START: usize = 20;
/// The fixed beginning of a row before version 4, which has no near pairs: documents 4 | end of the
/// part 8
const OLDER_ROW_START: usize = 12;

/// Builds the bytes of parts from token streams in DocId order.
pub struct PartsBuilder<'w> {
    union_positions: UnionPositionsOfPart<'w>,
    pairs: PairsOfPart,
    /// Missing in files of older versions, which are only built to be compared.
    near: Option<PairsOfPart>,
    documents: usize,
    tokens: u64,
    /// Length of all parts so far.
    length: u64,
    /// One row per part.
    table: Vec<u8>,
}

impl<'w> PartsBuilder<'w> {
    pub fn new(words: &'w WrittenWords, has_near: bool) -> Self {
        let pairs = |steps, is_taken: &dyn Fn(usize) -> bool| {
            PairsOfPart::new(steps, &words.frequent, words.count, is_taken)
        };
        let is_near = |place: usize| words.is_near.get(place).is_some_and(|near| *near);
        Self {
            union_positions: UnionPositionsOfPart::new(&words.unions, words.count),
            pairs: pairs(ADJACENT, &|_| true),
            near: has_near.then(|| pairs(NEAR, &is_near)),
            documents: 0,
            tokens: 0,
            length: 0,
            table: Vec::new(),
        }
    }

    /// Adds the tokens of a document by attribute. A completed part is appended to `out`.
    pub fn add(&mut self, doc_id: DocId, fields: &[(u16, u32)], tokens: &[u32], out: &mut Vec<u8>) {
        self.union_positions.add(doc_id, fields, tokens);
        self.pairs.add(self.documents, fields, tokens);
        if let Some(near) = &mut self.near {
            near.add(self.documents, fields, tokens);
        }
        self.documents += 1;
        self.tokens += tokens.len() as u64;
        if self.documents == DOCUMENTS_IN_PART || self.tokens >= TOKENS_IN_PART {
            self.end_part(out);
        }
    }

    fn end_part(&mut self, out: &mut Vec<u8>) {
        if self.documents == 0 {
            return;
        }
        let start = out.len();
        let row = self.table.len();
        self.table.extend_from_slice(&(self.documents as u32).to_le_bytes());
        let row_start = if self.near.is_some() { ROW_START } else { OLDER_ROW_START };
        self.table.resize(row + row_start, 0);
        self.union_positions.write(out, &mut self.table);
        self.pairs.write(self.documents, out);
        let length = self.length;
        let end = |out: &[u8]| (length + (out.len() - start) as u64).to_le_bytes();
        let end_of_pairs = end(out);
        if let Some(near) = &mut self.near {
            near.write(self.documents, out);
        }
        self.table[row + 4..row + 12].copy_from_slice(&end_of_pairs);
        self.table[row + row_start - 8..row + row_start].copy_from_slice(&end(out));
        self.length += (out.len() - start) as u64;
        self.documents = 0;
        self.tokens = 0;
    }

    /// Appends the last part; returns the table.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Vec<u8> {
        self.end_part(out);
        self.table
    }
}

/// Writes the parts of a file.
pub struct PartsWriter<'f, 'w> {
    frame: &'f mut FrameWriter,
    pages: PagesWriter,
    builder: PartsBuilder<'w>,
    words: &'w WrittenWords,
}

impl<'f, 'w> PartsWriter<'f, 'w> {
    pub fn new(frame: &'f mut FrameWriter, words: &'w WrittenWords) -> Result<Self> {
        let pages = PagesWriter::begin(frame, format::PARTS)?;
        Ok(Self { frame, pages, builder: PartsBuilder::new(words, true), words })
    }

    pub fn add(&mut self, doc_id: DocId, fields: &[(u16, u32)], tokens: &[u32]) -> Result<()> {
        self.builder.add(doc_id, fields, tokens, &mut self.pages.pending);
        self.pages.flush(self.frame)
    }

    pub fn finish(mut self) -> Result<()> {
        let table = self.builder.finish(&mut self.pages.pending);
        self.pages.finish(self.frame, format::PART_PAGES)?;
        self.frame.section(format::PART_TABLE, &table)?;
        let frequent = self.words.frequent.iter().flat_map(|ordinal| ordinal.to_le_bytes());
        self.frame.section(format::FREQUENT_WORDS, &frequent.collect::<Vec<u8>>())
    }
}

/// The parts of a file.
pub struct Parts {
    pages: Pages,
    parts: Vec<PartLayout>,
    /// Number of documents by part and union.
    counts: Vec<u32>,
    unions: usize,
    frequent: FileBytes,
}

struct PartLayout {
    positions: Range<usize>,
    pairs: Range<usize>,
    /// Missing in files of older versions.
    near: Option<Range<usize>>,
    /// Its documents, by rank in the file.
    places: Range<usize>,
}

impl Parts {
    /// Opens the parts; `None` if the tables do not match.
    pub fn new(
        pages: Pages,
        table: &[u8],
        unions: usize,
        frequent: FileBytes,
        has_near: bool,
    ) -> Option<Self> {
        let row_start = if has_near { ROW_START } else { OLDER_ROW_START };
        let row_length = unions.checked_mul(4)?.checked_add(row_start)?;
        if !table.len().is_multiple_of(row_length) || !frequent.len().is_multiple_of(4) {
            return None;
        }
        let mut parts = Self { pages, parts: Vec::new(), counts: Vec::new(), unions, frequent };
        let (mut start, mut place) = (0_usize, 0_usize);
        for row in table.chunks_exact(row_length) {
            let documents = u32::from_le_bytes(*row.first_chunk()?) as usize;
            let end = |place: usize, least: usize| {
                let end = u64::from_le_bytes(*row.get(place..)?.first_chunk()?);
                usize::try_from(end).ok().filter(|end| *end >= least)
            };
            let end_of_pairs = end(4, start)?;
            let end = end(row_start - 8, end_of_pairs)?;
            let (counts, _) = row[row_start..].as_chunks::<4>();
            let counts = counts.iter().map(|count| u32::from_le_bytes(*count));
            let positions: usize = counts.clone().map(|count| count.div_ceil(2) as usize).sum();
            parts.counts.extend(counts);
            let middle = start.checked_add(positions).filter(|middle| *middle <= end_of_pairs)?;
            let places = place..place.checked_add(documents)?;
            place = places.end;
            let near = has_near.then_some(end_of_pairs..end);
            let pairs = middle..end_of_pairs;
            parts.parts.push(PartLayout { positions: start..middle, pairs, near, places });
            start = end;
        }
        (start == parts.pages.len()).then_some(parts)
    }

    /// Returns whether these are the bytes of all parts.
    pub fn are(&self, bytes: &[u8], frame: &Frame) -> Result<bool> {
        Ok(self.pages.get(0..self.pages.len(), frame)? == bytes)
    }

    /// Returns the ordinals of frequent words.
    pub fn frequent(&self) -> impl Iterator<Item = u32> {
        let (ordinals, _) = self.frequent.as_chunks::<4>();
        ordinals.iter().map(|ordinal| u32::from_le_bytes(*ordinal))
    }

    /// Returns the position of a word among the frequent ones.
    pub fn frequent_number(&self, ordinal: u32) -> Option<usize> {
        let (ordinals, _) = self.frequent.as_chunks::<4>();
        ordinals.binary_search_by_key(&ordinal, |bytes| u32::from_le_bytes(*bytes)).ok()
    }

    /// Returns the first positions of the words of a union in its documents.
    pub fn union_positions<'r>(
        &'r self,
        union: usize,
        documents: StoredSet<'r>,
        frame: &Frame,
    ) -> Result<UnionPositions<'r>> {
        let mut positions = Vec::with_capacity(self.parts.len());
        if union >= self.unions {
            return Ok(UnionPositions::new(documents, positions));
        }
        for (part, counts) in self.parts.iter().zip(self.counts.chunks(self.unions)) {
            let length = |count: &u32| count.div_ceil(2) as usize;
            let start = part.positions.start + counts[..union].iter().map(length).sum::<usize>();
            let end = start + length(&counts[union]);
            if end > start {
                positions.push((counts[union] as usize, self.pages.get(start..end, frame)?));
            }
        }
        Ok(UnionPositions::new(documents, positions))
    }

    /// Returns the frequent words of a range.
    pub fn frequent_in(&self, ordinals: &Range<u32>) -> impl Iterator<Item = u32> {
        let (frequent, _) = self.frequent.as_chunks::<4>();
        let place = |limit: u32| frequent.partition_point(|word| u32::from_le_bytes(*word) < limit);
        let places = place(ordinals.start)..place(ordinals.end);
        let found = frequent.get(places).unwrap_or_default();
        found.iter().map(|ordinal| u32::from_le_bytes(*ordinal))
    }

    /// Appends the documents in which a right word is this many steps after a frequent word: part
    /// by part, one right word after the other. `rights` ascend.
    pub fn append_pairs(
        &self,
        left: usize,
        rights: &[usize],
        steps: Steps,
        runs: &Runs,
        frame: &Frame,
        out: &mut Vec<DocId>,
    ) -> Result<()> {
        let malformed = || frame.damaged("the pairs of words are malformed");
        let all_steps = if ADJACENT.contains(&steps) { ADJACENT } else { NEAR };
        let keys: Vec<usize> =
            rights.iter().map(|right| right_key(*right, steps, &all_steps)).collect();
        for PartLayout { pairs, near, places, .. } in &self.parts {
            let pairs =
                if ADJACENT.contains(&steps) { pairs } else { near.as_ref().unwrap_or(pairs) };
            let table = pairs.start + 4 * left;
            let ends = self.pages.get(table..table + 8, frame)?;
            let &[a, b, c, d, e, f, g, h] = ends.first_chunk::<8>().ok_or_else(malformed)?;
            let start = pairs.start + u32::from_le_bytes([a, b, c, d]) as usize;
            let end = pairs.start + u32::from_le_bytes([e, f, g, h]) as usize;
            if start > end || end > pairs.end {
                return Err(malformed());
            }
            let bytes = self.pages.get(start..end, frame)?;
            let (mut near, mut last) = (0, 0);
            let found = pairs::for_each_place(bytes, &keys, |right, place| {
                if right != last {
                    // The documents of the next word start over.
                    (near, last) = (0, right);
                }
                let place = place.checked_add(places.start).filter(|place| *place < places.end)?;
                out.push(runs.doc_id(place, &mut near)?);
                Some(())
            });
            found.ok_or_else(malformed)?;
        }
        Ok(())
    }
}
