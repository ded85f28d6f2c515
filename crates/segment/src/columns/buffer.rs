//! Buffer for the values of documents before they are written to a columns file. Several buffers
//! can be filled in parallel, by a thread each, and become one file.
//!
//! Every value of a column gets a number on its first use; after that a document's value takes
//! eight bytes. Numbers are keyed by their bits, strings are hashed once.

use std::collections::HashMap;

use hashbrown::HashTable;
use roaring::RoaringBitmap;

use super::format::LONGEST_SPELLING;
use super::spelling::Spelling;
use crate::DocId;
use crate::text::WordTable;

/// Column handle of one buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferColumn(u32);

#[derive(Debug, Default)]
pub struct ColumnsBuffer {
    pub(super) columns: Vec<BufferedColumn>,
    by_name: HashMap<String, u32>,
    doc_id: DocId,
    /// Serial number of the document, counted from 1.
    serial: u32,
    /// Estimate of the bytes held. Counting up is quicker than asking every column.
    memory_used: usize,
}

/// Memory cost of values, including the spare room of growing tables.
const COLUMN_MEMORY: usize = size_of::<BufferedColumn>() + 128;
const STRING_MEMORY: usize = 96;
const NUMBER_MEMORY: usize = 64;
const USE_MEMORY: usize = 12;

#[derive(Debug, Default)]
pub(super) struct BufferedColumn {
    pub name: String,
    pub exists: DocumentRuns,
    pub null: DocumentRuns,
    pub empty: DocumentRuns,
    /// Keys of the numeric values, by value number.
    pub numbers: Vec<u64>,
    by_key: HashTable<(u64, u32)>,
    pub strings: WordTable,
    /// Spelling of each string.
    spellings: Vec<StoredSpelling>,
    spelling_texts: Vec<u8>,
    /// Last document that has a number, and that has a string.
    last_of_number: Vec<u32>,
    last_of_string: Vec<u32>,
    /// The last string and its spelling.
    last_string: Option<u32>,
    last_spelling: String,
    /// Documents with their values, without duplicates.
    pub values: Vec<(DocId, Value)>,
    /// True if the buffer rejected a value because the value did not fit.
    pub is_full: bool,
}

/// A value of one column of one buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value(u32);

impl Value {
    fn number(number: usize) -> Self {
        Self((number as u32) << 1)
    }

    fn string(number: u32) -> Self {
        Self(number << 1 | 1)
    }

    /// Looks up the value in a table of numbers or in one of strings.
    #[inline]
    pub fn look_up<'t>(self, numbers: &'t [u32], strings: &'t [u32]) -> u32 {
        let table = if self.0 & 1 == 0 { numbers } else { strings };
        table[(self.0 >> 1) as usize]
    }
}

/// Location of the spelling of a string.
#[derive(Debug, Clone, Copy)]
enum StoredSpelling {
    Normal,
    At { start: u32, length: u32 },
    Varies,
}

/// Longest spelling that is compared with the next one: long texts do not repeat.
const LONGEST_REMEMBERED: usize = 64;

/// Maximum number of values of a column.
const MOST_VALUES: usize = (u32::MAX >> 1) as usize;

impl ColumnsBuffer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a document. Its DocId must be unique over all buffers.
    pub fn document(&mut self, doc_id: DocId) {
        self.doc_id = doc_id;
        self.serial += 1;
    }

    /// Returns the column with this name.
    pub fn column(&mut self, name: &str) -> BufferColumn {
        if let Some(&column) = self.by_name.get(name) {
            return BufferColumn(column);
        }
        let column = self.columns.len() as u32;
        self.columns.push(BufferedColumn { name: name.to_owned(), ..BufferedColumn::default() });
        self.by_name.insert(name.to_owned(), column);
        self.memory_used += COLUMN_MEMORY + 2 * name.len();
        BufferColumn(column)
    }

    /// Records that the document has the attribute.
    #[inline]
    pub fn exists(&mut self, column: BufferColumn) {
        let runs = &mut self.columns[column.0 as usize].exists;
        self.memory_used += runs.push(self.doc_id);
    }

    /// Records that the attribute is `null`. The caller also calls `exists`.
    pub fn null(&mut self, column: BufferColumn) {
        let runs = &mut self.columns[column.0 as usize].null;
        self.memory_used += runs.push(self.doc_id);
    }

    /// Records that the attribute is empty. The caller also calls `exists`.
    pub fn empty(&mut self, column: BufferColumn) {
        let runs = &mut self.columns[column.0 as usize].empty;
        self.memory_used += runs.push(self.doc_id);
    }

    /// Adds a number to the document. NaN is skipped.
    #[inline]
    pub fn number(&mut self, column: BufferColumn, number: f64) {
        if number.is_nan() {
            return;
        }
        let column = &mut self.columns[column.0 as usize];
        self.memory_used += column.add_number(number_key(number), self.doc_id, self.serial);
    }

    /// Adds a string to the document, given in its normal form and as the document spells it.
    #[inline]
    pub fn string(&mut self, column: BufferColumn, normal: &str, spelling: &str) {
        let column = &mut self.columns[column.0 as usize];
        self.memory_used += column.add_string(normal, spelling, self.doc_id, self.serial);
    }

    /// Adds the last string again if it has this spelling: many consecutive documents have the same
    /// string, which saves normalizing it.
    #[inline]
    pub fn string_again(&mut self, column: BufferColumn, spelling: &str) -> bool {
        let column = &mut self.columns[column.0 as usize];
        let Some(number) = column.last_string.filter(|_| column.last_spelling == spelling) else {
            return false;
        };
        self.memory_used += column.use_string(number, self.doc_id, self.serial);
        true
    }

    /// Returns an estimate of the memory held, in bytes.
    pub fn memory_used(&self) -> usize {
        self.memory_used
    }

    /// Returns whether no document has an attribute yet.
    pub fn is_empty(&self) -> bool {
        self.columns.iter().all(|column| column.exists.0.is_empty() && column.values.is_empty())
    }
}

