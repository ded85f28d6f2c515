//! Tests of the columns component, by theme, and their model, which keeps the values of documents
//! in plain maps.

mod basics;
mod damage;
mod faults;
mod layouts;
mod merging;
mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use roaring::RoaringBitmap;

use super::*;
use crate::DocId;
use crate::directory::{Directory, MemoryDirectory};

/// A value that a document has in an attribute.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    Exists,
    Null,
    Empty,
    Number(f64),
    /// As spelled; the normal form is lower case, without surrounding spaces.
    Text(String),
}

/// Expected contents of a columns file.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    documents: BTreeMap<DocId, Vec<(String, Item)>>,
}

/// Has the order of ordinals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ModelValue {
    /// Its key.
    Number(u64),
    Text(String),
}

/// Expected contents of a column.
#[derive(Debug, Clone, Default, PartialEq)]
struct ModelColumn {
    exists: RoaringBitmap,
    null: RoaringBitmap,
    empty: RoaringBitmap,
    values: BTreeMap<ModelValue, RoaringBitmap>,
    spellings: BTreeMap<String, BTreeSet<String>>,
}

fn normal(spelling: &str) -> String {
    spelling.trim().to_lowercase()
}

fn fold(normal: &str, out: &mut String) {
    out.extend(normal.chars().map(|letter| match letter {
        'é' | 'è' => 'e',
        'ü' => 'u',
        other => other,
    }));
}

fn text(spelling: &str) -> Item {
    Item::Text(spelling.to_owned())
}

impl Model {
    fn add(&mut self, doc_id: DocId, items: impl IntoIterator<Item = (&'static str, Item)>) {
        let items = items.into_iter().map(|(name, item)| (name.to_owned(), item)).collect();
        self.documents.insert(doc_id, items);
    }

    fn doc_ids(&self) -> RoaringBitmap {
        self.documents.keys().copied().collect()
    }

    fn buffer(&self) -> ColumnsBuffer {
        let mut buffer = ColumnsBuffer::new();
        self.documents.iter().for_each(|(&doc_id, items)| add_to(&mut buffer, doc_id, items));
        buffer
    }

    fn write(&self, directory: &dyn Directory, name: &str) -> ColumnsReader {
        let length = finish(vec![self.buffer()], &fold, directory, name).unwrap();
        let reader = ColumnsReader::open(directory, name).unwrap();
        assert_eq!(reader.file_bytes(), length);
        reader
    }

    fn columns(&self) -> BTreeMap<String, ModelColumn> {
        let mut columns: BTreeMap<String, ModelColumn> = BTreeMap::new();
        for (&doc_id, items) in &self.documents {
            for (name, item) in items {
                let column = columns.entry(name.clone()).or_default();
                column.exists.insert(doc_id);
                let value = match item {
                    Item::Exists => continue,
                    Item::Null => {
                        column.null.insert(doc_id);
                        continue;
                    }
                    Item::Empty => {
                        column.empty.insert(doc_id);
                        continue;
                    }
                    Item::Number(number) => ModelValue::Number(buffer::number_key(*number)),
                    Item::Text(spelling) => {
                        let normal = normal(spelling);
                        let spellings = column.spellings.entry(normal.clone()).or_default();
                        spellings.insert(spelling.clone());
                        ModelValue::Text(normal)
                    }
                };
                column.values.entry(value).or_default().insert(doc_id);
            }
        }
        columns
    }

    /// Compares everything that a reader can return.
    fn check(&self, reader: &ColumnsReader) {
        assert_eq!(reader.verify(), []);
        let columns = self.columns();
        assert!(reader.names().eq(columns.keys()));
        for (name, expected) in &columns {
            expected.check(reader.column(name).unwrap().unwrap());
        }
        assert!(reader.column("not there").unwrap().is_none());
        assert!(reader.column("").unwrap().is_none());
    }
}

fn add_to(buffer: &mut ColumnsBuffer, doc_id: DocId, items: &[(String, Item)]) {
    buffer.document(doc_id);
    for (name, item) in items {
        let column = buffer.column(name);
        buffer.exists(column);
        match item {
            Item::Exists => {}
            Item::Null => buffer.null(column),
            Item::Empty => buffer.empty(column),
            Item::Number(number) => buffer.number(column, *number),
            Item::Text(spelling) => buffer.string(column, &normal(spelling), spelling),
        }
    }
}

impl ModelColumn {
    fn check(&self, column: &Column) {
        assert_eq!(*column.exists(), self.exists);
        assert_eq!(*column.null(), self.null);
        assert_eq!(*column.empty(), self.empty);
        let numbers: Vec<f64> = self
            .values
            .keys()
            .filter_map(|value| match value {
                ModelValue::Number(key) => Some(buffer::number_of_key(*key)),
                ModelValue::Text(_) => None,
            })
            .collect();
        assert_eq!(column.number_count() as usize, numbers.len());
        assert_eq!(column.value_count() as usize, self.values.len());
        for (ordinal, &number) in (0..).zip(&numbers) {
            assert_eq!(column.number(ordinal).unwrap().to_bits(), number.to_bits());
            assert_eq!(column.spelling(ordinal).unwrap(), Spelling::Normal);
        }
        self.check_numbers(column, &numbers);
        self.check_strings(column);
        self.check_documents(column);
        self.check_values(column);
        let past = self.values.len() as u32;
        assert!(column.number(past).is_err() && column.string(past).is_err());
        assert!(column.documents_of(past).is_err() && column.document_count(past).is_err());
    }

