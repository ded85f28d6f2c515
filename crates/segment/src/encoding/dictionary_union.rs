//! Iterates over several dictionaries: their words in byte order, each once with all positions.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use fst::Streamer;
use fst::raw::{Fst, Stream};

pub struct DictionaryUnion<'a> {
    heads: BinaryHeap<Head<'a>>,
    word: Vec<u8>,
    places: Vec<(usize, u32)>,
}

/// A word of one or more dictionaries.
pub struct SharedWord<'s> {
    pub word: &'s [u8],
    /// Dictionary and position of the word in each; the largest number if the position is invalid.
    pub places: &'s [(usize, u32)],
}

impl<'a> DictionaryUnion<'a> {
    /// Merges numbered dictionaries.
    pub fn new<D: AsRef<[u8]> + 'a>(
        dictionaries: impl IntoIterator<Item = (usize, &'a Fst<D>)>,
    ) -> Self {
        let head = |(number, dictionary): (usize, &'a Fst<D>)| {
            let mut head = Head { number, stream: dictionary.stream(), word: Vec::new(), place: 0 };
            head.advance().then_some(head)
        };
        Self {
            heads: dictionaries.into_iter().filter_map(head).collect(),
            word: Vec::new(),
            places: Vec::new(),
        }
    }

    pub fn next(&mut self) -> Option<SharedWord<'_>> {
        let first = self.heads.peek()?;
        self.word.clear();
        self.word.extend_from_slice(&first.word);
        self.places.clear();
        while let Some(mut head) = self.heads.peek_mut()
            && head.word == self.word
        {
            self.places.push((head.number, head.place));
            if !head.advance() {
                PeekMut::pop(head);
            }
        }
        Some(SharedWord { word: &self.word, places: &self.places })
    }
}

/// Next word of a dictionary. The heap returns the smallest word first.
struct Head<'a> {
    number: usize,
    stream: Stream<'a>,
    word: Vec<u8>,
    place: u32,
}

impl Head<'_> {
    /// Advances; returns whether there is another word.
    fn advance(&mut self) -> bool {
        let Some((word, place)) = self.stream.next() else {
            return false;
        };
        self.word.clear();
        self.word.extend_from_slice(word);
        self.place = u32::try_from(place.value()).unwrap_or(u32::MAX);
        true
    }
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.word.cmp(&self.word).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::tree::TreeWriter;

    #[test]
    fn every_word_comes_once_with_all_its_places() {
        let dictionaries = [&["", "b", "c"][..], &[], &["a", "c", "d"], &["c"]].map(|words| {
            let mut writer = TreeWriter::default();
            words.iter().for_each(|word| writer.add(word.as_bytes()).unwrap());
            Fst::new(writer.finish()).unwrap()
        });
        let mut all = DictionaryUnion::new(dictionaries.iter().enumerate());
        let mut found = Vec::new();
        while let Some(SharedWord { word, places }) = all.next() {
            found.push((String::from_utf8(word.to_vec()).unwrap(), places.to_vec()));
        }
        let expected = [
            ("", vec![(0, 0)]),
            ("a", vec![(2, 0)]),
            ("b", vec![(0, 1)]),
            ("c", vec![(0, 2), (2, 1), (3, 0)]),
            ("d", vec![(2, 2)]),
        ];
        assert_eq!(found, expected.map(|(word, places)| (word.to_owned(), places)));
    }
}
