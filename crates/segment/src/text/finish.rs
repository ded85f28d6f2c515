//! Writes one file from several buffers. Words are sorted once, over all buffers; then every
//! document's words become ordinals in place, and the occurrences of each word are collected into
//! one array by counting.

use std::collections::BTreeMap;
use std::ops::Range;

use model::{Cancel, CancelCheck};

use super::assemble::{EachStream, finish_file, write_streams};
use super::buffer::{FIRST_USE, TextBuffer};
use super::format::{self, FIRST_WORD, MAX_FIELDS, positions_of};
use super::occurrence::{Mark, Occurrence};
use super::word_writer::WordWriter;
use crate::DocId;
use crate::directory::Directory;
use crate::documents::sorted_by_text;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;

/// Writes and syncs the file, and returns its length. The caller syncs the directory. Cancelled
/// work ends with [`SegmentError::Stopped`], and the unfinished file can be deleted.
pub fn finish(
    mut buffers: Vec<TextBuffer>,
    directory: &dyn Directory,
    name: &str,
    cancel: &Cancel,
) -> Result<u64> {
    let mut cancel = CancelCheck::new(cancel);
    for buffer in &mut buffers {
        buffer.end_document();
        buffer.words.close();
    }
    let documents = documents_in_order(&buffers)?;
    let words = Words::sort(&buffers)?;
    let fields = Fields::number(&buffers)?;
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
    let lists = Lists::collect(&mut buffers, &documents, &words, &fields, &mut cancel)?;
    let mut word_writer = WordWriter::new(&mut frame, documents.len() as u64)?;
    for (ordinal, &(buffer, number)) in words.in_order.iter().enumerate() {
        cancel.step()?;
        let word = buffers[buffer as usize].words.get(number);
        word_writer.add(word, lists.get(ordinal))?;
    }
    let written = word_writer.finish()?;
    drop(lists);

    let mut streams = |each: &mut EachStream<'_>| {
        for_each_stream(&buffers, &documents, &fields, &mut cancel, each)
    };
    let tokens = write_streams(&mut frame, &written, &mut streams)?;
    finish_file(frame, &written, &tokens, fields.names.iter().map(String::as_str))
}

/// A document, by its buffer and its number there.
struct DocumentRef {
    doc_id: DocId,
    buffer: u32,
    document: u32,
}