    fn check_numbers(&self, column: &Column, numbers: &[f64]) {
        let mut points = numbers.to_vec();
        points.extend([-1e9, -0.0, 0.5, 1e9]);
        for &from in points.iter().step_by(points.len() / 10 + 1) {
            for &to in points.iter().step_by(points.len() / 7 + 1) {
                for bounds in [
                    (Bound::Included(from), Bound::Included(to)),
                    (Bound::Excluded(from), Bound::Excluded(to)),
                    (Bound::Unbounded, Bound::Included(to)),
                    (Bound::Excluded(from), Bound::Unbounded),
                ] {
                    let range = column.numbers_between(bounds.0, bounds.1).unwrap();
                    check_edges(&range, 0, numbers, |number| {
                        std::ops::RangeBounds::contains(&bounds, number)
                    });
                }
            }
        }
    }

    fn check_strings(&self, column: &Column) {
        let numbers = column.number_count();
        let strings: Vec<&String> = self.spellings.keys().collect();
        let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (ordinal, &string) in (numbers..).zip(&strings) {
            assert_eq!(column.string(ordinal).unwrap(), *string);
            assert_eq!(column.string_ordinal(string.as_bytes()).unwrap(), Some(ordinal));
            let mut folded = String::new();
            fold(string, &mut folded);
            if folded != *string {
                groups.entry(folded).or_default().push(ordinal);
            }
        }
        assert_eq!(column.string_ordinal(b"not there").unwrap(), None);
        assert_eq!(column.dictionary().map_or(0, fst::raw::Fst::len), strings.len());
        let mut found = BTreeMap::new();
        if let Some(folded) = column.folded() {
            for group in 0..folded.dictionary().len() as u64 {
                let form = folded.dictionary().get_key(group).unwrap();
                let ordinals = folded.ordinals(group).unwrap();
                found.insert(String::from_utf8(form).unwrap(), ordinals);
            }
            assert!(folded.ordinals(found.len() as u64).is_err());
        }
        assert_eq!(found, groups);

        let mut points: Vec<&str> = strings.iter().map(|string| string.as_str()).collect();
        points.extend(["", "a", "b\0", "zz", "é"]);
        for &from in points.iter().step_by(points.len() / 12 + 1) {
            let starting = column.strings_starting_with(from.as_bytes()).unwrap();
            check_edges(&starting, numbers, &strings, |string| string.starts_with(from));
            for &to in points.iter().step_by(points.len() / 9 + 1) {
                for bounds in [
                    (Bound::Included(from), Bound::Excluded(to)),
                    (Bound::Excluded(from), Bound::Included(to)),
                    (Bound::Unbounded, Bound::Unbounded),
                ] {
                    let (start, end) = (bounds.0.map(str::as_bytes), bounds.1.map(str::as_bytes));
                    let range = column.strings_between(start, end).unwrap();
                    check_edges(&range, numbers, &strings, |string| {
                        std::ops::RangeBounds::<str>::contains(&bounds, string.as_str())
                    });
                }
            }
        }
    }

    fn check_spellings(&self, column: &Column) {
        for (ordinal, (normal, spellings)) in (column.number_count()..).zip(&self.spellings) {
            let only = spellings.first().filter(|_| spellings.len() == 1).unwrap();
            let expected = match only {
                only if only == normal => Spelling::Normal,
                only if only.len() > 468 => Spelling::Varies,
                only => Spelling::Is(only.clone()),
            };
            assert_eq!(column.spelling(ordinal).unwrap(), expected, "{normal}");
        }
    }

