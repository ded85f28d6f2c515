//! What is known about the attributes that a thread meets while it indexes: whether they are
//! searched, in which languages, whether their values are kept, and their numbers in the buffers.
//!
//! Documents of an index mostly have the same members in the same order. So each attribute
//! remembers which one followed it the last time, and looking it up is one comparison.

use std::collections::HashMap;

use segment::columns::BufferColumn;
use segment::text::BufferField;
use text::Language;

use super::build::{Buffers, Indexing, Wanted};
use super::text_rules::Coverage;

#[derive(Debug)]
pub(crate) struct Attributes<'s> {
    indexing: Indexing<'s>,
    wanted: Wanted<'s>,
    known: Vec<Attribute<'s>>,
    by_name: HashMap<String, u32>,
    /// The one met last.
    last: u32,
}

#[derive(Debug)]
pub(crate) struct Attribute<'s> {
    name: String,
    /// Whether anything is wanted of its value, or of something inside it.
    pub is_wanted: bool,
    pub field: Option<BufferField>,
    pub languages: &'s [Language],
    pub column: Option<BufferColumn>,
    /// What came after it the last time.
    next: u32,
}

/// Stands for the beginning of a document.
const BEGINNING: u32 = 0;

impl<'s> Attributes<'s> {
    pub fn new(indexing: Indexing<'s>, wanted: Wanted<'s>) -> Self {
        let beginning = Attribute {
            name: String::new(),
            is_wanted: false,
            field: None,
            languages: &[],
            column: None,
            next: BEGINNING,
        };
        Self { indexing, wanted, known: vec![beginning], by_name: HashMap::new(), last: BEGINNING }
    }

    pub fn begin_document(&mut self) {
        self.last = BEGINNING;
    }

    /// The attribute with a flattened name, which comes after the one asked for before.
    #[inline]
    pub fn find(&mut self, name: &str, buffers: &mut Buffers) -> u32 {
        let expected = self.known[self.last as usize].next;
        if expected != BEGINNING && self.known[expected as usize].name == name {
            self.last = expected;
            return expected;
        }
        let found = match self.by_name.get(name) {
            Some(&found) => found,
            None => self.add(name, buffers),
        };
        self.known[self.last as usize].next = found;
        self.last = found;
        found
    }

    #[inline]
    pub fn get(&self, attribute: u32) -> &Attribute<'s> {
        &self.known[attribute as usize]
    }

    #[cold]
    fn add(&mut self, name: &str, buffers: &mut Buffers) -> u32 {
        let coverage =
            self.wanted.text.map_or(Coverage::Nothing, |attributes| attributes.coverage(name));
        let (column, has_columns_inside) = match &self.wanted.columns {
            Some(columns) => (columns.want(name), columns.want_inside(name)),
            None => (false, false),
        };
        let number = self.known.len() as u32;
        self.known.push(Attribute {
            name: name.to_owned(),
            is_wanted: coverage != Coverage::Nothing || column || has_columns_inside,
            field: if coverage == Coverage::All { buffers.text.field(name) } else { None },
            languages: self.indexing.settings.languages_of(name),
            column: column.then(|| buffers.columns.column(name)),
            next: BEGINNING,
        });
        self.by_name.insert(name.to_owned(), number);
        number
    }
}
