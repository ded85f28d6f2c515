//! Numbers of documents that several instances share: counted for all of them, whether they are
//! stored here or not.

use segment::DocId;

use super::Writer;
use crate::doc_ids;

/// One more than there are numbers.
const END: u64 = 1 << 32;

impl Writer<'_> {
    /// Uses up a range of numbers and gives the first. Nothing when there are too few left: new
    /// documents then take any that is free here.
    pub fn take_numbers(&mut self, count: u64) -> Option<DocId> {
        self.reserved.clear();
        let first = doc_ids::next(self.attributes.next_doc_id, &self.live_before);
        let next = first.checked_add(count).filter(|next| *next <= END)?;
        self.attributes.next_doc_id = Some(next);
        DocId::try_from(first).ok()
    }

    /// The document takes this number if it is new. One that another document has is not given
    /// again.
    pub fn reserve_number(&mut self, external_id: &str, doc_id: DocId) {
        let is_taken = self.live.contains(doc_id) || self.live_before.contains(doc_id);
        if !is_taken && !self.reserved.contains_key(external_id) {
            self.reserved.insert(external_id.into(), doc_id);
        }
    }

    /// Numbers below this one have been given, here or elsewhere.
    pub fn raise_numbers(&mut self, next: u64) {
        let known = self.attributes.next_doc_id.unwrap_or(0);
        self.attributes.next_doc_id = Some(known.max(next.min(END)));
    }

    pub(super) fn reserved_for(&mut self, external_id: &str) -> Option<DocId> {
        if self.reserved.is_empty() { None } else { self.reserved.remove(external_id) }
    }

    /// All documents are gone, everywhere.
    pub(super) fn forget_numbers(&mut self) {
        self.reserved.clear();
        if let Some(next) = &mut self.attributes.next_doc_id {
            *next = 0;
        }
    }
}
