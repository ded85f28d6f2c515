//! Posting list of a word, at the beginning of its bytes in the file; its occurrences follow. Files
//! of version 1 have no occurrences, and no length before a set.

use roaring::RoaringBitmap;

use super::word_documents::WordDocuments;
use crate::DocId;
use crate::encoding::postings::LONGEST_LIST;
use crate::encoding::stored_set::StoredSet;
use crate::encoding::union::{Union, set_of};
use crate::varint;

/// Writes a set, which should be optimised and have more than `LONGEST_LIST` documents.
pub fn write_set(out: &mut Vec<u8>, set: &RoaringBitmap) {
    varint::write(out, set.len() << 1);
    varint::write(out, set.serialized_size() as u64);
    // Writing to memory cannot fail.
    let _ = set.serialize_into(out);
}

/// Parsed bytes of a word.
#[derive(Debug, Clone, Copy)]
pub struct WordBytes<'r> {
    /// Number of documents that have the word.
    pub count: usize,
    documents: StoredDocuments<'r>,
    /// `None` in files of version 1.
    pub occurrences: Option<&'r [u8]>,
}

#[derive(Debug, Clone, Copy)]
enum StoredDocuments<'r> {
    Single(DocId),
    /// Differences.
    List(&'r [u8]),
    Set(&'r [u8]),
}

impl<'r> WordBytes<'r> {
    /// Parses the bytes of a word; `None` if they are invalid.
    pub fn parse(bytes: &'r [u8], version: u16) -> Option<Self> {
        let mut rest = bytes;
        let head = varint::read(&mut rest)?;
        let count = usize::try_from(head >> 1).ok()?;
        let (count, documents, after) = if head & 1 == 1 {
            (1, StoredDocuments::Single(DocId::try_from(head >> 1).ok()?), rest)
        } else if count <= LONGEST_LIST {
            let length = length_of_numbers(rest, count)?;
            let (list, after) = rest.split_at_checked(length)?;
            (count, StoredDocuments::List(list), after)
        } else if version < 2 {
            (count, StoredDocuments::Set(rest), &[][..])
        } else {
            let set = varint::read_slice(&mut rest)?;
            (count, StoredDocuments::Set(set), rest)
        };
        let occurrences = (version >= 2).then_some(after);
        (version >= 2 || after.is_empty()).then_some(Self { count, documents, occurrences })
    }

    /// Returns the documents as a set, ready for set operations.
    pub fn to_set(self) -> Option<RoaringBitmap> {
        if let StoredDocuments::Set(bytes) = self.documents {
            let mut set = self.read_set(bytes)?;
            // Runs are for the disk: set operations are slow with them.
            set.remove_run_compression();
            return Some(set);
        }
        let mut doc_ids = Vec::new();
        self.append_to(&mut doc_ids)?;
        Some(set_of(&mut doc_ids))
    }

    /// Adds the documents to a union.
    pub fn add_to(self, union: &mut Union) -> Option<()> {
        match self.documents {
            StoredDocuments::Set(bytes) => union.add_set(self.read_set(bytes)?),
            _ => self.append_to(&mut union.loose)?,
        }
        Some(())
    }

    /// Returns the documents with a cursor; a stored set is not decoded.
    pub fn documents(self) -> Option<WordDocuments<'r>> {
        if let StoredDocuments::Set(bytes) = self.documents {
            let set = StoredSet::parse(bytes).filter(|set| set.len() == self.count)?;
            return Some(WordDocuments::of_set(set));
        }
        let mut list = Vec::new();
        self.append_to(&mut list)?;
        Some(WordDocuments::of_list(list))
    }

    /// Appends the documents to a list, ascending.
    pub fn append_to(self, out: &mut Vec<DocId>) -> Option<()> {
        match self.documents {
            StoredDocuments::Single(doc_id) => out.push(doc_id),
            StoredDocuments::List(mut bytes) => {
                let mut next = 0_u64;
                while !bytes.is_empty() {
                    let doc_id = next.checked_add(varint::read(&mut bytes)?)?;
                    out.push(DocId::try_from(doc_id).ok()?);
                    next = doc_id + 1;
                }
            }
            StoredDocuments::Set(bytes) => {
                let start = out.len();
                StoredSet::parse(bytes)?.append_to(out);
                if out.len() - start != self.count {
                    return None;
                }
            }
        }
        Some(())
    }

    fn read_set(self, mut bytes: &[u8]) -> Option<RoaringBitmap> {
        let set = RoaringBitmap::deserialize_from(&mut bytes).ok()?;
        (bytes.is_empty() && set.len() == self.count as u64).then_some(set)
    }
}

/// Returns the length of the first `count` variable-length numbers.
fn length_of_numbers(bytes: &[u8], count: usize) -> Option<usize> {
    if count == 0 {
        return Some(0);
    }
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte < 0x80);
    ends.map(|(place, _)| place + 1).nth(count - 1)
}
