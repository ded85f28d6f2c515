//! Inputs of an embedder: one text of a document, or one value for each of its fragments.

use std::borrow::Cow;

use serde_json::Value;

/// The input of a search.
#[derive(Debug, Clone, Copy)]
pub struct QueryInput<'q> {
    pub q: Option<&'q str>,
    pub media: Option<&'q Value>,
}

/// One thing to embed.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Text(String),
    Fragment { name: String, value: Value },
}

impl Input {
    /// Returns the JSON used in requests.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.clone()),
            Self::Fragment { value, .. } => value.clone(),
        }
    }

    /// Returns the approximate size in a request.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Fragment { value, .. } => bytes_of(value),
        }
    }

    /// Returns the name of the fragment, if it is one.
    pub fn fragment(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Fragment { name, .. } => Some(name),
        }
    }

    /// Returns the text, for messages and local models. Within one embedder, inputs of equal text
    /// have equal vectors.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Fragment { value, .. } => value.to_string().into(),
        }
    }
}

/// All inputs of a document. Documents with equal inputs have equal vectors.
pub type Inputs = Vec<Input>;

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of).sum(),
        Value::Object(members) => members.iter().map(|(k, v)| k.len() + bytes_of(v)).sum(),
        _ => 8,
    }
}
