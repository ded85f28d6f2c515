//! Indexes one document after the other. One pass over the JSON serves both words and values.

use json::{Visitor, Walk};
use segment::DocId;
use serde_json::Value;
use text::{Scratch, Tokenizer, WordEvent};

use super::attribute_table::AttributeTable;
use super::build::{Buffers, IndexTargets, Indexing};
use super::geo::locations;
use crate::error::Result;

/// Fills buffers from documents.
#[derive(Debug)]
pub(crate) struct Indexer<'s> {
    walk: Walk,
    targets: IndexTargets<'s>,
    primary_key: Option<&'s str>,
    leaves: Leaves<'s>,
}

/// Receiver of the leaves of documents.
#[derive(Debug)]
struct Leaves<'s> {
    tokenizer: &'s Tokenizer,
    scratch: Scratch,
    value_form: String,
    attributes: AttributeTable<'s>,
    buffers: Buffers,
}

impl<'s> Indexer<'s> {
    pub fn new(indexing: Indexing<'s>, targets: IndexTargets<'s>) -> Self {
        let leaves = Leaves {
            tokenizer: indexing.tokenizer,
            scratch: Scratch::default(),
            value_form: String::new(),
            attributes: AttributeTable::new(indexing, targets),
            buffers: Buffers::default(),
        };
        Self { walk: Walk::default(), targets, primary_key: indexing.primary_key, leaves }
    }

    pub fn add(&mut self, doc_id: DocId, json: &str) -> Result<()> {
        if !self.targets.geo.index_nothing() {
            self.add_locations(doc_id, json)?;
        }
        let buffers = &mut self.leaves.buffers;
        if self.targets.text.is_some() {
            buffers.text.document(doc_id);
        }
        if self.targets.columns.is_some() {
            buffers.columns.document(doc_id);
        }
        if self.targets.text.is_some() || self.targets.columns.is_some() {
            self.leaves.attributes.begin_document();
            self.walk.document(json, &mut self.leaves);
        }
        Ok(())
    }

    fn add_locations(&mut self, doc_id: DocId, json: &str) -> Result<()> {
        let found = locations(json, self.targets.geo)
            .map_err(|error| error.in_document(&external_id(json, self.primary_key)))?;
        let buffer = &mut self.leaves.buffers.geo;
        if let Some(point) = found.point {
            buffer.point(doc_id, point);
        }
        if let Some(shape) = found.shape {
            buffer.shape(doc_id, &shape);
        }
        Ok(())
    }

    pub fn memory_used(&self) -> usize {
        self.leaves.buffers.memory_used()
    }

    pub fn into_buffers(self) -> Buffers {
        self.leaves.buffers
    }
}

/// Returns the external id of a document, for error messages.
fn external_id(json: &str, primary_key: Option<&str>) -> String {
    let document: Value = serde_json::from_str(json).unwrap_or_default();
    match primary_key.and_then(|name| document.get(name)) {
        Some(Value::String(id)) => id.clone(),
        Some(id) => id.to_string(),
        None => String::new(),
    }
}

impl Visitor for Leaves<'_> {
    type Member = u32;

    #[inline]
    fn member(&mut self, name: &str) -> Option<u32> {
        let number = self.attributes.find(name, &mut self.buffers);
        let attribute = self.attributes.get(number);
        if let Some(column) = attribute.column {
            self.buffers.columns.exists(column);
        }
        attribute.is_wanted.then_some(number)
    }

    fn text(&mut self, member: u32, text: &str) {
        let attribute = self.attributes.get(member);
        if let Some(column) = attribute.column
            && !text.is_empty()
        {
            let columns = &mut self.buffers.columns;
            if !columns.string_again(column, text) {
                text::value_form(text, &mut self.value_form);
                columns.string(column, &self.value_form, text);
            }
        }
        if let Some(field) = attribute.field {
            let buffer = &mut self.buffers.text;
            buffer.leaf(field);
            let Self { tokenizer, scratch, .. } = self;
            tokenizer.for_each_word(text, attribute.languages, scratch, |event| match event {
                WordEvent::Word(word) => buffer.word(word),
                WordEvent::Skip => buffer.skip(),
                WordEvent::Gap => buffer.gap(),
            });
        }
    }

    fn number_or_bool(&mut self, member: u32, json: &str) {
        let attribute = self.attributes.get(member);
        if let Some(column) = attribute.column {
            let columns = &mut self.buffers.columns;
            match json {
                "true" | "false" => columns.string(column, json, json),
                number => {
                    // Numbers out of range have no value.
                    if let Ok(number) = number.parse::<f64>()
                        && number.is_finite()
                    {
                        columns.number(column, number);
                    }
                }
            }
        }
        if let Some(field) = attribute.field {
            let buffer = &mut self.buffers.text;
            buffer.leaf(field);
            let Self { tokenizer, scratch, .. } = self;
            // Languages only matter for strings.
            tokenizer.for_each_word(json, &[], scratch, |event| match event {
                WordEvent::Word(word) => buffer.word(word),
                WordEvent::Skip => buffer.skip(),
                WordEvent::Gap => buffer.gap(),
            });
        }
    }

    fn null(&mut self, member: u32) {
        if let Some(column) = self.attributes.get(member).column {
            self.buffers.columns.null(column);
        }
    }

    fn empty(&mut self, member: u32) {
        if let Some(column) = self.attributes.get(member).column {
            self.buffers.columns.empty(column);
        }
    }
}
