//! Reads many documents of a file in DocId order, decompressing each block once.

use std::ops::{Bound, RangeBounds};

use roaring::RoaringBitmap;

use super::block;
use super::reader::DocumentsReader;
use crate::DocId;
use crate::error::{Result, SegmentError};

impl DocumentsReader {
    /// Visits every document of a range of DocIds.
    pub fn for_each<E: From<SegmentError>>(
        &self,
        range: impl RangeBounds<DocId>,
        mut each: impl FnMut(DocId, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((first, last)) = inclusive(&range) else {
            return Ok(());
        };
        let mut blocks = Blocks::new(self);
        let start = self.block_of(first).unwrap_or(0);
        for block in start..self.block_count() {
            if self.entry(block).first > last {
                break;
            }
            blocks.each_of(block, |doc_id| range.contains(&doc_id), &mut each)?;
        }
        Ok(())
    }

    /// Visits every document of a set that is in the file. Blocks without any are not touched.
    pub fn for_each_of<E: From<SegmentError>>(
        &self,
        wanted: &RoaringBitmap,
        mut each: impl FnMut(DocId, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let wanted = wanted & self.doc_ids();
        let mut remaining = wanted.iter();
        let mut blocks = Blocks::new(self);
        while let Some(doc_id) = remaining.next() {
            let block = self.block_of(doc_id).ok_or_else(|| self.missing(doc_id))?;
            let end = self.end_of(block);
            // Mostly all of them are wanted, which is quick to check.
            let is_whole =
                end.is_some_and(|end| wanted.contains_range(self.entry(block).first..end));
            blocks.each_of(block, |doc_id| is_whole || wanted.contains(doc_id), &mut each)?;
            let Some(end) = end else {
                break;
            };
            remaining.advance_to(end);
        }
        Ok(())
    }
}

/// Returns the first and the last member of a range, if it has any.
fn inclusive(range: &impl RangeBounds<DocId>) -> Option<(DocId, DocId)> {
    let first = match range.start_bound() {
        Bound::Included(&first) => first,
        Bound::Excluded(&before) => before.checked_add(1)?,
        Bound::Unbounded => 0,
    };
    let last = match range.end_bound() {
        Bound::Included(&last) => last,
        Bound::Excluded(&after) => after.checked_sub(1)?,
        Bound::Unbounded => DocId::MAX,
    };
    (first <= last).then_some((first, last))
}

/// Decompresses blocks into its own buffer, so that a callback for a document may read others.
struct Blocks<'r> {
    reader: &'r DocumentsReader,
    raw: Vec<u8>,
    documents: Vec<block::DocumentRange>,
}

impl<'r> Blocks<'r> {
    fn new(reader: &'r DocumentsReader) -> Self {
        Self { reader, raw: Vec::new(), documents: Vec::new() }
    }

    fn each_of<E: From<SegmentError>>(
        &mut self,
        block: usize,
        wanted: impl Fn(DocId) -> bool,
        each: &mut impl FnMut(DocId, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let entry = self.reader.load(block, &mut self.raw)?;
        block::parse(&self.raw, entry.first, &mut self.documents)
            .ok_or_else(|| self.reader.malformed(block))?;
        for (doc_id, place) in &self.documents {
            if wanted(*doc_id) {
                let json = self.reader.text(&self.raw[place.clone()], *doc_id)?;
                each(*doc_id, json)?;
            }
        }
        Ok(())
    }
}
