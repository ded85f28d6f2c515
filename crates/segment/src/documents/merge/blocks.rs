//! Moves the live documents of all inputs, in DocId order, into the blocks of a new file.

use model::Cancel;
use roaring::bitmap::IntoIter;

use super::Source;
use crate::DocId;
use crate::documents::block;
use crate::documents::block_writer::{BlockWriter, SMALL_LENGTH};
use crate::documents::dictionary::Dictionary;
use crate::error::Result;

pub fn merge(
    sources: &[Source<'_>],
    dictionary: Option<&Dictionary>,
    out: &mut BlockWriter<'_>,
    cancel: &Cancel,
) -> Result<()> {
    let mut cursors: Vec<Cursor<'_>> =
        sources.iter().map(|source| Cursor::new(source, dictionary)).collect();
    loop {
        // The input with the next document, and where the next input takes over.
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
        cursors[number].run(limit, out, cancel)?;
    }
}

/// Iterates over the live documents of one input.
struct Cursor<'a> {
    source: &'a Source<'a>,
    same_dictionary: bool,
    remaining: IntoIter,
    next: Option<DocId>,
    loaded: Option<usize>,
    raw: Vec<u8>,
    documents: Vec<block::DocumentRange>,
    /// Position of the next document in `documents`.
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

    /// Moves at least one document, and on until the next one reaches the limit.
    fn run(
        &mut self,
        limit: Option<DocId>,
        out: &mut BlockWriter<'_>,
        cancel: &Cancel,
    ) -> Result<()> {
        while let Some(doc_id) = self.next {
            let reader = self.source.reader;
            let block = reader.block_of(doc_id).ok_or_else(|| reader.missing(doc_id))?;
            let is_new = self.loaded != Some(block);
            if is_new {
                cancel.check()?;
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

    /// Copies a block unchanged if all of it is live and no document of another input falls into
    /// it. Returns whether it did.
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
