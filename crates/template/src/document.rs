//! Renders the text of a document: a template over its fields.

use std::num::NonZeroUsize;

use liquid_core::model::KString;
use serde_json::{Map, Value};

use crate::error::{RenderError, TemplateError};
use crate::language::{OrderedObject, OrderedValue};
use crate::liquid::Template;
use crate::variables::{self, Variables};

/// Vectors are never part of the text they are made from.
const VECTORS: &str = "_vectors";

/// The fields that the index of a document knows.
pub trait Fields {
    /// Returns the names in the order in which templates see them. Other fields of the document
    /// follow.
    fn known(&self) -> &[String];

    fn is_searchable(&self, name: &str) -> bool;
}

/// The fields of a document outside any index, all of them searchable.
#[derive(Debug, Clone, Copy)]
pub struct OwnFields;

impl Fields for OwnFields {
    fn known(&self) -> &[String] {
        &[]
    }

    fn is_searchable(&self, _name: &str) -> bool {
        true
    }
}

#[derive(Debug)]
pub struct DocumentTemplate {
    template: Template,
    /// Building variables is most of the work, so only those that may be used are built.
    uses_doc: bool,
    uses_fields: bool,
}

impl DocumentTemplate {
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let template = Template::parse(text)?;
        Ok(Self { template, uses_doc: text.contains("doc"), uses_fields: text.contains("fields") })
    }

    /// Renders the text, truncated at a character boundary to `max_bytes`.
    pub fn render(
        &self,
        document: &Map<String, Value>,
        fields: &dyn Fields,
        max_bytes: Option<NonZeroUsize>,
    ) -> Result<String, RenderError> {
        let mut variables = Variables::default();
        let nothing = || OrderedValue::Object(OrderedObject::default());
        let doc = if self.uses_doc { variables::object(document) } else { nothing() };
        variables.set("doc", doc);
        let list = if self.uses_fields { fields_of(document, fields) } else { Vec::new() };
        variables.set("fields", OrderedValue::Array(list));

        let mut text = self.template.render(&variables)?;
        if let Some(max_bytes) = max_bytes {
            text.truncate(text.floor_char_boundary(max_bytes.get()));
        }
        Ok(text)
    }
}

/// Returns `{name, value, is_searchable}` of each field; the value is nil if the document lacks it.
fn fields_of(document: &Map<String, Value>, fields: &dyn Fields) -> Vec<OrderedValue> {
    let known = fields.known();
    let seen: std::collections::HashSet<&str> = known.iter().map(String::as_str).collect();
    let others = document.keys().filter(|name| !seen.contains(name.as_str()));
    let names = known.iter().chain(others).filter(|name| *name != VECTORS);
    names
        .map(|name| {
            let value = document.get(name).map_or(OrderedValue::Nil, variables::value);
            OrderedValue::Object(OrderedObject::from_iter([
                (KString::from_static("name"), OrderedValue::scalar(name.clone())),
                (KString::from_static("value"), value),
                (
                    KString::from_static("is_searchable"),
                    OrderedValue::scalar(fields.is_searchable(name)),
                ),
            ]))
        })
        .collect()
}
