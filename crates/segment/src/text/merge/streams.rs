//! Merges the token streams of all inputs, in DocId order, with the new numbers of words and
//! attributes. If several inputs have a document, its attributes are combined.

use model::CancelCheck;
use roaring::bitmap::IntoIter;

use super::source::{GONE, Source};
use crate::DocId;
use crate::error::{Result, SegmentError};
use crate::text::assemble::EachStream;
use crate::text::format::FIRST_WORD;
use crate::text::tokens::TokenCursor;

/// Visits the stream of every document.
pub fn for_each(
    sources: &[Source<'_>],
    cancel: &mut CancelCheck<'_>,
    each: &mut EachStream<'_>,
) -> Result<()> {
    let mut cursors: Vec<Cursor<'_>> = sources.iter().map(Cursor::new).collect();
    let mut stream = Stream::default();
    while let Some((turn, limit)) = next_turn(&cursors) {
        if let Some(doc_id) = limit.filter(|_| cursors[turn].next == limit) {
            cancel.step()?;
            stream.clear();
            for cursor in cursors.iter_mut().filter(|cursor| cursor.next == limit) {
                cursor.read(doc_id, &mut stream)?;
                cursor.advance();
            }
            stream.sort(doc_id)?;
            each(doc_id, &stream.heads, &stream.tokens)?;
        } else {
            cursors[turn].run(limit, &mut stream, each, cancel)?;
        }
    }
    Ok(())
}

/// Returns the input with the next document, and where the next input takes over.
fn next_turn(cursors: &[Cursor<'_>]) -> Option<(usize, Option<DocId>)> {
    let mut waiting = cursors
        .iter()
        .enumerate()
        .filter_map(|(number, cursor)| cursor.next.map(|doc_id| (doc_id, number)));
    let mut turn = waiting.next()?;
    let mut limit: Option<DocId> = None;
    for other in waiting {
        let later = if other.0 < turn.0 { std::mem::replace(&mut turn, other) } else { other };
        limit = Some(limit.map_or(later.0, |limit| limit.min(later.0)));
    }
    Some((turn.1, limit))
}

/// Stream of a document that is being copied.
#[derive(Default)]
struct Stream {
    /// Attributes and their token counts.
    heads: Vec<(u16, u32)>,
    tokens: Vec<u32>,
}

impl Stream {
    fn clear(&mut self) {
        self.heads.clear();
        self.tokens.clear();
    }

    /// Sorts the attributes of several inputs.
    fn sort(&mut self, doc_id: DocId) -> Result<()> {
        if self.heads.is_sorted_by(|left, right| left.0 < right.0) {
            return Ok(());
        }
        let mut start = 0;
        let mut runs = Vec::with_capacity(self.heads.len());
        for &(field, count) in &self.heads {
            let end = start + count as usize;
            runs.push((field, start..end));
            start = end;
        }
        runs.sort_unstable_by_key(|(field, _)| *field);
        if runs.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            let what = format!("an attribute of document {doc_id} comes twice");
            return Err(SegmentError::Inconsistent(what));
        }
        self.tokens = runs.iter().flat_map(|(_, run)| &self.tokens[run.clone()]).copied().collect();
        self.heads = runs.into_iter().map(|(field, run)| (field, run.len() as u32)).collect();
        Ok(())
    }
}

/// Iterates over the live documents of one input.
struct Cursor<'a> {
    source: &'a Source<'a>,
    tokens: TokenCursor<'a>,
    remaining: IntoIter,
    next: Option<DocId>,
}

impl<'a> Cursor<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        let mut remaining = source.live.clone().into_iter();
        let next = remaining.next();
        Self { source, tokens: source.reader.tokens(), next, remaining }
    }

    fn advance(&mut self) {
        self.next = self.remaining.next();
    }

    /// Moves at least one document, and on until the next one reaches the limit.
    fn run(
        &mut self,
        limit: Option<DocId>,
        stream: &mut Stream,
        each: &mut EachStream<'_>,
        cancel: &mut CancelCheck<'_>,
    ) -> Result<()> {
        while let Some(doc_id) = self.next {
            cancel.step()?;
            stream.clear();
            self.read(doc_id, stream)?;
            each(doc_id, &stream.heads, &stream.tokens)?;
            self.advance();
            if let (Some(next), Some(limit)) = (self.next, limit)
                && next >= limit
            {
                break;
            }
        }
        Ok(())
    }

    /// Appends the part of a document in this input, with its new numbers.
    fn read(&mut self, doc_id: DocId, stream: &mut Stream) -> Result<()> {
        let source = self.source;
        if !source.has_words() {
            return Ok(());
        }
        let reader = source.reader;
        let Some(tokens) = self.tokens.seek(doc_id)? else {
            return Err(reader.frame.damaged(format!("document {doc_id} has no token stream")));
        };
        let start = stream.tokens.len();
        for field in tokens.fields() {
            let number = field.field();
            if !source.keeps(number).ok_or_else(|| source.unknown_attribute(doc_id))? {
                continue;
            }
            stream.heads.push((source.new_field(number), field.len() as u32));
            field.decode_into(&mut stream.tokens);
        }
        let mut unknown = false;
        for token in &mut stream.tokens[start..] {
            let Some(ordinal) = token.checked_sub(FIRST_WORD) else {
                continue;
            };
            let new = source.ordinals.get(ordinal as usize).copied().unwrap_or(GONE);
            unknown |= new == GONE;
            *token = new.wrapping_add(FIRST_WORD);
        }
        if unknown {
            let what = format!("document {doc_id} has words that do not have it");
            return Err(reader.frame.damaged(what));
        }
        Ok(())
    }
}
