//! Merges the external ids of all inputs, in order, leaving out those that are not live.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use model::{Cancel, CancelCheck};

use super::Source;
use crate::DocId;
use crate::documents::id_table::IdCursor;
use crate::documents::id_table_writer::IdTableWriter;
use crate::error::Result;

pub fn merge(sources: &[Source<'_>], out: &mut IdTableWriter<'_>, cancel: &Cancel) -> Result<()> {
    let mut heads = BinaryHeap::new();
    for source in sources {
        let cursor = source.reader.ids()?.table.cursor();
        let mut head = IdHead { source, cursor, id: Vec::new(), doc_id: 0 };
        if head.advance()? {
            heads.push(head);
        }
    }
    let mut cancel = CancelCheck::new(cancel);
    while let Some(mut head) = heads.peek_mut() {
        cancel.step()?;
        out.add(&head.id, head.doc_id)?;
        if !head.advance()? {
            PeekMut::pop(head);
        }
    }
    Ok(())
}

/// Next live id of an input. The heap returns the smallest id first.
struct IdHead<'a> {
    source: &'a Source<'a>,
    cursor: IdCursor<'a>,
    id: Vec<u8>,
    doc_id: DocId,
}

impl IdHead<'_> {
    /// Advances; returns whether there is another id.
    fn advance(&mut self) -> Result<bool> {
        while let Some((id, doc_id)) = self.cursor.next() {
            if self.source.live.contains(doc_id) {
                self.id.clear();
                self.id.extend_from_slice(id);
                self.doc_id = doc_id;
                return Ok(true);
            }
        }
        if !self.cursor.is_done() {
            return Err(self.source.reader.malformed_ids());
        }
        Ok(false)
    }
}

impl Ord for IdHead<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.id.cmp(&self.id)
    }
}

impl PartialOrd for IdHead<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for IdHead<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for IdHead<'_> {}
