//! Several documents files into one, without the documents that are gone. The JSON is not looked
//! at, and blocks move as they are where nothing in them has changed.

use std::collections::{BTreeMap, BTreeSet};

use fst::Streamer;
use roaring::RoaringBitmap;
use roaring::bitmap::IntoIter;

use super::assemble::{IdWriter, finish_file};
use super::block;
use super::block_writer::{BlockWriter, SMALL_LENGTH};
use super::dictionary::{self, Dictionary, Sample};
use super::format;
use super::reader::DocumentsReader;
use crate::DocId;
use crate::directory::Directory;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;

#[derive(Debug, Clone, Copy)]
pub struct MergeInput<'a> {
    pub reader: &'a DocumentsReader,
    /// The documents to keep; those that the reader does not have are ignored.
    pub live: &'a RoaringBitmap,
}

/// Writes and syncs one file with the live documents of all inputs, and gives its length. A DocId
/// and an external id may be live in one input only. `should_stop` is asked at every block; once
/// it says yes the result is [`SegmentError::Stopped`] and the unfinished file can be deleted.
pub fn merge(
    inputs: &[MergeInput<'_>],
    directory: &dyn Directory,
    name: &str,
    should_stop: &dyn Fn() -> bool,
) -> Result<u64> {
    let sources: Vec<Source<'_>> = inputs.iter().map(Source::new).collect();
    let dictionary = choose_dictionary(&sources)?;
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
    let mut blocks = BlockWriter::new(&mut frame, dictionary.as_ref())?;
    merge_blocks(&sources, dictionary.as_ref(), &mut blocks, should_stop)?;
    let written = blocks.finish()?;

    let fields = merge_fields(&sources);
    let nested_names: BTreeSet<String> = sources
        .iter()
        .flat_map(|source| source.reader.nested_names())
        .map(str::to_owned)
        .collect();
    finish_file(frame, &written, &fields, &nested_names, |ids| {
        merge_ids(&sources, ids, should_stop)
    })
}

struct Source<'a> {
    reader: &'a DocumentsReader,
    /// What is both there and live.
    live: RoaringBitmap,
}

impl<'a> Source<'a> {
    fn new(input: &MergeInput<'a>) -> Self {
        Self {
            reader: input.reader,
            live: input.live & input.reader.doc_ids(),
        }
    }

    /// About how much JSON is live.
    fn live_json(&self) -> u64 {
        let share = self.live.len() as f64 / self.reader.len().max(1) as f64;
        (self.reader.sizes().raw_json as f64 * share) as u64
    }
}

