//! An opened documents file. Looking up an id or a document reads the memory map in place; only the
//! document sets are kept in memory.
//!
//! Blocks are checked on each read, and external ids on the first lookup of one, which a search
//! does not do. Everything else is checked when the file is opened.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use roaring::RoaringBitmap;

use super::assemble::id_hash;
use super::block::{self, BlockEntry};
use super::block_writer::block_checksum;
use super::dictionary::{Dictionary, decompress};
use super::format::{self, Meta, section_length};
use super::id_filter;
use super::id_table::IdTable;
use crate::DocId;
use crate::directory::{Directory, FileBytes};
use crate::error::{Result, SegmentError};
use crate::frame::Frame;

pub struct DocumentsReader {
    pub(super) frame: Frame,
    /// Unique number of this reader in the process.
    identity: u64,
    pub(super) meta: Meta,
    dictionary: Option<Dictionary>,
    blocks: FileBytes,
    index: FileBytes,
    ids: OnceLock<Ids>,
    doc_ids: RoaringBitmap,
    fields: Vec<(String, RoaringBitmap)>,
}

/// The external ids.
#[derive(Debug)]
pub(super) struct Ids {
    pub table: IdTable,
    pub filter: FileBytes,
}

/// Sizes in bytes by purpose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The whole file.
    pub file: u64,
    /// Documents before compression (with two or three bytes of bookkeeping each).
    pub raw_json: u64,
    /// Documents as stored: blocks, their index and the dictionary.
    pub stored_json: u64,
    /// External ids and their filter.
    pub ids: u64,
    /// Field sets and the set of DocIds.
    pub fields: u64,
}

impl DocumentsReader {
    pub fn open(directory: &dyn Directory, name: &str) -> Result<Self> {
        Self::from_bytes(name, directory.open(name)?)
    }

    pub fn from_bytes(name: &str, bytes: FileBytes) -> Result<Self> {
        static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

        let later = [format::IDS, format::ID_GROUPS, format::ID_FILTER];
        let frame = Frame::open_without(name, bytes, format::KIND, format::VERSION, &later)?;
        let meta = frame.parse(format::META, "the description", Meta::parse)?;
        let dictionary = frame
            .optional_section(format::DICTIONARY)
            .map(|bytes| Dictionary::new(bytes).ok_or_else(|| frame.unreadable("the dictionary")));
        let reader = Self {
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
            meta,
            dictionary: dictionary.transpose()?,
            blocks: frame.section(format::BLOCKS)?,
            index: frame.section(format::BLOCK_INDEX)?,
            ids: OnceLock::new(),
            doc_ids: frame.parse(format::DOC_IDS, "the set of documents", format::parse_set)?,
            fields: frame.parse(format::FIELDS, "the field sets", format::parse_fields)?,
            frame,
        };
        reader.check_counts()?;
        Ok(reader)
    }

    pub fn name(&self) -> &str {
        self.frame.name()
    }

    pub fn len(&self) -> u64 {
        self.meta.documents
    }

    pub fn is_empty(&self) -> bool {
        self.meta.documents == 0
    }

    /// Returns the JSON of a document, as it was added.
    pub fn get(&self, doc_id: DocId) -> Result<Option<String>> {
        if !self.doc_ids.contains(doc_id) {
            return Ok(None);
        }
        let Some(block) = self.block_of(doc_id) else {
            return Err(self.missing(doc_id));
        };
        LAST_BLOCK.with_borrow_mut(|last| {
            let raw = last.load(self, block)?;
            let first = BlockEntry::first_of(&self.index, block);
            let place = block::find(raw, first, doc_id)
                .ok_or_else(|| self.malformed(block))?
                .ok_or_else(|| self.missing(doc_id))?;
            let json = self.text(&raw[place], doc_id).map(|json| Some(json.to_owned()));
            last.drop_if_huge();
            json
        })
    }

    pub fn find(&self, external_id: &str) -> Result<Option<DocId>> {
        let id = external_id.as_bytes();
        let ids = self.ids()?;
        if !id_filter::may_contain(&ids.filter, id_hash(id)) {
            return Ok(None);
        }
        ids.table.find(id).ok_or_else(|| self.malformed_ids())
    }

    /// Visits every external id with its document, in id order.
    pub fn for_each_id(&self, mut each: impl FnMut(&str, DocId)) -> Result<()> {
        let mut ids = self.ids()?.table.cursor();
        while let Some((id, doc_id)) = ids.next() {
            each(str::from_utf8(id).map_err(|_| self.malformed_ids())?, doc_id);
        }
        if ids.is_done() { Ok(()) } else { Err(self.malformed_ids()) }
    }

