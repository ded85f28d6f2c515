//! Builds the text of a segment again from its stored documents, because the rules have changed.
//! Memory is bounded: a large segment is built in parts, which are then merged.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use roaring::RoaringBitmap;
use segment::documents::DocumentsReader;
use segment::text::{self, TextBuffer, TextMergeInput, TextReader};
use segment::{Directory, SegmentError};

use super::build::{Indexer, Indexing, in_threads};
use crate::error::Result;
use crate::file_name::FileName;
use crate::tracked_file::TrackedFile;

/// Documents that a thread takes at a time: a few blocks of compressed text.
const DOCUMENTS_AT_A_TIME: usize = 512;

/// What is to be built.
pub(crate) struct Rebuild<'a> {
    pub directory: &'a Arc<dyn Directory>,
    pub segment: u64,
    pub documents: &'a DocumentsReader,
    pub live: &'a RoaringBitmap,
    /// JSON that may be indexed in one go.
    pub buffer_bytes: usize,
}

/// Writes the text of the live documents. `next_generation` gives a number that no file of the
/// folder has.
pub(crate) fn rebuild(
    rebuild: &Rebuild<'_>,
    indexing: Indexing<'_>,
    mut next_generation: impl FnMut() -> u64,
) -> Result<(u64, TrackedFile)> {
    let parts = rebuild.parts();
    let write = |name: &FileName, part: &RoaringBitmap| {
        let buffers = tokenize_stored(rebuild.documents, part, indexing)?;
        TrackedFile::write(rebuild.directory, name, |directory, name| {
            text::finish(buffers, directory, name)
        })
    };
    if let [whole] = &parts[..] {
        let generation = next_generation();
        let file = write(&FileName::text(rebuild.segment, generation), whole)?;
        return Ok((generation, file));
    }
    let mut files = Vec::new();
    for part in &parts {
        files.push(write(&FileName::part(rebuild.segment, next_generation()), part)?);
    }
    let mut readers = Vec::new();
    for file in &files {
        readers.push(TextReader::open(&**rebuild.directory, file.name())?);
    }
    let inputs: Vec<TextMergeInput<'_>> =
        readers.iter().map(|reader| TextMergeInput { reader, live: rebuild.live }).collect();
    let generation = next_generation();
    let name = FileName::text(rebuild.segment, generation);
    let file = TrackedFile::write(rebuild.directory, &name, |directory, name| {
        text::merge(&inputs, directory, name, &|| false)
    })?;
    Ok((generation, file))
}

impl Rebuild<'_> {
    /// The live documents, in pieces of about as much JSON as may be indexed in one go.
    fn parts(&self) -> Vec<RoaringBitmap> {
        let raw = self.documents.sizes().raw_json;
        let mean = (raw / self.documents.len().max(1)).max(1);
        let at_a_time = (self.buffer_bytes as u64 / mean).max(1);
        let pieces = self.live.len().div_ceil(at_a_time).max(1);
        split(self.live, self.live.len().div_ceil(pieces) as usize)
    }
}

/// Pieces of so many numbers; at least one piece.
fn split(doc_ids: &RoaringBitmap, length: usize) -> Vec<RoaringBitmap> {
    let mut pieces = Vec::new();
    let mut rest = doc_ids.iter();
    loop {
        let piece: RoaringBitmap = rest.by_ref().take(length.max(1)).collect();
        if piece.is_empty() && !pieces.is_empty() {
            return pieces;
        }
        pieces.push(piece);
    }
}

fn tokenize_stored(
    documents: &DocumentsReader,
    wanted: &RoaringBitmap,
    indexing: Indexing<'_>,
) -> Result<Vec<TextBuffer>> {
    let mean = documents.sizes().raw_json / documents.len().max(1);
    let threads = indexing.threads_for((mean * wanted.len()) as usize);
    let pieces = split(wanted, DOCUMENTS_AT_A_TIME);
    let next = AtomicUsize::new(0);
    let outcomes = in_threads(threads, || {
        let mut indexer = Indexer::new(indexing);
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            documents.for_each_of(piece, |doc_id, json| {
                indexer.add(doc_id, json);
                Ok::<(), SegmentError>(())
            })?;
        }
        Ok(indexer.into_buffer())
    });
    outcomes.into_iter().collect()
}