/// The dictionary that fits most of the documents already, or a new one.
fn choose_dictionary(sources: &[Source<'_>]) -> Result<Option<Dictionary>> {
    let total: u64 = sources.iter().map(Source::live_json).sum();
    if total < dictionary::WORTH_STORING {
        return Ok(None);
    }
    for source in sources {
        let Some(dictionary) = source.reader.dictionary() else {
            continue;
        };
        let covered: u64 = sources
            .iter()
            .filter(|other| other.reader.dictionary().as_ref() == Some(&dictionary))
            .map(Source::live_json)
            .sum();
        if covered >= total / 2 {
            return Ok(Some(dictionary));
        }
    }
    if total < dictionary::WORTH_TRAINING {
        return Ok(None);
    }
    train(sources, total)
}

/// Takes every so many live documents, from blocks spread over all inputs.
fn train(sources: &[Source<'_>], total: u64) -> Result<Option<Dictionary>> {
    /// Neighbours resemble each other, so only one in so many of a block is taken.
    const STEP_IN_BLOCK: usize = 4;

    let wanted_blocks = dictionary::SAMPLE_LENGTH / block::TARGET_LENGTH * STEP_IN_BLOCK;
    let all_blocks = total / block::TARGET_LENGTH as u64;
    let step = (all_blocks as usize / wanted_blocks).max(1);
    let mut sample = Sample::default();
    let (mut raw, mut documents) = (Vec::new(), Vec::new());
    for source in sources {
        for number in (0..source.reader.block_count()).step_by(step) {
            let entry = source.reader.load(number, &mut raw)?;
            block::parse(&raw, entry.first, &mut documents)
                .ok_or_else(|| source.reader.malformed(number))?;
            let live = documents
                .iter()
                .filter(|(doc_id, _)| source.live.contains(*doc_id));
            for (_, place) in live.step_by(STEP_IN_BLOCK) {
                sample.add(&raw[place.clone()]);
            }
        }
    }
    Ok(Dictionary::train(&sample))
}

fn merge_blocks(
    sources: &[Source<'_>],
    dictionary: Option<&Dictionary>,
    out: &mut BlockWriter<'_>,
    should_stop: &dyn Fn() -> bool,
) -> Result<()> {
    let mut cursors: Vec<Cursor<'_>> = sources
        .iter()
        .map(|source| Cursor::new(source, dictionary))
        .collect();
    loop {
        // The input whose turn it is, and where the next one's turn comes.
        let mut turn: Option<(DocId, usize)> = None;
        let mut limit = None;
        for (number, cursor) in cursors.iter().enumerate() {
            let Some(doc_id) = cursor.next else {
                continue;
            };
            let (smaller, larger) = match turn {
                Some(best) if best.0 <= doc_id => (best, Some(doc_id)),
                Some(best) => ((doc_id, number), Some(best.0)),
                None => ((doc_id, number), None),
            };
            turn = Some(smaller);
            limit = match (limit, larger) {
                (Some(limit), Some(larger)) => Some(larger.min(limit)),
                (limit, larger) => limit.or(larger),
            };
        }
        let Some((_, number)) = turn else {
            return Ok(());
        };
        cursors[number].run(limit, out, should_stop)?;
    }
}

/// Walks through the live documents of one input.
struct Cursor<'a> {
    source: &'a Source<'a>,
    same_dictionary: bool,
    remaining: IntoIter,
    next: Option<DocId>,
    loaded: Option<usize>,
    raw: Vec<u8>,
    documents: Vec<block::Placed>,
    /// Where in `documents` the next one is looked for.
    position: usize,
}

impl<'a> Cursor<'a> {
    fn new(source: &'a Source<'a>, dictionary: Option<&Dictionary>) -> Self {
        let mut remaining = source.live.clone().into_iter();
        Self {
            source,
            same_dictionary: source.reader.dictionary().as_ref() == dictionary,
            next: remaining.next(),
            remaining,
            loaded: None,
            raw: Vec::new(),
            documents: Vec::new(),
            position: 0,
        }
    }

    /// Moves documents, at least one, until the next one is not below the limit.
    fn run(
        &mut self,
        limit: Option<DocId>,
        out: &mut BlockWriter<'_>,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<()> {
        while let Some(doc_id) = self.next {
            let reader = self.source.reader;
            let block = reader
                .block_of(doc_id)
                .ok_or_else(|| reader.missing(doc_id))?;
            let is_new = self.loaded != Some(block);
            if is_new && should_stop() {
                return Err(SegmentError::Stopped);
            }
            if !is_new {
                self.add(doc_id, out)?;
            } else if !self.copy(block, doc_id, limit, out)? {
                self.load(block)?;
                self.add(doc_id, out)?;
            }
            if let (Some(next), Some(limit)) = (self.next, limit)
                && next >= limit
            {
                break;
            }
        }
        Ok(())
    }

    fn load(&mut self, block: usize) -> Result<()> {
        let reader = self.source.reader;
        let entry = reader.load(block, &mut self.raw)?;
        block::parse(&self.raw, entry.first, &mut self.documents)
            .ok_or_else(|| reader.malformed(block))?;
        self.loaded = Some(block);
        self.position = 0;
        Ok(())
    }

    /// Moves a block as it is, where all of it is live and nothing of another input belongs
    /// between. Says whether it did.
    fn copy(
        &mut self,
        block: usize,
        doc_id: DocId,
        limit: Option<DocId>,
        out: &mut BlockWriter<'_>,
    ) -> Result<bool> {
        let Source { reader, live } = self.source;
        let end = reader.end_of(block);
        let last = end.map_or(DocId::MAX, |end| end.saturating_sub(1));
        let all = reader.doc_ids().range(doc_id..=last);
        let is_small = (reader.entry(block).raw_length as usize) < SMALL_LENGTH;
        let is_whole = reader.entry(block).first == doc_id
            && live.range_cardinality(doc_id..=last) == all.len() as u64;
        let is_apart = limit.is_none_or(|limit| {
            let last = all.clone().next_back();
            last.is_some_and(|last| last < limit)
        });
        if !self.same_dictionary || is_small || !is_whole || !is_apart || !out.accepts_copies() {
            return Ok(false);
        }
        let (entry, compressed) = reader.compressed(block)?;
        out.copy(&entry, compressed, all)?;
        if let Some(end) = end {
            self.remaining.advance_to(end);
            self.next = self.remaining.next();
        } else {
            self.next = None;
        }
        Ok(true)
    }

    fn add(&mut self, doc_id: DocId, out: &mut BlockWriter<'_>) -> Result<()> {
        let found = self.documents[self.position..]
            .iter()
            .position(|(other, _)| *other == doc_id)
            .ok_or_else(|| self.source.reader.missing(doc_id))?;
        self.position += found;
        let (_, place) = &self.documents[self.position];
        out.add(doc_id, &self.raw[place.clone()])?;
        self.next = self.remaining.next();
        Ok(())
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

fn merge_ids(
    sources: &[Source<'_>],
    out: &mut IdWriter<'_>,
    should_stop: &dyn Fn() -> bool,
) -> Result<()> {
    /// Ids are far quicker to move than blocks.
    const IDS_PER_QUESTION: u32 = 4096;

    let mut union = fst::map::OpBuilder::new();
    for source in sources {
        union.push(&source.reader.ids);
    }
    let mut ids = union.union();
    let mut until_question = IDS_PER_QUESTION;
    while let Some((external_id, values)) = ids.next() {
        until_question -= 1;
        if until_question == 0 {
            until_question = IDS_PER_QUESTION;
            if should_stop() {
                return Err(SegmentError::Stopped);
            }
        }
        for value in values {
            let source = &sources[value.index];
            let doc_id = source.reader.doc_id_from(value.value)?;
            if source.live.contains(doc_id) {
                out.add(external_id, doc_id)?;
            }
        }
    }
    Ok(())
}