impl BufferedColumn {
    /// Adds a number; like all such methods, returns the memory that it took.
    #[inline]
    fn add_number(&mut self, key: u64, doc_id: DocId, serial: u32) -> usize {
        let mut memory = 0;
        let hash = number_hash(key);
        let number = match self.by_key.find(hash, |(other, _)| *other == key) {
            Some((_, number)) => *number as usize,
            None => {
                if self.numbers.len() >= MOST_VALUES {
                    self.is_full = true;
                    return 0;
                }
                let number = self.numbers.len();
                let entry = (key, number as u32);
                self.by_key.insert_unique(hash, entry, |(key, _)| number_hash(*key));
                self.numbers.push(key);
                self.last_of_number.push(0);
                memory += NUMBER_MEMORY;
                number
            }
        };
        if std::mem::replace(&mut self.last_of_number[number], serial) != serial {
            self.values.push((doc_id, Value::number(number)));
            memory += USE_MEMORY;
        }
        memory
    }

    #[inline]
    fn add_string(&mut self, normal: &str, spelling: &str, doc_id: DocId, serial: u32) -> usize {
        if !self.strings.has_room(normal.as_bytes()) {
            self.is_full = true;
            return 0;
        }
        let mut memory = 0;
        let (number, is_new) = self.strings.intern(normal.as_bytes());
        if is_new {
            let texts = self.spelling_texts.len();
            let spelled = self.keep_spelling(normal, spelling);
            self.spellings.push(spelled);
            self.last_of_string.push(0);
            memory += STRING_MEMORY + normal.len() + (self.spelling_texts.len() - texts);
        } else {
            let known = &mut self.spellings[number as usize];
            let is_same = match *known {
                StoredSpelling::Normal => normal == spelling,
                StoredSpelling::At { start, length } => {
                    let start = start as usize;
                    self.spelling_texts[start..start + length as usize] == *spelling.as_bytes()
                }
                StoredSpelling::Varies => true,
            };
            if !is_same {
                *known = StoredSpelling::Varies;
            }
        }
        self.last_string = (spelling.len() <= LONGEST_REMEMBERED).then_some(number);
        if self.last_string.is_some() {
            spelling.clone_into(&mut self.last_spelling);
        }
        memory + self.use_string(number, doc_id, serial)
    }

    #[inline]
    fn use_string(&mut self, number: u32, doc_id: DocId, serial: u32) -> usize {
        if std::mem::replace(&mut self.last_of_string[number as usize], serial) == serial {
            return 0;
        }
        self.values.push((doc_id, Value::string(number)));
        USE_MEMORY
    }

    fn keep_spelling(&mut self, normal: &str, spelling: &str) -> StoredSpelling {
        if normal == spelling {
            return StoredSpelling::Normal;
        }
        let start = u32::try_from(self.spelling_texts.len()).ok();
        match start.filter(|_| spelling.len() <= LONGEST_SPELLING) {
            None => StoredSpelling::Varies,
            Some(start) => {
                self.spelling_texts.extend_from_slice(spelling.as_bytes());
                StoredSpelling::At { start, length: spelling.len() as u32 }
            }
        }
    }

