//! Writes everything after the words, for new files and merges alike.

use super::format::{self, Meta};
use super::lengths::LengthsWriter;
use super::parts::PartsWriter;
use super::prefixes::Entry;
use super::token_writer::{TokenWriter, WrittenTokens};
use super::word_writer::WrittenWords;
use crate::DocId;
use crate::documents::set_to_bytes;
use crate::encoding::pages::PagesWriter;
use crate::error::Result;
use crate::frame::FrameWriter;

/// Calls a function for the token stream of each document, in DocId order.
pub type Streams<'s> = dyn FnMut(&mut EachStream<'_>) -> Result<()> + 's;
/// Receives the number and count of each attribute, and all tokens.
pub type EachStream<'s> = dyn FnMut(DocId, &[(u16, u32)], &[u32]) -> Result<()> + 's;

/// Writes token streams and, in a second pass, the data derived from them.
pub fn write_streams(
    frame: &mut FrameWriter,
    words: &WrittenWords,
    streams: &mut Streams<'_>,
) -> Result<WrittenTokens> {
    let mut out = TokenWriter::new(frame, words.count)?;
    let mut lengths = LengthsWriter::default();
    streams(&mut |doc_id, fields, tokens| {
        lengths.add(fields);
        out.add(doc_id, fields, tokens)
    })?;
    let written = out.finish()?;
    lengths.write(frame)?;
    if words.need_parts() {
        let mut parts = PartsWriter::new(frame, words)?;
        streams(&mut |doc_id, fields, tokens| parts.add(doc_id, fields, tokens))?;
        parts.finish()?;
    }
    Ok(written)
}

/// Finishes a file, and returns its length.
pub fn finish_file<'n>(
    mut frame: FrameWriter,
    words: &WrittenWords,
    tokens: &WrittenTokens,
    fields: impl ExactSizeIterator<Item = &'n str>,
) -> Result<u64> {
    write_unions(&mut frame, words)?;
    let mut doc_ids = Vec::new();
    set_to_bytes(&tokens.doc_ids, &mut doc_ids);
    frame.section(format::DOC_IDS, &doc_ids)?;
    frame.section(format::FIELDS, &format::fields_to_bytes(fields))?;
    frame.section(format::FIELD_TOTALS, &format::totals_to_bytes(&tokens.totals))?;
    let (documents, words) = (tokens.doc_ids.len(), words.count);
    let meta = Meta { documents, words, tokens: tokens.token_count };
    frame.section(format::META, &meta.to_bytes())?;
    frame.finish()
}

fn write_unions(frame: &mut FrameWriter, words: &WrittenWords) -> Result<()> {
    let (mut table, mut length) = (Vec::new(), 0);
    let mut pages = PagesWriter::begin(frame, format::PREFIX_SETS)?;
    for (range, documents) in &words.unions {
        set_to_bytes(documents, &mut pages.pending);
        pages.flush(frame)?;
        length = pages.length();
        Entry { start: range.start, end: range.end, bytes_end: length }.write(&mut table);
    }
    debug_assert_eq!(length, pages.length());
    pages.finish(frame, format::PREFIX_PAGES)?;
    frame.section(format::PREFIXES, &table)
}
