//! The token streams of all segments, found by document.

use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::{DocumentTokens, TokenCursor};

use crate::context::Context;
use crate::error::SearchError;

/// Token streams of documents; cheap in ascending order of documents.
pub(super) struct Streams<'p> {
    segments: Vec<(TokenCursor<'p>, &'p RoaringBitmap)>,
    /// The place of the last document.
    last: usize,
}

impl<'p> Streams<'p> {
    pub fn new(context: &'p Context<'_>) -> Self {
        let segments =
            context.segments.iter().map(|view| (view.text.tokens(), view.deleted)).collect();
        Self { segments, last: 0 }
    }

    pub fn find(
        &mut self,
        doc_id: DocId,
    ) -> Result<Option<(usize, DocumentTokens<'p>)>, SearchError> {
        let count = self.segments.len();
        for step in 0..count {
            let number = (self.last + step) % count;
            let (cursor, deleted) = &mut self.segments[number];
            if let Some(tokens) = cursor.seek(doc_id)?
                && (deleted.is_empty() || !deleted.contains(doc_id))
            {
                self.last = number;
                return Ok(Some((number, tokens)));
            }
        }
        Ok(None)
    }
}