    /// Returns how the documents of the buffer spell a string.
    pub fn spelling(&self, string: u32) -> Spelling<&[u8]> {
        match self.spellings[string as usize] {
            StoredSpelling::Normal => Spelling::Normal,
            StoredSpelling::Varies => Spelling::Varies,
            StoredSpelling::At { start, length } => {
                Spelling::Is(&self.spelling_texts[start as usize..][..length as usize])
            }
        }
    }

    /// Drops the lookup tables.
    pub fn close(&mut self) {
        self.by_key = HashTable::new();
        self.strings.close();
        self.last_of_number = Vec::new();
        self.last_of_string = Vec::new();
        self.last_string = None;
    }
}

/// Documents in the order they come, which is mostly consecutive.
#[derive(Debug, Default)]
pub(super) struct DocumentRuns(Vec<(DocId, DocId)>);

impl DocumentRuns {
    #[inline]
    fn push(&mut self, doc_id: DocId) -> usize {
        match self.0.last_mut() {
            Some((_, last)) if *last == doc_id => 0,
            Some((_, last)) if last.checked_add(1) == Some(doc_id) => {
                *last = doc_id;
                0
            }
            _ => {
                self.0.push((doc_id, doc_id));
                USE_MEMORY
            }
        }
    }

    pub fn add_to(&self, set: &mut RoaringBitmap) {
        for &(first, last) in &self.0 {
            set.insert_range(first..=last);
        }
    }
}

/// Maps numbers to keys with the same order; both zeros have the same key.
pub(super) fn number_key(number: f64) -> u64 {
    // Adding zero turns -0.0 into 0.0.
    let bits = (number + 0.0).to_bits();
    bits ^ if bits >> 63 == 1 { u64::MAX } else { 1 << 63 }
}

pub(super) fn number_of_key(key: u64) -> f64 {
    f64::from_bits(key ^ if key >> 63 == 0 { u64::MAX } else { 1 << 63 })
}

/// Whole numbers differ in their upper bits only, so these must reach the lower ones.
#[inline]
fn number_hash(key: u64) -> u64 {
    let product = u128::from(key ^ 0xd6e8_feb8_6659_fd93) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_as_numbers_do() {
        let numbers = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.5,
            -f64::MIN_POSITIVE,
            0.0,
            f64::MIN_POSITIVE,
            1.0,
            1.5,
            1e300,
            f64::INFINITY,
        ];
        assert!(numbers.map(number_key).is_sorted());
        assert_eq!(numbers.map(|number| number_of_key(number_key(number))), numbers);
        assert_eq!(number_key(-0.0), number_key(0.0));
        assert!(number_of_key(number_key(-0.0)).is_sign_positive());
    }

    #[test]
    fn a_string_that_comes_again_is_known_by_its_spelling() {
        let mut buffer = ColumnsBuffer::new();
        let (a, b) = (buffer.column("a"), buffer.column("b"));
        let mut count = |doc_id, column, spelling: &str| {
            buffer.document(doc_id);
            let again = buffer.string_again(column, spelling);
            if !again {
                buffer.string(column, &spelling.to_lowercase(), spelling);
            }
            (again, buffer.columns[column.0 as usize].values.len())
        };
        assert_eq!(count(0, a, "Red"), (false, 1));
        assert_eq!(count(1, a, "Red"), (true, 2));
        assert_eq!(count(1, b, "Red"), (false, 1));
        assert_eq!(count(2, a, "red"), (false, 3));
        assert_eq!(count(3, a, "Red"), (false, 4));
        assert_eq!(count(4, a, &"x".repeat(100)), (false, 5));
        assert_eq!(count(5, a, &"x".repeat(100)), (false, 6));
        // In one document it counts once.
        buffer.document(6);
        buffer.string(a, "blue", "blue");
        assert!(buffer.string_again(a, "blue"));
        assert_eq!(buffer.columns[0].values.len(), 7);
        assert!(matches!(buffer.columns[0].spelling(0), Spelling::Varies));
    }

    #[test]
    fn a_buffer_says_how_much_memory_it_holds() {
        let mut buffer = ColumnsBuffer::new();
        assert!(buffer.is_empty());
        let column = buffer.column("a");
        assert!(buffer.is_empty());
        for doc_id in 0..10_000 {
            buffer.document(doc_id);
            buffer.exists(column);
            buffer.number(column, f64::from(doc_id));
        }
        assert!(!buffer.is_empty());
        assert!((10_000 * 40..10_000 * 100).contains(&buffer.memory_used()));
        for doc_id in 10_000..20_000 {
            buffer.document(doc_id);
            buffer.exists(column);
            buffer.number(column, 5.0);
        }
        assert!(buffer.memory_used() < 10_000 * 110);
    }
}
