//! Posting lists: the documents of one word or value as bytes. Most have one or a few documents,
//! written as differences. Others are sets in the standard Roaring format.
//!
//! The first number is the number of documents, so that they can be counted without being read; for
//! a single document it is the document itself.

use roaring::RoaringBitmap;

use super::union::{Union, set_of};
use crate::DocId;
use crate::varint;

/// Longest list; beyond it a set is smaller, or at least quicker.
pub const LONGEST_LIST: usize = 128;

pub fn write_list(out: &mut Vec<u8>, doc_ids: &[DocId]) {
    if let [only] = doc_ids {
        return varint::write(out, u64::from(*only) << 1 | 1);
    }
    varint::write(out, (doc_ids.len() as u64) << 1);
    let mut next = 0;
    for &doc_id in doc_ids {
        varint::write(out, u64::from(doc_id) - next);
        next = u64::from(doc_id) + 1;
    }
}

/// Writes a set, which should be optimised and have more than `LONGEST_LIST` documents.
pub fn write_set(out: &mut Vec<u8>, set: &RoaringBitmap) {
    varint::write(out, set.len() << 1);
    // Writing to memory cannot fail.
    let _ = set.serialize_into(out);
}

/// Writes any number of documents in ascending order. May reorder `doc_ids`.
pub fn write_sorted(out: &mut Vec<u8>, doc_ids: &mut [DocId]) {
    if doc_ids.len() <= LONGEST_LIST {
        return write_list(out, doc_ids);
    }
    let mut set = set_of(doc_ids);
    set.optimize();
    write_set(out, &set);
}

/// Writes a set of any size.
pub fn write_documents(out: &mut Vec<u8>, mut set: RoaringBitmap) {
    if set.len() <= LONGEST_LIST as u64 {
        let list: Vec<DocId> = set.iter().collect();
        return write_list(out, &list);
    }
    set.optimize();
    write_set(out, &set);
}

/// Reads the documents as a set, ready for set operations.
pub fn read_set(bytes: &[u8]) -> Option<RoaringBitmap> {
    match read(bytes)? {
        Documents::Set(mut set) => {
            // Runs are for the disk: set operations are slow with them.
            set.remove_run_compression();
            Some(set)
        }
        Documents::List(list) => {
            let mut doc_ids = Vec::new();
            list.append_to(&mut doc_ids).then(|| set_of(&mut doc_ids))
        }
    }
}

/// Adds the documents to a union. Returns false if the bytes are invalid.
pub fn add_to(bytes: &[u8], union: &mut Union) -> bool {
    match read(bytes) {
        Some(Documents::Set(set)) => {
            union.add_set(set);
            true
        }
        Some(Documents::List(list)) => list.append_to(&mut union.loose),
        None => false,
    }
}

/// Returns the number of documents.
pub fn count(mut bytes: &[u8]) -> Option<u32> {
    let head = varint::read(&mut bytes)?;
    if head & 1 == 1 {
        return Some(1);
    }
    u32::try_from(head >> 1).ok()
}

/// Documents as stored.
pub enum Documents<'b> {
    List(ListReader<'b>),
    Set(RoaringBitmap),
}

pub fn read(mut bytes: &[u8]) -> Option<Documents<'_>> {
    let head = varint::read(&mut bytes)?;
    if head & 1 == 1 {
        let only = DocId::try_from(head >> 1).ok()?;
        return bytes.is_empty().then_some(Documents::List(ListReader {
            bytes,
            left: 0,
            next: 0,
            only: Some(only),
        }));
    }
    let count = head >> 1;
    if count <= LONGEST_LIST as u64 {
        let left = count as usize;
        return Some(Documents::List(ListReader { bytes, left, next: 0, only: None }));
    }
    let set = RoaringBitmap::deserialize_from(&mut bytes).ok()?;
    (bytes.is_empty() && set.len() == count).then_some(Documents::Set(set))
}

#[derive(Clone, Copy)]
pub struct ListReader<'b> {
    bytes: &'b [u8],
    left: usize,
    next: u64,
    only: Option<DocId>,
}

impl ListReader<'_> {
    /// Appends the documents to a list, ascending. Returns false if the bytes are invalid.
    pub fn append_to(mut self, out: &mut Vec<DocId>) -> bool {
        out.extend(self.only);
        while self.left > 0 {
            let Some(step) = varint::read(&mut self.bytes) else {
                return false;
            };
            let Some(Ok(doc_id)) = self.next.checked_add(step).map(DocId::try_from) else {
                return false;
            };
            out.push(doc_id);
            self.next = u64::from(doc_id) + 1;
            self.left -= 1;
        }
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc_ids(bytes: &[u8]) -> Option<Vec<DocId>> {
        match read(bytes)? {
            Documents::Set(set) => Some(set.iter().collect()),
            Documents::List(list) => {
                let mut out = Vec::new();
                list.append_to(&mut out).then_some(out)
            }
        }
    }

    #[test]
    fn documents_come_back() {
        let cases: [Vec<DocId>; 5] = [
            vec![0],
            vec![DocId::MAX],
            vec![0, 1, 5, 300, 70_000, DocId::MAX],
            (0..128).map(|number| number * 1000).collect(),
            (0..5000).map(|number| number * 3).collect(),
        ];
        for case in cases {
            let mut bytes = Vec::new();
            if case.len() <= LONGEST_LIST {
                write_list(&mut bytes, &case);
            } else {
                write_set(&mut bytes, &case.iter().copied().collect());
            }
            assert_eq!(count(&bytes), Some(case.len() as u32));
            assert_eq!(doc_ids(&bytes).as_deref(), Some(&case[..]));
            assert_eq!(doc_ids(&bytes[..bytes.len() - 1]), None);
            bytes.push(0);
            assert_eq!(doc_ids(&bytes), None);
        }
    }

    #[test]
    fn numbers_past_the_last_document_are_refused() {
        let mut bytes = Vec::new();
        varint::write(&mut bytes, 2 << 1);
        varint::write(&mut bytes, u64::from(DocId::MAX));
        varint::write(&mut bytes, 0);
        assert_eq!(doc_ids(&bytes), None);
        bytes.clear();
        varint::write(&mut bytes, 1 << 40 | 1);
        assert_eq!(doc_ids(&bytes), None);
    }
}
