//! Writes everything after the blocks of a documents file. Shared by new segments and merges, so
//! that the two cannot write different files.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use xxhash_rust::xxh3::xxh3_64;

use super::block_writer::BlockTotals;
use super::format::{self, Meta};
use super::id_form::IdForm;
use super::id_table_writer::IdTableWriter;
use crate::error::Result;
use crate::frame::FrameWriter;

/// Finishes a file whose blocks have been written. `add_ids` is called once, and adds every
/// external id with its DocId, in id order.
pub fn finish_file(
    mut frame: FrameWriter,
    blocks: &BlockTotals,
    fields: &BTreeMap<String, RoaringBitmap>,
    id_form: &IdForm,
    add_ids: impl FnOnce(&mut IdTableWriter<'_>) -> Result<()>,
) -> Result<u64> {
    let documents = blocks.doc_ids.len();
    frame.section(format::BLOCK_INDEX, &blocks.index)?;
    let mut ids = IdTableWriter::new(&mut frame, documents, id_form)?;
    add_ids(&mut ids)?;
    ids.finish()?;

    let mut doc_ids = Vec::new();
    format::set_to_bytes(&blocks.doc_ids, &mut doc_ids);
    frame.section(format::DOC_IDS, &doc_ids)?;
    frame.section(format::FIELDS, &format::fields_to_bytes(fields))?;
    let meta = Meta { documents, raw: blocks.raw, blocks: blocks.blocks };
    frame.section(format::META, &meta.to_bytes())?;
    frame.finish()
}

/// Returns the hash of an external id for the filter.
pub fn id_hash(external_id: &[u8]) -> u64 {
    xxh3_64(external_id)
}
