//! Makes one file of what several buffers hold. Words are sorted once, over all buffers; then
//! every document's words become ordinals in place, and the documents of each word are collected
//! into one array by counting.

use std::collections::BTreeMap;

use super::assemble::finish_file;
use super::buffer::{FIRST_USE, TextBuffer};
use super::format::{self, FIRST_WORD, MAX_FIELDS};
use super::token_writer::TokenWriter;
use super::word_writer::WordWriter;
use crate::DocId;
use crate::directory::Directory;
use crate::documents::sorted_by_text;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;
use crate::patience::Patience;

/// Writes and syncs the file, and gives its length. The name is for the caller to sync. Once
/// `should_stop` says yes the result is [`SegmentError::Stopped`] and the unfinished file can be
/// deleted.
pub fn finish(
    mut buffers: Vec<TextBuffer>,
    directory: &dyn Directory,
    name: &str,
    should_stop: &dyn Fn() -> bool,
) -> Result<u64> {
    let mut patience = Patience::new(should_stop);
    for buffer in &mut buffers {
        buffer.end_document();
        buffer.words.close();
    }
    let documents = documents_in_order(&buffers)?;
    let words = Words::sort(&buffers)?;
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
    let lists = Lists::collect(&mut buffers, &documents, &words, &mut patience)?;
    let mut word_writer = WordWriter::new(&mut frame, documents.len() as u64)?;
    for (ordinal, &(buffer, number)) in words.in_order.iter().enumerate() {
        patience.step()?;
        let word = buffers[buffer as usize].words.get(number);
        word_writer.add_list(word, lists.get(ordinal))?;
    }
    let word_count = word_writer.finish()?;
    drop(lists);

    let fields = Fields::number(&buffers)?;
    let tokens = {
        let mut out = TokenWriter::new(&mut frame, word_count)?;
        write_streams(&mut out, &buffers, &documents, &fields, &mut patience)?;
        out.finish()?
    };
    finish_file(frame, word_count, &tokens, fields.names.iter().copied())
}

/// A document, by its buffer and its place there.
struct Place {
    doc_id: DocId,
    buffer: u32,
    document: u32,
}

fn documents_in_order(buffers: &[TextBuffer]) -> Result<Vec<Place>> {
    let mut places = Vec::with_capacity(buffers.iter().map(|buffer| buffer.documents.len()).sum());
    for (number, buffer) in buffers.iter().enumerate() {
        places.extend(buffer.documents.iter().zip(0..).map(|(document, place)| Place {
            doc_id: document.doc_id,
            buffer: number as u32,
            document: place,
        }));
    }
    // Buffers are filled in order, or nearly so.
    places.sort_by_key(|place| place.doc_id);
    if let Some(twice) = places.windows(2).find(|pair| pair[0].doc_id == pair[1].doc_id) {
        let what = format!("document {} comes twice", twice[0].doc_id);
        return Err(SegmentError::Inconsistent(what));
    }
    Ok(places)
}

/// All words of all buffers.
struct Words {
    /// By ordinal: a buffer that has the word, and its number there.
    in_order: Vec<(u32, u32)>,
    /// By buffer and number: the ordinal.
    ordinals: Vec<Vec<u32>>,
    /// By ordinal: how many documents there are.
    documents: Vec<u32>,
}

impl Words {
    fn sort(buffers: &[TextBuffer]) -> Result<Self> {
        let mut starts = Vec::with_capacity(buffers.len());
        let mut total = 0_u32;
        for buffer in buffers {
            starts.push(total);
            let words = u32::try_from(buffer.words.len()).unwrap_or(u32::MAX);
            total = total
                .checked_add(words)
                .ok_or_else(|| SegmentError::Inconsistent("there are too many words".to_owned()))?;
        }
        let locate = |global: u32| {
            let buffer = starts.partition_point(|&start| start <= global) - 1;
            (buffer as u32, global - starts[buffer])
        };
        let text = |(buffer, number): (u32, u32)| buffers[buffer as usize].words.get(number);
        let order = sorted_by_text(0..total, |global| text(locate(global)));

        let mut words = Self {
            in_order: Vec::with_capacity(order.len()),
            ordinals: buffers.iter().map(|buffer| vec![0; buffer.words.len()]).collect(),
            documents: Vec::with_capacity(order.len()),
        };
        for global in order {
            let (buffer, number) = locate(global);
            let uses = buffers[buffer as usize].uses[number as usize];
            // All of its uses were cut off.
            if uses.documents == 0 {
                continue;
            }
            let is_known = buffers.len() > 1
                && words.in_order.last().is_some_and(|&last| text(last) == text((buffer, number)));
            if !is_known {
                words.in_order.push((buffer, number));
                words.documents.push(0);
            }
            let ordinal = words.in_order.len() - 1;
            words.documents[ordinal] += uses.documents;
            words.ordinals[buffer as usize][number as usize] = ordinal as u32;
        }
        Ok(words)
    }
}

