//! Merges the dictionaries of all inputs and the documents of each word, leaving out those that
//! are not live.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use fst::Streamer;
use fst::raw::Stream;
use roaring::RoaringBitmap;

use super::{Patience, Source};
use crate::error::Result;
use crate::frame::FrameWriter;
use crate::text::word_writer::WordWriter;

/// Writes the words that have live documents, and notes their new ordinals.
pub fn merge(
    sources: &mut [Source<'_>],
    documents: u64,
    frame: &mut FrameWriter,
    patience: &mut Patience<'_>,
) -> Result<u32> {
    let mut out = WordWriter::new(frame, documents)?;
    let mut heads: BinaryHeap<WordHead<'_>> = BinaryHeap::new();
    for (number, source) in sources.iter().enumerate() {
        let stream = source.reader.dictionary().stream();
        heads.extend(WordHead::first(number, stream));
    }
    let mut word = Vec::new();
    let mut owners: Vec<(usize, u32)> = Vec::new();
    let (mut list, mut sets) = (Vec::new(), RoaringBitmap::new());
    while let Some(head) = heads.peek() {
        patience.step()?;
        word.clear();
        word.extend_from_slice(&head.word);
        owners.clear();
        list.clear();
        sets.clear();
        while let Some(mut head) = heads.peek_mut()
            && head.word == word
        {
            let (source, ordinal) = (head.source, head.ordinal);
            if ordinal >= sources[source].reader.word_count() {
                let what = "the dictionary holds an impossible word";
                return Err(sources[source].reader.frame.damaged(what));
            }
            if let Some(set) = sources[source].documents(ordinal, &mut list)? {
                sets |= set;
            }
            owners.push((source, ordinal));
            if !head.advance() {
                PeekMut::pop(head);
            }
        }
        let ordinal = if sets.is_empty() {
            if list.is_empty() {
                continue;
            }
            if !list.is_sorted_by(|left, right| left < right) {
                list.sort_unstable();
                list.dedup();
            }
            out.add_list(&word, &list)?
        } else {
            sets.extend(list.iter().copied());
            out.add_set(&word, std::mem::take(&mut sets))?
        };
        for &(source, old) in &owners {
            sources[source].ordinals[old as usize] = ordinal;
        }
    }
    drop(heads);
    out.finish()
}

/// The next word of an input. The heap gives the smallest word first.
struct WordHead<'a> {
    source: usize,
    stream: Stream<'a>,
    word: Vec<u8>,
    ordinal: u32,
}

impl<'a> WordHead<'a> {
    fn first(source: usize, stream: Stream<'a>) -> Option<Self> {
        let mut head = Self { source, stream, word: Vec::new(), ordinal: 0 };
        head.advance().then_some(head)
    }

    /// Says whether there is one more.
    fn advance(&mut self) -> bool {
        let Some((word, ordinal)) = self.stream.next() else {
            return false;
        };
        self.word.clear();
        self.word.extend_from_slice(word);
        self.ordinal = u32::try_from(ordinal.value()).unwrap_or(u32::MAX);
        true
    }
}

impl Ord for WordHead<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.word.cmp(&self.word)
    }
}

impl PartialOrd for WordHead<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for WordHead<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for WordHead<'_> {}