    fn check_documents(&self, column: &Column) {
        let lists: Vec<&RoaringBitmap> = self.values.values().collect();
        for (ordinal, &documents) in (0..).zip(&lists) {
            assert_eq!(u64::from(column.document_count(ordinal).unwrap()), documents.len());
            assert_eq!(column.documents_of(ordinal).unwrap(), *documents);
        }
        let count = lists.len();
        for start in (0..=count).step_by(count / 6 + 1) {
            for end in (start..=count).rev().step_by(count / 5 + 1) {
                let expected: RoaringBitmap = union(&lists[start..end]);
                let found = column.documents_of_range(start as u32..end as u32).unwrap();
                assert_eq!(found, expected, "{start}..{end}");
            }
        }
        for step in [1, 2, 3, 10] {
            let some: Vec<u32> = (0..count as u32).rev().step_by(step).collect();
            let expected: Vec<&RoaringBitmap> =
                some.iter().map(|&ordinal| lists[ordinal as usize]).collect();
            assert_eq!(column.documents_of_many(&some).unwrap(), union(&expected));
        }
        assert_eq!(*column.valued(), union(&lists));
    }

    fn check_values(&self, column: &Column) {
        let mut by_document: BTreeMap<DocId, Vec<u32>> = BTreeMap::new();
        for (ordinal, documents) in (0..).zip(self.values.values()) {
            for doc_id in documents {
                by_document.entry(doc_id).or_default().push(ordinal);
            }
        }
        assert_eq!(column.is_multi(), by_document.values().any(|values| values.len() > 1));
        let mut cursor = column.values();
        let neighbours =
            by_document.keys().flat_map(|&it| [it, it.saturating_add(1)]).chain([0, DocId::MAX]);
        for doc_id in neighbours.collect::<BTreeSet<DocId>>() {
            let values = cursor.seek(doc_id).unwrap();
            let expected = by_document.get(&doc_id).cloned().unwrap_or_default();
            assert_eq!(values.len(), expected.len());
            assert_eq!(values.clone().rev().max(), expected.last().copied());
            assert_eq!(values.collect::<Vec<u32>>(), expected, "{doc_id}");
        }
        for doc_id in by_document.keys().rev().step_by(3) {
            assert_eq!(cursor.seek(*doc_id).unwrap().collect::<Vec<u32>>(), by_document[doc_id]);
        }

        let first = by_document.first_key_value().map_or(0, |(&doc_id, _)| doc_id);
        let last = by_document.last_key_value().map_or(0, |(&doc_id, _)| doc_id);
        let all = || first.saturating_sub(10)..last.saturating_add(10);
        let mut everything: RoaringBitmap = all().collect();
        everything.insert(last);
        let few_gaps = all().filter(|doc_id| doc_id % 17 > 0).collect();
        let many_gaps = all().step_by(3).collect();
        let apart = (last..=last.saturating_add(10)).skip(1).collect();
        for universe in [everything, few_gaps, many_gaps, apart, RoaringBitmap::new()] {
            let mut counts = vec![7; self.values.len()];
            column.count_values(&universe, &mut counts).unwrap();
            for (count, documents) in counts.iter().zip(self.values.values()) {
                assert_eq!(u64::from(count - 7), documents.intersection_len(&universe));
            }
        }
        assert!(column.count_values(&self.exists, &mut vec![0; self.values.len() + 1]).is_err());
    }
}

/// Checks the bounds of a range of consecutive matches, of which `first` is the first.
fn check_edges<T: std::fmt::Debug>(
    range: &std::ops::Range<u32>,
    first: u32,
    items: &[T],
    fits: impl Fn(&T) -> bool,
) {
    let item = |ordinal: u32| ordinal.checked_sub(first).and_then(|it| items.get(it as usize));
    if range.is_empty() {
        assert!(!items.iter().any(fits), "{range:?}");
        return;
    }
    for ordinal in [range.start, range.end - 1] {
        assert!(item(ordinal).is_some_and(&fits), "{ordinal} of {range:?}");
    }
    for outside in [range.start.checked_sub(1), Some(range.end)].into_iter().flatten() {
        assert!(!item(outside).is_some_and(&fits), "{outside} beside {range:?}");
    }
}

fn union(sets: &[&RoaringBitmap]) -> RoaringBitmap {
    let mut doc_ids: Vec<DocId> = sets.iter().flat_map(|set| set.iter()).collect();
    crate::encoding::union::set_of(&mut doc_ids)
}

fn memory() -> MemoryDirectory {
    MemoryDirectory::new()
}
