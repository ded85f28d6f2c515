//! Fingerprint of the documents of a word or value, to compare sources without storing them.

use crate::DocId;

/// Number of documents, and a hash of them that does not depend on their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trace {
    pub documents: u32,
    sum: u64,
}

impl Trace {
    pub fn add(&mut self, doc_id: DocId) {
        self.add_number(u64::from(doc_id));
    }

    /// Adds anything that a number identifies.
    pub fn add_number(&mut self, number: u64) {
        self.documents = self.documents.wrapping_add(1);
        let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sum = self.sum.wrapping_add(mixed ^ mixed >> 29);
    }

    pub fn of(documents: impl IntoIterator<Item = DocId>) -> Self {
        let mut trace = Self::default();
        documents.into_iter().for_each(|doc_id| trace.add(doc_id));
        trace
    }
}
