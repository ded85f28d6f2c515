//! Streams documents, in DocId order, into the blocks of a new file and collects their index.
//! Shared by new segments and merges.

use roaring::RoaringBitmap;

use super::block::{BlockBuilder, BlockEntry, TARGET_LENGTH};
use super::dictionary::{Compressor, Dictionary};
use super::format;
use super::run_set::RunSet;
use crate::DocId;
use crate::checksum;
use crate::error::{Result, SegmentError};
use crate::frame::{Check, FrameWriter};

/// Smaller blocks are not worth copying unchanged.
pub const SMALL_LENGTH: usize = TARGET_LENGTH / 2;
/// At most one block in this many may be small as a result of copying others.
const SMALL_BLOCK_SHARE: u64 = 8;

pub struct BlockWriter<'a> {
    frame: &'a mut FrameWriter,
    compressor: Compressor,
    pending: BlockBuilder,
    raw: Vec<u8>,
    compressed: Vec<u8>,
    small_blocks: u64,
    doc_ids: RunSet,
    written: BlockTotals,
}

/// Totals of the written blocks.
#[derive(Debug, Default)]
pub struct BlockTotals {
    pub index: Vec<u8>,
    pub blocks: u64,
    /// Length of all blocks before compression.
    pub raw: u64,
    pub doc_ids: RoaringBitmap,
}

impl<'a> BlockWriter<'a> {
    /// Writes the dictionary and opens the section of blocks.
    pub fn new(frame: &'a mut FrameWriter, dictionary: Option<&Dictionary>) -> Result<Self> {
        if let Some(dictionary) = dictionary {
            frame.section(format::DICTIONARY, dictionary.bytes())?;
        }
        frame.begin(format::BLOCKS, Check::InPieces)?;
        Ok(Self {
            frame,
            compressor: Compressor::new(dictionary),
            pending: BlockBuilder::default(),
            raw: Vec::new(),
            compressed: Vec::new(),
            small_blocks: 0,
            doc_ids: RunSet::default(),
            written: BlockTotals::default(),
        })
    }

    /// Adds a document. DocIds must ascend.
    pub fn add(&mut self, doc_id: DocId, json: &[u8]) -> Result<()> {
        self.note(doc_id)?;
        if self.pending.length() + json.len() > TARGET_LENGTH {
            self.flush()?;
        }
        self.pending.push(doc_id, json);
        Ok(())
    }

    /// Returns whether a block may be copied now. Pending documents become a block of their own,
    /// and small blocks must stay few, or merging would degrade the file.
    pub fn accepts_copies(&self) -> bool {
        let pending = self.pending.length();
        pending == 0
            || pending >= SMALL_LENGTH
            || self.small_blocks * SMALL_BLOCK_SHARE <= self.written.blocks
    }

    /// Copies a block with these documents, compressed with the same dictionary.
    pub fn copy(
        &mut self,
        entry: &BlockEntry,
        compressed: &[u8],
        doc_ids: impl Iterator<Item = DocId>,
    ) -> Result<()> {
        self.flush()?;
        for doc_id in doc_ids {
            self.note(doc_id)?;
        }
        self.put(BlockEntry { offset: self.frame.section_length(), ..*entry }, compressed)
    }

    pub fn finish(mut self) -> Result<BlockTotals> {
        self.flush()?;
        Ok(BlockTotals { doc_ids: self.doc_ids.finish(), ..self.written })
    }

    fn note(&mut self, doc_id: DocId) -> Result<()> {
        if !self.doc_ids.push(doc_id) {
            let what = format!("document {doc_id} comes twice or out of order");
            return Err(SegmentError::Inconsistent(what));
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let Some(first) = self.pending.first() else {
            return Ok(());
        };
        self.pending.drain_into(&mut self.raw);
        self.compressor
            .compress(&self.raw, &mut self.compressed)
            .map_err(|what| self.frame.error(std::io::Error::other(what)))?;
        let compressed = std::mem::take(&mut self.compressed);
        let entry = BlockEntry {
            offset: self.frame.section_length(),
            first,
            compressed_length: compressed.len() as u32,
            raw_length: self.raw.len() as u32,
            checksum: block_checksum(&compressed),
        };
        self.put(entry, &compressed)?;
        self.compressed = compressed;
        Ok(())
    }

    fn put(&mut self, entry: BlockEntry, compressed: &[u8]) -> Result<()> {
        self.frame.append(compressed)?;
        entry.write(&mut self.written.index);
        self.written.blocks += 1;
        self.written.raw += u64::from(entry.raw_length);
        if (entry.raw_length as usize) < SMALL_LENGTH {
            self.small_blocks += 1;
        }
        Ok(())
    }
}

/// Half a hash is plenty for a few kilobytes, and blocks are many.
pub fn block_checksum(compressed: &[u8]) -> u32 {
    checksum::of(compressed) as u32
}
