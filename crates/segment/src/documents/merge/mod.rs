//! Merges several documents files into one, without deleted documents. The JSON is not parsed, and
//! unchanged blocks are copied without decompression.

mod blocks;
mod dictionary_choice;
mod ids;

use std::collections::BTreeMap;

use model::Cancel;
use roaring::RoaringBitmap;

use super::assemble::finish_file;
use super::block_writer::BlockWriter;
use super::format;
use super::id_form::IdForm;
use super::reader::DocumentsReader;
use crate::directory::Directory;
use crate::error::Result;
use crate::frame::FrameWriter;

#[derive(Debug, Clone, Copy)]
pub struct MergeInput<'a> {
    pub reader: &'a DocumentsReader,
    /// Documents to keep; documents that the reader does not have are ignored.
    pub live: &'a RoaringBitmap,
}

/// Writes and syncs one file with the live documents of all inputs, and returns its length. A DocId
/// and an external id may be live in one input only. `cancel` is checked at every block; a
/// cancelled merge ends with [`crate::SegmentError::Stopped`], and the unfinished file can be
/// deleted.
pub fn merge(
    inputs: &[MergeInput<'_>],
    directory: &dyn Directory,
    name: &str,
    cancel: &Cancel,
) -> Result<u64> {
    let sources: Vec<Source<'_>> = inputs.iter().map(Source::new).collect();
    let dictionary = dictionary_choice::choose(&sources)?;
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
    let mut blocks = BlockWriter::new(&mut frame, dictionary.as_ref())?;
    blocks::merge(&sources, dictionary.as_ref(), &mut blocks, cancel)?;
    let written = blocks.finish()?;

    let fields = merge_fields(&sources);
    let mut id_form = IdForm::default();
    for source in &sources {
        id_form.add_form(source.reader.ids()?.table.form());
    }
    finish_file(frame, &written, &fields, &id_form, |ids| ids::merge(&sources, ids, cancel))
}

struct Source<'a> {
    reader: &'a DocumentsReader,
    /// Documents that exist and are live.
    live: RoaringBitmap,
}

impl<'a> Source<'a> {
    fn new(input: &MergeInput<'a>) -> Self {
        Self { reader: input.reader, live: input.live & input.reader.doc_ids() }
    }

    /// Returns an estimate of the size of the live JSON.
    fn live_json(&self) -> u64 {
        let share = self.live.len() as f64 / self.reader.len().max(1) as f64;
        (self.reader.sizes().raw_json as f64 * share) as u64
    }
}

fn merge_fields(sources: &[Source<'_>]) -> BTreeMap<String, RoaringBitmap> {
    let mut fields: BTreeMap<String, RoaringBitmap> = BTreeMap::new();
    for source in sources {
        for (name, set) in source.reader.fields() {
            let live = set & &source.live;
            if live.is_empty() {
                continue;
            }
            if let Some(merged) = fields.get_mut(name) {
                *merged |= live;
            } else {
                fields.insert(name.to_owned(), live);
            }
        }
    }
    fields
}
