//! Attributes that an indexing thread has met: whether they are searched, in which languages,
//! whether their values are stored, and their numbers in the buffers.
//!
//! Documents of an index mostly have the same members in the same order. So each attribute
//! remembers its last successor, and a lookup is one comparison.

use std::collections::HashMap;

use segment::columns::BufferColumn;
use segment::text::BufferField;
use text::Language;

use super::build::{Buffers, IndexTargets, Indexing};
use super::text_rules::Coverage;

#[derive(Debug)]
pub(crate) struct AttributeTable<'s> {
    indexing: Indexing<'s>,
    targets: IndexTargets<'s>,
    known: Vec<Attribute<'s>>,
    by_name: HashMap<String, u32>,
    /// The last attribute looked up.
    last: u32,
}

#[derive(Debug)]
pub(crate) struct Attribute<'s> {
    name: String,
    /// True if its value, or anything inside it, is indexed.
    pub is_wanted: bool,
    pub field: Option<BufferField>,
    pub languages: &'s [Language],
    pub column: Option<BufferColumn>,
    /// The attribute that followed it last time.
    next: u32,
}

/// Placeholder for the beginning of a document.
const BEGINNING: u32 = 0;

impl<'s> AttributeTable<'s> {
    pub fn new(indexing: Indexing<'s>, targets: IndexTargets<'s>) -> Self {
        let beginning = Attribute {
            name: String::new(),
            is_wanted: false,
            field: None,
            languages: &[],
            column: None,
            next: BEGINNING,
        };
        Self { indexing, targets, known: vec![beginning], by_name: HashMap::new(), last: BEGINNING }
    }

    pub fn begin_document(&mut self) {
        self.last = BEGINNING;
    }

    /// Finds an attribute by its flattened name, at once if it follows the one found before.
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
            self.targets.text.map_or(Coverage::Nothing, |attributes| attributes.coverage(name));
        let (column, has_columns_inside) = match &self.targets.columns {
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