    /// Returns a number that no other reader of this process has or had.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    pub fn doc_ids(&self) -> &RoaringBitmap {
        &self.doc_ids
    }

    /// Names of top-level fields, sorted, with the documents that have them.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &RoaringBitmap)> {
        self.fields.iter().map(|(name, set)| (name.as_str(), set))
    }

    /// Returns the dictionary for compressing a new segment of the same index.
    pub fn dictionary(&self) -> Option<Dictionary> {
        self.dictionary.clone()
    }

    pub fn sizes(&self) -> Sizes {
        let length = |tag| section_length(&self.frame, tag);
        Sizes {
            file: self.frame.length(),
            raw_json: self.meta.raw,
            stored_json: length(format::BLOCKS)
                + length(format::BLOCK_INDEX)
                + length(format::DICTIONARY),
            ids: length(format::IDS) + length(format::ID_GROUPS) + length(format::ID_FILTER),
            fields: length(format::FIELDS) + length(format::DOC_IDS),
        }
    }

    fn check_counts(&self) -> Result<()> {
        let documents = self.meta.documents;
        if self.doc_ids.len() != documents {
            let what = format!("{documents} documents and {} DocIds", self.doc_ids.len());
            return Err(self.frame.damaged(what));
        }
        let index_length = self.meta.blocks.checked_mul(block::ENTRY_LENGTH as u64);
        if Some(self.index.len() as u64) != index_length {
            return Err(self.frame.damaged("the block index has a wrong length"));
        }
        Ok(())
    }

    /// Returns the external ids, checked.
    #[inline]
    pub(super) fn ids(&self) -> Result<&Ids> {
        match self.ids.get() {
            Some(ids) => Ok(ids),
            None => self.open_ids(),
        }
    }

    #[cold]
    fn open_ids(&self) -> Result<&Ids> {
        let section = |tag| self.frame.compared_section(tag);
        let table = IdTable::new(section(format::IDS)?, section(format::ID_GROUPS)?)
            .ok_or_else(|| self.frame.unreadable("the external ids"))?;
        let filter = section(format::ID_FILTER)?;
        let documents = self.meta.documents;
        if table.len() != documents {
            let what = format!("{documents} documents and {} external ids", table.len());
            return Err(self.frame.damaged(what));
        }
        if !id_filter::is_well_formed(&filter) {
            return Err(self.frame.damaged("the id filter has a wrong length"));
        }
        Ok(self.ids.get_or_init(|| Ids { table, filter }))
    }

    pub(crate) fn block_count(&self) -> usize {
        self.meta.blocks as usize
    }

    pub(super) fn entry(&self, block: usize) -> BlockEntry {
        BlockEntry::read(&self.index, block)
    }

    /// Returns the block that may hold a document.
    pub(super) fn block_of(&self, doc_id: DocId) -> Option<usize> {
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low.midpoint(high);
            if BlockEntry::first_of(&self.index, middle) <= doc_id {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }

    /// Returns the first DocId after those of a block; `None` for the last block.
    pub(super) fn end_of(&self, block: usize) -> Option<DocId> {
        let next = block + 1;
        (next < self.block_count()).then(|| BlockEntry::first_of(&self.index, next))
    }

    /// Returns the compressed bytes of a block, checked.
    pub(super) fn compressed(&self, block: usize) -> Result<(BlockEntry, &[u8])> {
        let entry = self.entry(block);
        let compressed = entry
            .range()
            .and_then(|range| self.blocks.get(range))
            .ok_or_else(|| self.frame.damaged(format!("block {block} is missing")))?;
        if block_checksum(compressed) != entry.checksum {
            let what = format!("checksum of block {block} does not match");
            return Err(self.frame.damaged(what));
        }
        Ok((entry, compressed))
    }

    pub(super) fn load(&self, block: usize, raw: &mut Vec<u8>) -> Result<BlockEntry> {
        let (entry, compressed) = self.compressed(block)?;
        let length = entry.raw_length as usize;
        decompress(self.dictionary.as_ref(), compressed, length, raw)
            .map_err(|what| self.frame.damaged(format!("block {block}: {what}")))?;
        Ok(entry)
    }

    pub(super) fn text<'b>(&self, json: &'b [u8], doc_id: DocId) -> Result<&'b str> {
        std::str::from_utf8(json)
            .map_err(|_| self.frame.damaged(format!("document {doc_id} is not text")))
    }

    pub(super) fn missing(&self, doc_id: DocId) -> SegmentError {
        self.frame.damaged(format!("document {doc_id} is not in its block"))
    }

    pub(super) fn malformed(&self, block: usize) -> SegmentError {
        self.frame.damaged(format!("block {block} is malformed"))
    }

    pub(super) fn malformed_ids(&self) -> SegmentError {
        self.frame.damaged("the external ids are malformed")
    }
}

impl std::fmt::Debug for DocumentsReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentsReader")
            .field("name", &self.name())
            .field("meta", &self.meta)
            .finish_non_exhaustive()
    }
}

/// The last block that a thread has read: the next document in list order is often in it too.
#[derive(Default)]
struct LastBlock {
    /// Identity of the reader, and block.
    held: Option<(u64, usize)>,
    raw: Vec<u8>,
}

/// Larger blocks, of one huge document, are not cached: there is one cache per thread.
const KEPT_LENGTH: usize = 64 * 1024;

thread_local! {
    static LAST_BLOCK: RefCell<LastBlock> = RefCell::default();
}

impl LastBlock {
    fn load(&mut self, reader: &DocumentsReader, block: usize) -> Result<&[u8]> {
        let wanted = Some((reader.identity, block));
        if self.held != wanted {
            self.held = None;
            reader.load(block, &mut self.raw)?;
            self.held = wanted;
        }
        Ok(&self.raw)
    }

    fn drop_if_huge(&mut self) {
        if self.raw.capacity() > KEPT_LENGTH {
            *self = Self::default();
        }
    }
}
