//! The variables that a template sees.

use std::collections::BTreeMap;

use liquid_core::model::KString;
use serde_json::{Map, Value};

use crate::language::OrderedValue;

/// The variables of one rendering.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    pub(crate) values: BTreeMap<KString, OrderedValue>,
}

impl Variables {
    /// Returns the variable `doc`, for indexing fragments.
    pub fn of_document(document: &Map<String, Value>) -> Self {
        let mut variables = Self::default();
        variables.set("doc", object(document));
        variables
    }

    /// Returns the variables `q` and `media`, for search fragments. Parts that the query lacks are
    /// undefined, so a fragment that needs them does not render.
    pub fn of_query(q: Option<&str>, media: Option<&Value>) -> Self {
        let mut variables = Self::default();
        if let Some(q) = q {
            variables.set("q", OrderedValue::scalar(q.to_owned()));
        }
        if let Some(media) = media {
            variables.set("media", value(media));
        }
        variables
    }

    pub(crate) fn set(&mut self, name: &'static str, value: OrderedValue) {
        self.values.insert(KString::from_static(name), value);
    }
}

pub(crate) fn value(json: &Value) -> OrderedValue {
    match json {
        Value::Null => OrderedValue::Nil,
        Value::Bool(bool) => OrderedValue::scalar(*bool),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => OrderedValue::scalar(number),
            // Liquid has no integers this large; text keeps all digits.
            (None, Some(large)) => OrderedValue::scalar(large.to_string()),
            (None, None) => OrderedValue::scalar(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => OrderedValue::scalar(text.clone()),
        Value::Array(items) => OrderedValue::Array(items.iter().map(value).collect()),
        Value::Object(members) => object(members),
    }
}

pub(crate) fn object(members: &Map<String, Value>) -> OrderedValue {
    let members = members.iter().map(|(name, member)| (KString::from_ref(name), value(member)));
    OrderedValue::Object(members.collect())
}
