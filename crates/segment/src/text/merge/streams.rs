//! Copies the token streams of all inputs, in DocId order, with the new numbers of words and
//! attributes.

use roaring::bitmap::IntoIter;

use super::{GONE, Source};
use crate::DocId;
use crate::error::Result;
use crate::frame::FrameWriter;
use crate::patience::Patience;
use crate::text::format::FIRST_WORD;
use crate::text::token_writer::{TokenWriter, WrittenTokens};
use crate::text::tokens::TokenCursor;

pub fn merge(
    sources: &[Source<'_>],
    words: u32,
    frame: &mut FrameWriter,
    patience: &mut Patience<'_>,
) -> Result<WrittenTokens> {
    let mut out = TokenWriter::new(frame, words)?;
    let mut cursors: Vec<Cursor<'_>> = sources.iter().map(Cursor::new).collect();
    while let Some((turn, limit)) = next_turn(&cursors) {
        cursors[turn].run(limit, &mut out, patience)?;
    }
    out.finish()
}

/// The input whose turn it is, and where the next one's turn comes.
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

/// Walks through the live documents of one input.
struct Cursor<'a> {
    source: &'a Source<'a>,
    tokens: TokenCursor<'a>,
    remaining: IntoIter,
    next: Option<DocId>,
    numbers: Vec<u32>,
    heads: Vec<(u16, u32)>,
}

impl<'a> Cursor<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        let mut remaining = source.live.clone().into_iter();
        Self {
            source,
            tokens: source.reader.tokens(),
            next: remaining.next(),
            remaining,
            numbers: Vec::new(),
            heads: Vec::new(),
        }
    }

    /// Moves documents, at least one, until the next one is not below the limit.
    fn run(
        &mut self,
        limit: Option<DocId>,
        out: &mut TokenWriter<'_>,
        patience: &mut Patience<'_>,
    ) -> Result<()> {
        while let Some(doc_id) = self.next {
            patience.step()?;
            self.copy(doc_id, out)?;
            self.next = self.remaining.next();
            if let (Some(next), Some(limit)) = (self.next, limit)
                && next >= limit
            {
                break;
            }
        }
        Ok(())
    }

    fn copy(&mut self, doc_id: DocId, out: &mut TokenWriter<'_>) -> Result<()> {
        let Source { reader, fields, ordinals, .. } = self.source;
        let Some(tokens) = self.tokens.seek(doc_id)? else {
            return Err(reader.frame.damaged(format!("document {doc_id} has no token stream")));
        };
        self.numbers.clear();
        self.heads.clear();
        for field in tokens.fields() {
            let Some(&number) = fields.get(usize::from(field.field())) else {
                return Err(self.source.unknown_attribute(doc_id));
            };
            self.heads.push((number, field.len() as u32));
            field.decode_into(&mut self.numbers);
        }
        let mut unknown = false;
        for token in &mut self.numbers {
            let Some(ordinal) = token.checked_sub(FIRST_WORD) else {
                continue;
            };
            let new = ordinals.get(ordinal as usize).copied().unwrap_or(GONE);
            unknown |= new == GONE;
            *token = new.wrapping_add(FIRST_WORD);
        }
        if unknown {
            let what = format!("document {doc_id} has words that do not have it");
            return Err(reader.frame.damaged(what));
        }
        out.add(doc_id, &self.heads, &self.numbers)
    }
}