/// The documents of all words, word by word.
struct Lists {
    doc_ids: Vec<DocId>,
    /// Where the list of each word ends.
    ends: Vec<usize>,
}

impl Lists {
    /// Also turns every token of the buffers into its final form.
    fn collect(
        buffers: &mut [TextBuffer],
        documents: &[Place],
        words: &Words,
        patience: &mut Patience<'_>,
    ) -> Result<Self> {
        let mut ends = Vec::with_capacity(words.documents.len());
        let mut total = 0;
        for &count in &words.documents {
            // First where the list starts; filling it moves that to its end.
            ends.push(total);
            total += count as usize;
        }
        let mut doc_ids = vec![0; total];
        for place in documents {
            patience.step()?;
            let ordinals = &words.ordinals[place.buffer as usize];
            let buffer = &mut buffers[place.buffer as usize];
            let range = buffer.token_range(place.document);
            for token in &mut buffer.tokens[range] {
                let Some(number) = (*token & !FIRST_USE).checked_sub(FIRST_WORD) else {
                    continue;
                };
                let ordinal = ordinals[number as usize];
                if *token & FIRST_USE != 0 {
                    let end = &mut ends[ordinal as usize];
                    doc_ids[*end] = place.doc_id;
                    *end += 1;
                }
                *token = ordinal + FIRST_WORD;
            }
        }
        Ok(Self { doc_ids, ends })
    }

    fn get(&self, ordinal: usize) -> &[DocId] {
        let start = if ordinal == 0 { 0 } else { self.ends[ordinal - 1] };
        &self.doc_ids[start..self.ends[ordinal]]
    }
}

/// The attributes of all buffers that have words, numbered in the order of their names.
struct Fields<'b> {
    names: Vec<&'b str>,
    /// By buffer and number there; 0 for those without words.
    numbers: Vec<Vec<u16>>,
}

impl<'b> Fields<'b> {
    fn number(buffers: &'b [TextBuffer]) -> Result<Self> {
        let mut by_name: BTreeMap<&str, u16> = BTreeMap::new();
        for buffer in buffers {
            let mut used = vec![false; buffer.fields.len()];
            buffer.runs.iter().for_each(|run| used[usize::from(run.field)] = true);
            let names = buffer.fields.iter().zip(used).filter(|(_, used)| *used);
            by_name.extend(names.map(|(name, _)| (name.as_str(), 0)));
        }
        if by_name.len() > MAX_FIELDS {
            return Err(SegmentError::Inconsistent("there are too many attributes".to_owned()));
        }
        for (number, place) in by_name.values_mut().zip(0..=u16::MAX) {
            *number = place;
        }
        let number = |name: &String| by_name.get(name.as_str()).copied().unwrap_or_default();
        let numbers =
            buffers.iter().map(|buffer| buffer.fields.iter().map(number).collect()).collect();
        Ok(Self { names: by_name.into_keys().collect(), numbers })
    }
}

fn write_streams(
    out: &mut TokenWriter<'_>,
    buffers: &[TextBuffer],
    documents: &[Place],
    fields: &Fields<'_>,
    patience: &mut Patience<'_>,
) -> Result<()> {
    let mut runs: Vec<(u16, std::ops::Range<usize>)> = Vec::new();
    let (mut heads, mut moved) = (Vec::new(), Vec::new());
    for place in documents {
        patience.step()?;
        let buffer = &buffers[place.buffer as usize];
        let numbers = &fields.numbers[place.buffer as usize];
        let tokens = buffer.token_range(place.document);
        let mut start = tokens.start;
        runs.clear();
        for run in buffer.runs_of(place.document) {
            let end = start + run.tokens as usize;
            runs.push((numbers[usize::from(run.field)], start..end));
            start = end;
        }
        heads.clear();
        if runs.is_sorted_by_key(|(field, _)| *field) {
            heads.extend(runs.iter().map(|(field, run)| (*field, run.len() as u32)));
            out.add(place.doc_id, &heads, &buffer.tokens[tokens])?;
            continue;
        }
        runs.sort_unstable_by_key(|(field, _)| *field);
        moved.clear();
        for (field, run) in &runs {
            heads.push((*field, run.len() as u32));
            moved.extend_from_slice(&buffer.tokens[run.clone()]);
        }
        out.add(place.doc_id, &heads, &moved)?;
    }
    Ok(())
}
