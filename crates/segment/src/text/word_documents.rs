//! Documents of a word, decoded when they are iterated over.

use crate::DocId;
use crate::encoding::stored_set::{RankCursor, StoredSet};
use crate::gallop::gallop;

/// The documents of a word in ascending order, with a cursor.
#[derive(Debug)]
pub struct WordDocuments<'r> {
    documents: Documents<'r>,
    cursor: Cursor,
}

#[derive(Debug)]
enum Documents<'r> {
    List(Vec<DocId>),
    /// Long lists are stored as sets, in which single documents can be looked up.
    Set(StoredSet<'r>),
}

#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    place: usize,
    in_set: RankCursor,
}

impl<'r> WordDocuments<'r> {
    pub(super) fn of_list(list: Vec<DocId>) -> Self {
        Self { documents: Documents::List(list), cursor: Cursor::default() }
    }

    pub(super) fn of_set(set: StoredSet<'r>) -> Self {
        Self { documents: Documents::Set(set), cursor: Cursor::default() }
    }

    /// Returns the number of documents.
    pub fn count(&self) -> usize {
        match &self.documents {
            Documents::List(list) => list.len(),
            Documents::Set(set) => set.len(),
        }
    }

    /// Returns all documents. The first call decodes them, and resets the cursor.
    pub fn list(&mut self) -> &[DocId] {
        if let Documents::Set(set) = &self.documents {
            let mut list = Vec::with_capacity(set.len());
            set.append_to(&mut list);
            *self = Self::of_list(list);
        }
        match &self.documents {
            Documents::List(list) => list,
            Documents::Set(_) => &[],
        }
    }

    /// Resets the cursor to the first document.
    pub fn rewind(&mut self) {
        self.cursor = Cursor::default();
    }

    /// Returns the index of a document in the list; `None` if it does not have the word. Documents
    /// must be looked up in ascending order.
    #[inline]
    pub fn find(&mut self, doc_id: DocId) -> Option<usize> {
        match &self.documents {
            Documents::List(list) => {
                let place = gallop(list, self.cursor.place, |other| *other < doc_id);
                self.cursor.place = place;
                (list.get(place) == Some(&doc_id)).then_some(place)
            }
            Documents::Set(set) => set.rank(doc_id, &mut self.cursor.in_set),
        }
    }

    /// Returns the next document after those that were taken. Decodes the list.
    #[inline]
    pub fn peek(&mut self) -> Option<DocId> {
        let place = self.cursor.place;
        self.list().get(place).copied()
    }

    /// Takes the next documents as long as they are wanted: the index of the first, and all of
    /// them. Decodes the list.
    pub fn take_while(&mut self, is_wanted: impl Fn(DocId) -> bool) -> (usize, &[DocId]) {
        self.list();
        let start = self.cursor.place;
        let Documents::List(list) = &self.documents else {
            return (start, &[]);
        };
        let end = gallop(list, start, |doc_id| is_wanted(*doc_id));
        self.cursor.place = end;
        (start, &list[start..end])
    }
}

#[cfg(test)]
mod tests {
    use roaring::RoaringBitmap;

    use super::*;

    /// Some consecutive documents, then some far apart.
    fn documents() -> RoaringBitmap {
        let far = (0..9000).map(|number| 70_000 + number * 7);
        (100..5000).chain(far).chain([400_000]).collect()
    }

    fn bytes_of(set: &RoaringBitmap) -> Vec<u8> {
        let mut bytes = Vec::new();
        set.serialize_into(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn documents_of_a_set_are_found_where_those_of_a_list_are() {
        let documents = documents();
        let bytes = bytes_of(&documents);
        let set = || WordDocuments::of_set(StoredSet::parse(&bytes).unwrap());
        let list = || WordDocuments::of_list(documents.iter().collect());
        assert_eq!((set().count(), list().count()), (13_901, 13_901));
        for step in [1, 3, 1000] {
            let (mut set, mut list) = (set(), list());
            for doc_id in (0..500_000).step_by(step) {
                let expected =
                    documents.contains(doc_id).then(|| documents.rank(doc_id) as usize - 1);
                assert_eq!((set.find(doc_id), list.find(doc_id)), (expected, expected), "{doc_id}");
            }
            set.rewind();
            assert_eq!(set.find(100), Some(0));
        }
    }

    #[test]
    fn documents_are_taken_in_ascending_order() {
        let documents = documents();
        let bytes = bytes_of(&documents);
        let mut set = WordDocuments::of_set(StoredSet::parse(&bytes).unwrap());
        assert_eq!(set.peek(), Some(100));
        let (start, taken) = set.take_while(|doc_id| doc_id < 102);
        assert_eq!((start, taken), (0, &[100, 101][..]));
        let (start, taken) = set.take_while(|_| true);
        assert_eq!((start, taken.len()), (2, 13_899));
        assert_eq!((set.peek(), set.find(400_000)), (None, None));
        assert_eq!(set.list().len(), 13_901);
    }
}
