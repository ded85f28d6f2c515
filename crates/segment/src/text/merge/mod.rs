//! Several text files into one, without the documents that are gone. Words are not cut again:
//! the dictionaries are merged, which gives every word its new ordinal, and the streams are
//! copied with the new numbers.

mod streams;
mod words;

use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::assemble::finish_file;
use super::format::{self, MAX_FIELDS};
use super::reader::TextReader;
use crate::DocId;
use crate::directory::Directory;
use crate::encoding::postings::{self, Documents};
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;
use crate::live_once::check_live_once;
use crate::patience::Patience;

#[derive(Debug, Clone, Copy)]
pub struct TextMergeInput<'a> {
    pub reader: &'a TextReader,
    /// The documents to keep; those that the reader does not have are ignored.
    pub live: &'a RoaringBitmap,
}

/// Writes and syncs one file with the live documents of all inputs, and gives its length. A DocId
/// may be live in one input only. Once `should_stop` says yes the result is
/// [`SegmentError::Stopped`] and the unfinished file can be deleted.
pub fn merge(
    inputs: &[TextMergeInput<'_>],
    directory: &dyn Directory,
    name: &str,
    should_stop: &dyn Fn() -> bool,
) -> Result<u64> {
    let mut sources: Vec<Source<'_>> = inputs.iter().map(Source::new).collect();
    let documents =
        check_live_once(sources.iter().map(|source| (source.reader.name(), &source.live)))?;
    let mut patience = Patience::new(should_stop);
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
    let words = words::merge(&mut sources, documents, &mut frame, &mut patience)?;
    let fields = merge_fields(&mut sources)?;
    let tokens = streams::merge(&sources, words, &mut frame, &mut patience)?;
    finish_file(frame, words, &tokens, fields.iter().map(String::as_str))
}

struct Source<'a> {
    reader: &'a TextReader,
    /// What is both there and live.
    live: RoaringBitmap,
    all_live: bool,
    /// By ordinal: the ordinal in the new file. Words that are gone have none.
    ordinals: Vec<u32>,
    /// By number: the number of an attribute in the new file.
    fields: Vec<u16>,
}

const GONE: u32 = u32::MAX;

impl<'a> Source<'a> {
    fn new(input: &TextMergeInput<'a>) -> Self {
        let reader = input.reader;
        let live = input.live & reader.doc_ids();
        Self {
            all_live: live.len() == reader.doc_ids().len(),
            ordinals: vec![GONE; reader.word_count() as usize],
            reader,
            live,
            fields: Vec::new(),
        }
    }

    /// The live documents of a word, as a set or onto the list.
    fn documents(&self, ordinal: u32, list: &mut Vec<DocId>) -> Result<Option<RoaringBitmap>> {
        let start = list.len();
        match postings::read(self.reader.list(ordinal)?) {
            Some(Documents::Set(set)) if self.all_live => return Ok(Some(set)),
            Some(Documents::Set(set)) => return Ok(Some(set & &self.live)),
            Some(Documents::List(documents)) if documents.append_to(list) => {}
            _ => return Err(self.reader.malformed_list(ordinal)),
        }
        if !self.all_live {
            let mut kept = start;
            for place in start..list.len() {
                if self.live.contains(list[place]) {
                    list[kept] = list[place];
                    kept += 1;
                }
            }
            list.truncate(kept);
        }
        Ok(None)
    }

    /// The attributes that a live document has words in.
    fn used_fields(&self) -> Result<Vec<bool>> {
        let mut used = vec![self.all_live; self.reader.fields().len()];
        if self.all_live {
            return Ok(used);
        }
        let mut cursor = self.reader.tokens();
        for doc_id in &self.live {
            let Some(tokens) = cursor.seek(doc_id)? else {
                continue;
            };
            for field in tokens.fields() {
                match used.get_mut(usize::from(field.field())) {
                    Some(used) => *used = true,
                    None => return Err(self.unknown_attribute(doc_id)),
                }
            }
        }
        Ok(used)
    }

    fn unknown_attribute(&self, doc_id: DocId) -> SegmentError {
        let what = format!("document {doc_id} has an attribute without a name");
        self.reader.frame.damaged(what)
    }
}

/// The names of all attributes in use, in their order; sources learn the new numbers.
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
        let number = |name: &String| by_name.get(name).copied().unwrap_or_default();
        source.fields = source.reader.fields().iter().map(number).collect();
    }
    Ok(by_name.into_keys().collect())
}
