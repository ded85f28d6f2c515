//! Tests of the text component, by theme, and their model, which knows positions and nothing of
//! tokens.

mod basics;
mod damage;
mod faults;
mod in_fields;
mod joining;
mod lengths;
mod merging;
mod model;
mod older;
mod positions;

use std::collections::{BTreeMap, BTreeSet};

use ::model::Cancel;
use roaring::RoaringBitmap;

use super::*;
use crate::directory::{Directory, MemoryDirectory};
use crate::{DocId, SegmentError};

/// An element of a leaf.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Word(String),
    Skip,
    Gap,
}

/// Attribute → words with their positions.
type Positions = BTreeMap<String, Vec<(u32, String)>>;

/// Expected contents of a text file.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    documents: BTreeMap<DocId, Vec<(String, Vec<Piece>)>>,
}

/// `a b | c . d` : words; `.` is a hard separator, `_` a stop word.
fn pieces(text: &str) -> Vec<Piece> {
    text.split_whitespace()
        .map(|piece| match piece {
            "." => Piece::Gap,
            "_" => Piece::Skip,
            word => Piece::Word(word.to_owned()),
        })
        .collect()
}

impl Model {
    fn add(&mut self, doc_id: DocId, leaves: &[(&str, &str)]) {
        let leaves = leaves.iter().map(|(field, text)| ((*field).to_owned(), pieces(text)));
        self.documents.insert(doc_id, leaves.collect());
    }

    /// Returns `count` documents from a DocId on, with common and rare words.
    fn sample(first: DocId, count: u32) -> Self {
        let mut model = Self::default();
        for doc_id in first..first + count {
            let noise = doc_id.wrapping_mul(2_654_435_761) >> 7;
            let title = format!("title of {} . {doc_id} été", noise % 50);
            let body = format!("made _ in {} by {:x}", noise % 97, noise);
            let year = format!("{}", 1900 + noise % 120);
            let mut leaves = vec![("title", title.as_str()), ("body", &body), ("year", &year)];
            if doc_id.is_multiple_of(3) {
                leaves.push(("title", "again"));
            }
            if doc_id.is_multiple_of(7) {
                leaves.clear();
            }
            model.add(doc_id, &leaves);
        }
        model
    }

    fn fill(&self, buffer: &mut TextBuffer) {
        for (&doc_id, leaves) in &self.documents {
            add_to(buffer, doc_id, leaves);
        }
    }

    fn buffer(&self) -> TextBuffer {
        let mut buffer = TextBuffer::new();
        self.fill(&mut buffer);
        buffer
    }

    fn write(&self, directory: &dyn Directory, name: &str) -> TextReader {
        let length = finish(vec![self.buffer()], directory, name, &Cancel::default()).unwrap();
        let reader = TextReader::open(directory, name).unwrap();
        assert_eq!(reader.file_bytes(), length);
        reader
    }

    fn doc_ids(&self) -> RoaringBitmap {
        self.documents.keys().copied().collect()
    }

    fn positions(&self) -> BTreeMap<DocId, Positions> {
        self.documents.iter().map(|(&doc_id, leaves)| (doc_id, positions(leaves))).collect()
    }

    /// Word → documents.
    fn words(&self) -> BTreeMap<String, RoaringBitmap> {
        let mut words: BTreeMap<String, RoaringBitmap> = BTreeMap::new();
        for (doc_id, fields) in self.positions() {
            for (_, word) in fields.into_values().flatten() {
                words.entry(word).or_default().insert(doc_id);
            }
        }
        words
    }

    /// Compares everything that a reader can return.
    fn check(&self, reader: &TextReader) {
        assert_eq!(reader.verify(), []);
        assert_eq!(*reader.doc_ids(), self.doc_ids());
        let expected = self.positions();
        assert_eq!(read_positions(reader).unwrap(), expected);
        let names: BTreeSet<String> =
            expected.into_values().flat_map(BTreeMap::into_keys).collect();
        assert_eq!(reader.fields(), Vec::from_iter(names));

        let words = self.words();
        assert_eq!(reader.word_count() as usize, words.len());
        let mut prefixes: BTreeMap<&str, RoaringBitmap> = BTreeMap::new();
        for (ordinal, (word, documents)) in (0..).zip(&words) {
            assert_eq!(reader.ordinal(word.as_bytes()), Some(ordinal));
            assert_eq!(reader.word(ordinal).as_deref(), Some(word.as_bytes()));
            assert_eq!(u64::from(reader.document_count(ordinal).unwrap()), documents.len());
            assert_eq!(reader.documents_of(ordinal).unwrap(), *documents);
            for (end, _) in word.char_indices().chain([(word.len(), ' ')]) {
                *prefixes.entry(&word[..end]).or_default() |= documents;
            }
        }
        for (prefix, documents) in prefixes {
            let range = reader.prefix_range(prefix.as_bytes());
            let count = words.keys().filter(|word| word.starts_with(prefix)).count();
            let before = words.keys().filter(|word| word.as_str() < prefix).count();
            assert_eq!(range, before as u32..(before + count) as u32, "{prefix}");
            assert_eq!(reader.documents_of_range(range).unwrap(), documents, "{prefix}");
        }
        self.check_pairs(reader);
        assert_eq!(reader.ordinal(b"not there"), None);
        assert!(reader.prefix_range(b"not there").is_empty());
        assert_eq!(reader.word(words.len() as u32), None);
    }
}

