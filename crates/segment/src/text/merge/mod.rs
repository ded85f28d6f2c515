//! Merges several text files into one, without deleted documents or attributes. Text is not
//! tokenized again: the dictionaries are merged, which gives every word its new ordinal, and the
//! streams are copied with the new numbers.
//!
//! `merge` combines files of different documents, `join` files with different attributes of the
//! same documents; either way the file equals one written at once.

mod older;
mod source;
mod streams;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use model::{Cancel, CancelCheck};
use roaring::RoaringBitmap;

use super::assemble::{EachStream, finish_file, write_streams};
use super::format::{self, MAX_FIELDS};
use super::reader::TextReader;
use crate::directory::Directory;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;
use crate::live_once::check_live_once;
use source::Source;

#[derive(Debug, Clone, Copy)]
pub struct TextMergeInput<'a> {
    pub reader: &'a TextReader,
    /// Documents to keep; documents that the reader does not have are ignored.
    pub live: &'a RoaringBitmap,
}

/// A text file with some attributes of documents.
#[derive(Debug, Clone, Copy)]
pub struct TextPart<'a> {
    pub reader: &'a TextReader,
    /// Documents to keep; documents that the reader does not have are ignored.
    pub live: &'a RoaringBitmap,
    /// Attributes to leave out.
    pub without: &'a BTreeSet<&'a str>,
}

/// Writes and syncs one file with the live documents of all inputs, and returns its length. A DocId
/// may be live in one input only. A cancelled merge ends with
/// [`SegmentError::Stopped`], and the unfinished file can be deleted.
pub fn merge(
    inputs: &[TextMergeInput<'_>],
    directory: &dyn Directory,
    name: &str,
    cancel: &Cancel,
) -> Result<u64> {
    let nothing = BTreeSet::new();
    let lives: Vec<RoaringBitmap> =
        inputs.iter().map(|input| input.live & input.reader.doc_ids()).collect();
    check_live_once(inputs.iter().map(|input| input.reader.name()).zip(&lives))?;
    let parts: Vec<TextPart<'_>> = inputs
        .iter()
        .map(|&TextMergeInput { reader, live }| TextPart { reader, live, without: &nothing })
        .collect();
    join(&parts, directory, name, cancel)
}

/// Writes and syncs one file with everything the parts have of their live documents, and returns
/// its length. A document may be live in several parts, an attribute of it in one only; a single
/// part loses what is left out. It stops as `merge` does.
pub fn join(
    parts: &[TextPart<'_>],
    directory: &dyn Directory,
    name: &str,
    cancel: &Cancel,
) -> Result<u64> {
    let mut cancel = CancelCheck::new(cancel);
    // Files of version 1 have no occurrences: their documents are reindexed in memory.
    let mut anew: Vec<Option<Vec<TextReader>>> = Vec::new();
    for part in parts {
        anew.push(if part.reader.has_occurrences() {
            None
        } else {
            Some(older::indexed_anew(part.reader, part.live, &mut cancel)?)
        });
    }
    let mut sources = Vec::new();
    for (part, anew) in parts.iter().zip(&anew) {
        let source = |reader| Source::new(reader, part.live, part.without);
        match anew {
            None => sources.push(source(part.reader)),
            Some(anew) => sources.extend(anew.iter().map(source)),
        }
    }
    let mut documents = RoaringBitmap::new();
    for source in &sources {
        documents |= &source.live;
    }
    let fields = merge_fields(&mut sources)?;
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
    let words = words::merge(&mut sources, documents.len(), &mut frame, &mut cancel)?;
    let mut streams = |each: &mut EachStream<'_>| streams::for_each(&sources, &mut cancel, each);
    let tokens = write_streams(&mut frame, &words, &mut streams)?;
    finish_file(frame, &words, &tokens, fields.iter().map(String::as_str))
}

/// Merges the names of all attributes in use, in order; sets the new numbers in the sources.
fn merge_fields(sources: &mut [Source<'_>]) -> Result<Vec<String>> {
    let mut by_name: BTreeMap<String, u16> = BTreeMap::new();
    for source in &*sources {
        let used = source.used_fields()?;
        let names = source.reader.fields().iter().zip(used).filter(|(_, used)| *used);
        by_name.extend(names.map(|(name, _)| (name.clone(), 0)));
    }
    if by_name.len() > MAX_FIELDS {
        return Err(SegmentError::Inconsistent("there are too many attributes".to_owned()));
    }
    for (number, place) in by_name.values_mut().zip(0..=u16::MAX) {
        *number = place;
    }
    for source in sources {
        source.number_fields(&by_name);
    }
    Ok(by_name.into_keys().collect())
}
