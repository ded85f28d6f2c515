//! What is known about the attributes that a thread meets while it indexes: whether they are
//! searched, in which languages, and their number in the buffer.
//!
//! Documents of an index mostly have the same members in the same order. So each attribute
//! remembers which one followed it the last time, and looking it up is one comparison.

use std::collections::HashMap;

use segment::text::{BufferField, TextBuffer};
use settings::Settings;
use text::Language;

use super::rules::{Coverage, TextRules};

#[derive(Debug)]
pub(crate) struct Attributes<'s> {
    settings: &'s Settings,
    rules: &'s TextRules,
    known: Vec<Attribute<'s>>,
    by_name: HashMap<String, u32>,
    /// The one met last.
    last: u32,
}

#[derive(Debug)]
pub(crate) struct Attribute<'s> {
    name: String,
    pub coverage: Coverage,
    pub field: Option<BufferField>,
    pub languages: &'s [Language],
    /// What came after it the last time.
    next: u32,
}

/// Stands for the beginning of a document.
const BEGINNING: u32 = 0;

impl<'s> Attributes<'s> {
    pub fn new(settings: &'s Settings, rules: &'s TextRules) -> Self {
        let beginning = Attribute {
            name: String::new(),
            coverage: Coverage::Nothing,
            field: None,
            languages: &[],
            next: BEGINNING,
        };
        Self { settings, rules, known: vec![beginning], by_name: HashMap::new(), last: BEGINNING }
    }

    pub fn begin_document(&mut self) {
        self.last = BEGINNING;
    }

    /// The attribute with a flattened name, which comes after the one asked for before.
    #[inline]
    pub fn find(&mut self, name: &str, buffer: &mut TextBuffer) -> u32 {
        let expected = self.known[self.last as usize].next;
        if expected != BEGINNING && self.known[expected as usize].name == name {
            self.last = expected;
            return expected;
        }
        let found = match self.by_name.get(name) {
            Some(&found) => found,
            None => self.add(name, buffer),
        };
        self.known[self.last as usize].next = found;
        self.last = found;
        found
    }

    pub fn get(&self, attribute: u32) -> &Attribute<'s> {
        &self.known[attribute as usize]
    }

    #[cold]
    fn add(&mut self, name: &str, buffer: &mut TextBuffer) -> u32 {
        let coverage = self.rules.coverage(name);
        let field = match coverage {
            Coverage::All => buffer.field(name),
            Coverage::Inside | Coverage::Nothing => None,
        };
        let number = self.known.len() as u32;
        self.known.push(Attribute {
            name: name.to_owned(),
            coverage,
            field,
            languages: self.settings.languages_of(name),
            next: BEGINNING,
        });
        self.by_name.insert(name.to_owned(), number);
        number
    }
}
