//! Writes what follows words and streams, for a fresh file and a merge alike.

use super::format::{self, Meta};
use super::token_writer::WrittenTokens;
use crate::documents::set_to_bytes;
use crate::error::Result;
use crate::frame::FrameWriter;

/// Finishes a file, and gives its length.
pub fn finish_file<'n>(
    mut frame: FrameWriter,
    words: u32,
    tokens: &WrittenTokens,
    fields: impl ExactSizeIterator<Item = &'n str>,
) -> Result<u64> {
    let mut doc_ids = Vec::new();
    set_to_bytes(&tokens.doc_ids, &mut doc_ids);
    frame.section(format::DOC_IDS, &doc_ids)?;
    frame.section(format::FIELDS, &format::fields_to_bytes(fields))?;
    frame.section(format::FIELD_TOTALS, &format::totals_to_bytes(&tokens.totals))?;
    let meta = Meta { documents: tokens.doc_ids.len(), words, tokens: tokens.token_count };
    frame.section(format::META, &meta.to_bytes())?;
    frame.finish()
}