impl Model {
    /// Checks that pairs of frequent words are those with these distances in some attribute.
    fn check_pairs(&self, reader: &TextReader) {
        for steps in 1..=3 {
            self.check_pairs_at(reader, steps);
        }
    }

    fn check_pairs_at(&self, reader: &TextReader, steps: u32) {
        let mut expected: BTreeMap<(u32, u32), RoaringBitmap> = BTreeMap::new();
        for (doc_id, fields) in self.positions() {
            for words in fields.into_values() {
                for (place, (position, left)) in words.iter().enumerate() {
                    let rights = words[place..].iter().take_while(|it| it.0 <= position + steps);
                    for (_, right) in rights.filter(|right| right.0 == position + steps) {
                        let ordinal = |word: &str| reader.ordinal(word.as_bytes()).unwrap();
                        let pair = (ordinal(left), ordinal(right));
                        expected.entry(pair).or_default().insert(doc_id);
                    }
                }
            }
        }
        let all = 0..reader.word_count();
        let is_stored = |ordinal: &u32| match steps {
            1 => reader.is_frequent(*ordinal),
            _ => reader.is_frequent_nearby(*ordinal).unwrap(),
        };
        let frequent: Vec<u32> = all.clone().filter(is_stored).collect();
        if steps == 1 {
            assert!(reader.frequent_words(&all).eq(frequent.iter().copied()));
        }
        for &left in &frequent {
            let mut of_all = RoaringBitmap::new();
            for &right in &frequent {
                let found = reader.documents_of_frequent_pairs(left, &[right], steps).unwrap();
                assert_eq!(found, expected.remove(&(left, right)).unwrap_or_default(), "{steps}");
                of_all |= found;
            }
            let at_once = reader.documents_of_frequent_pairs(left, &frequent, steps).unwrap();
            assert_eq!(at_once, of_all, "{steps}");
        }
        for (left, right) in expected.into_keys().filter(|_| steps == 1) {
            assert_eq!(reader.documents_of_frequent_pair(left, right).unwrap(), None);
        }
    }
}

fn add_to(buffer: &mut TextBuffer, doc_id: DocId, leaves: &[(String, Vec<Piece>)]) {
    buffer.document(doc_id);
    for (field, pieces) in leaves {
        let field = buffer.field(field).unwrap();
        buffer.leaf(field);
        for piece in pieces {
            match piece {
                Piece::Word(word) => buffer.word(word),
                Piece::Skip => buffer.skip(),
                Piece::Gap => buffer.gap(),
            }
        }
    }
}

/// Computes positions by the documented rules.
fn positions(leaves: &[(String, Vec<Piece>)]) -> Positions {
    let mut fields = Positions::new();
    for (field, pieces) in leaves {
        let mut found: Vec<(u32, String)> = fields.remove(field).unwrap_or_default();
        let start = found.last().map_or(0, |(last, _)| last + 8);
        let (mut before, mut gap) = (None, false);
        for piece in pieces {
            if *piece == Piece::Gap {
                gap = true;
                continue;
            }
            let step = if gap { 8 } else { 1 };
            let position = before.map_or(start, |before| before + step);
            before = Some(position);
            gap = false;
            if let Piece::Word(word) = piece
                && word.len() <= 250
                && position < 65_536
            {
                found.push((position, word.clone()));
            }
        }
        if !found.is_empty() {
            fields.insert(field.clone(), found);
        }
    }
    fields
}

/// Reads the positions from the streams of a file.
fn read_positions(reader: &TextReader) -> Result<BTreeMap<DocId, Positions>, SegmentError> {
    let words: Vec<String> = (0..reader.word_count())
        .map(|ordinal| String::from_utf8(reader.word(ordinal).unwrap()).unwrap())
        .collect();
    let mut documents = BTreeMap::new();
    let mut cursor = reader.tokens();
    for doc_id in reader.doc_ids() {
        let tokens = cursor.seek(doc_id)?.unwrap();
        let mut fields = Positions::new();
        for field in tokens.fields() {
            let mut position = 0;
            let mut found = Vec::new();
            for token in field.iter() {
                match token {
                    GAP => position += 7,
                    SKIP => position += 1,
                    word => {
                        found.push((position, words[(word - FIRST_WORD) as usize].clone()));
                        position += 1;
                    }
                }
            }
            let name = reader.fields()[usize::from(field.field())].clone();
            assert!(fields.insert(name, found).is_none(), "an attribute comes once");
        }
        documents.insert(doc_id, fields);
    }
    Ok(documents)
}

fn memory() -> MemoryDirectory {
    MemoryDirectory::new()
}
