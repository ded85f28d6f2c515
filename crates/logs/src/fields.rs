//! The fields of a span or an event as JSON.

use std::fmt;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};

#[derive(Debug, Default)]
pub(crate) struct Fields(pub Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    /// Takes a field out, as text.
    pub fn take(&mut self, name: &str) -> Option<String> {
        match self.0.shift_remove(name)? {
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }
}