fn documents_in_order(buffers: &[TextBuffer]) -> Result<Vec<DocumentRef>> {
    let mut places = Vec::with_capacity(buffers.iter().map(|buffer| buffer.documents.len()).sum());
    for (number, buffer) in buffers.iter().enumerate() {
        places.extend(buffer.documents.iter().zip(0..).map(|(document, place)| DocumentRef {
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
    /// For each ordinal, a buffer that has the word, and its number there.
    in_order: Vec<(u32, u32)>,
    /// Ordinals, by buffer and number.
    ordinals: Vec<Vec<u32>>,
    /// Number of occurrences by ordinal.
    occurrences: Vec<u32>,
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
            occurrences: Vec::with_capacity(order.len()),
        };
        for global in order {
            let (buffer, number) = locate(global);
            let uses = buffers[buffer as usize].uses[number as usize];
            // All of its uses were cut off.
            if uses.count == 0 {
                continue;
            }
            let is_known = buffers.len() > 1
                && words.in_order.last().is_some_and(|&last| text(last) == text((buffer, number)));
            if !is_known {
                words.in_order.push((buffer, number));
                words.occurrences.push(0);
            }
            let ordinal = words.in_order.len() - 1;
            words.occurrences[ordinal] += uses.count;
            words.ordinals[buffer as usize][number as usize] = ordinal as u32;
        }
        Ok(words)
    }
}

/// Occurrences of all words, word by word.
struct Lists {
    occurrences: Vec<Occurrence>,
    /// End of the occurrences of each word.
    ends: Vec<usize>,
}

impl Lists {
    /// Collects the occurrences. Also converts every token of the buffers to its final form.
    fn collect(
        buffers: &mut [TextBuffer],
        documents: &[DocumentRef],
        words: &Words,
        fields: &Fields,
        cancel: &mut CancelCheck<'_>,
    ) -> Result<Self> {
        let mut ends = Vec::with_capacity(words.occurrences.len());
        let mut total = 0;
        for &count in &words.occurrences {
            // At first the start of each list; filling moves it to the end.
            ends.push(total);
            total += count as usize;
        }
        let mut occurrences = vec![Occurrence::new(0, 0, Mark::first(0)); total];
        let mut runs = Vec::new();
        for place in documents {
            cancel.step()?;
            let ordinals = &words.ordinals[place.buffer as usize];
            let buffer = &mut buffers[place.buffer as usize];
            fields.runs(place, buffer, &mut runs);
            for (field, run) in &runs {
                let mut position = 0;
                for token in &mut buffer.tokens[run.clone()] {
                    let Some(number) = (*token & !FIRST_USE).checked_sub(FIRST_WORD) else {
                        position += positions_of(*token);
                        continue;
                    };
                    let ordinal = ordinals[number as usize];
                    let end = &mut ends[ordinal as usize];
                    if *token & FIRST_USE != 0 {
                        let mark = Mark::first(position);
                        occurrences[*end] = Occurrence::new(place.doc_id, *field, mark);
                        *end += 1;
                    } else {
                        occurrences[*end - 1].add_use();
                    }
                    *token = ordinal + FIRST_WORD;
                    position += 1;
                }
            }
        }
        Ok(Self { occurrences, ends })
    }

    fn get(&self, ordinal: usize) -> &[Occurrence] {
        let start = if ordinal == 0 { 0 } else { self.ends[ordinal - 1] };
        &self.occurrences[start..self.ends[ordinal]]
    }
}

/// The attributes of all buffers that have words, numbered in name order.
struct Fields {
    names: Vec<String>,
    /// Numbers by buffer and number there; 0 for attributes without words.
    numbers: Vec<Vec<u16>>,
}

impl Fields {
    fn number(buffers: &[TextBuffer]) -> Result<Self> {
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
        Ok(Self { names: by_name.into_keys().map(str::to_owned).collect(), numbers })
    }

    /// Returns the attributes of a document by ascending number, with the ranges of their tokens.
    fn runs(&self, place: &DocumentRef, buffer: &TextBuffer, runs: &mut Vec<(u16, Range<usize>)>) {
        let numbers = &self.numbers[place.buffer as usize];
        let mut start = buffer.token_range(place.document).start;
        runs.clear();
        for run in buffer.runs_of(place.document) {
            let end = start + run.tokens as usize;
            runs.push((numbers[usize::from(run.field)], start..end));
            start = end;
        }
        if !runs.is_sorted_by_key(|(field, _)| *field) {
            runs.sort_unstable_by_key(|(field, _)| *field);
        }
    }
}

/// Visits the tokens of every document, with the number and count of each attribute.
fn for_each_stream(
    buffers: &[TextBuffer],
    documents: &[DocumentRef],
    fields: &Fields,
    cancel: &mut CancelCheck<'_>,
    each: &mut EachStream<'_>,
) -> Result<()> {
    let (mut runs, mut heads, mut moved) = (Vec::new(), Vec::new(), Vec::new());
    for place in documents {
        cancel.step()?;
        let buffer = &buffers[place.buffer as usize];
        fields.runs(place, buffer, &mut runs);
        heads.clear();
        heads.extend(runs.iter().map(|(field, run)| (*field, run.len() as u32)));
        if runs.is_sorted_by_key(|(_, run)| run.start) {
            let tokens = buffer.token_range(place.document);
            each(place.doc_id, &heads, &buffer.tokens[tokens])?;
            continue;
        }
        moved.clear();
        for (_, run) in &runs {
            moved.extend_from_slice(&buffer.tokens[run.clone()]);
        }
        each(place.doc_id, &heads, &moved)?;
    }
    Ok(())
}
