//! Document numbers that several instances share: counted over all of them, whether the documents
//! are stored here or not.

use segment::DocId;

use super::Writer;
use crate::doc_ids;

/// One more than the highest number.
const END: u64 = 1 << 32;

impl Writer<'_> {
    /// Reserves a range of numbers and returns the first; `None` if too few are left: new documents
    /// then take any number that is free here.
    pub fn take_numbers(&mut self, count: u64) -> Option<DocId> {
        self.reserved.clear();
        let first = doc_ids::next(self.meta.next_doc_id, &self.live_before);
        let next = first.checked_add(count).filter(|next| *next <= END)?;
        self.meta.next_doc_id = Some(next);
        DocId::try_from(first).ok()
    }

    /// Reserves a number for a document in case it is new, unless another document has it.
    pub fn reserve_number(&mut self, external_id: &str, doc_id: DocId) {
        let is_taken = self.live.contains(doc_id) || self.live_before.contains(doc_id);
        if !is_taken && !self.reserved.contains_key(external_id) {
            self.reserved.insert(external_id.into(), doc_id);
        }
    }

    /// Records that numbers below this one are in use, here or elsewhere.
    pub fn raise_numbers(&mut self, next: u64) {
        let known = self.meta.next_doc_id.unwrap_or(0);
        self.meta.next_doc_id = Some(known.max(next.min(END)));
    }

    pub(super) fn reserved_for(&mut self, external_id: &str) -> Option<DocId> {
        if self.reserved.is_empty() { None } else { self.reserved.remove(external_id) }
    }

    /// Starts again from 0, after all documents were deleted everywhere.
    pub(super) fn forget_numbers(&mut self) {
        self.reserved.clear();
        if let Some(next) = &mut self.meta.next_doc_id {
            *next = 0;
        }
    }
}
