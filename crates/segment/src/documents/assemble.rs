//! Writes what follows the blocks of a documents file. Used by a fresh segment and by a merge
//! alike, so that the two cannot write different files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write};

use fst::MapBuilder;
use roaring::RoaringBitmap;
use xxhash_rust::xxh3::xxh3_64;

use super::block_writer::Written;
use super::format::{self, Meta};
use super::id_filter::IdFilterBuilder;
use crate::DocId;
use crate::error::{Result, SegmentError};
use crate::frame::{Check, FrameWriter};

/// The fst builder writes a few bytes at a time.
const BUFFER_LENGTH: usize = 64 * 1024;

/// Finishes a file whose blocks have been written. `ids` is called once, and gives every external
/// id with its DocId, in the order of the ids.
pub fn finish_file(
    mut frame: FrameWriter,
    blocks: &Written,
    fields: &BTreeMap<String, RoaringBitmap>,
    nested_names: &BTreeSet<String>,
    ids: impl FnOnce(&mut IdWriter<'_>) -> Result<()>,
) -> Result<u64> {
    let documents = blocks.doc_ids.len();
    frame.section(format::BLOCK_INDEX, &blocks.index)?;
    write_ids(&mut frame, documents, ids)?;

    let mut doc_ids = Vec::new();
    format::set_to_bytes(&blocks.doc_ids, &mut doc_ids);
    frame.section(format::DOC_IDS, &doc_ids)?;
    frame.section(format::FIELDS, &format::fields_to_bytes(fields))?;
    frame.section(format::NESTED_NAMES, &format::names_to_bytes(nested_names))?;
    let meta = Meta {
        documents,
        raw: blocks.raw,
        blocks: blocks.blocks,
    };
    frame.section(format::META, &meta.to_bytes())?;
    frame.finish()
}

fn write_ids(
    frame: &mut FrameWriter,
    documents: u64,
    ids: impl FnOnce(&mut IdWriter<'_>) -> Result<()>,
) -> Result<()> {
    frame.begin(format::IDS, Check::AtOpen)?;
    let name = frame.name().to_owned();
    let buffer = BufWriter::with_capacity(BUFFER_LENGTH, &mut *frame);
    let mut writer = IdWriter {
        map: MapBuilder::new(buffer).map_err(|error| id_error(&name, error))?,
        filter: IdFilterBuilder::new(documents),
        written: 0,
        name,
    };
    ids(&mut writer)?;
    let filter = writer.finish(documents)?;
    frame.section(format::ID_FILTER, filter.bytes())
}

/// Takes external ids in their order.
pub struct IdWriter<'a> {
    map: MapBuilder<BufWriter<&'a mut FrameWriter>>,
    filter: IdFilterBuilder,
    written: u64,
    name: String,
}

impl IdWriter<'_> {
    pub fn add(&mut self, external_id: &[u8], doc_id: DocId) -> Result<()> {
        self.add_hashed(external_id, id_hash(external_id), doc_id)
    }

    /// The same, where the hash is known already.
    pub fn add_hashed(&mut self, external_id: &[u8], hash: u64, doc_id: DocId) -> Result<()> {
        self.map
            .insert(external_id, u64::from(doc_id))
            .map_err(|error| id_error(&self.name, error))?;
        self.filter.insert(hash);
        self.written += 1;
        Ok(())
    }

    fn finish(self, documents: u64) -> Result<IdFilterBuilder> {
        if self.written != documents {
            return Err(SegmentError::Inconsistent(format!(
                "{}: {documents} documents have {} external ids",
                self.name, self.written
            )));
        }
        self.map
            .into_inner()
            .map_err(|error| id_error(&self.name, error))?
            .flush()
            .map_err(|source| SegmentError::io(&self.name, source))?;
        Ok(self.filter)
    }
}

/// The hash of an external id, as the filter knows it.
pub fn id_hash(external_id: &[u8]) -> u64 {
    xxh3_64(external_id)
}

fn id_error(file: &str, error: fst::Error) -> SegmentError {
    match error {
        fst::Error::Io(source) => SegmentError::io(file, source),
        fst::Error::Fst(fst::raw::Error::DuplicateKey { got }) => {
            let id = String::from_utf8_lossy(&got);
            SegmentError::Inconsistent(format!("{file}: two documents have the id `{id}`"))
        }
        fst::Error::Fst(other) => SegmentError::io(file, io::Error::other(other)),
    }
}
