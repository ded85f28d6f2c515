//! What of a document is embedded: one text, or one value for each fragment that it has.

use std::borrow::Cow;

use serde_json::Value;

/// What a search has to embed.
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
    /// As it stands in a request.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.clone()),
            Self::Fragment { value, .. } => value.clone(),
        }
    }

    /// About as many as it has in a request.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Fragment { value, .. } => bytes_of(value),
        }
    }

    /// The name of the fragment that it is, if it is one.
    pub fn fragment(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Fragment { name, .. } => Some(name),
        }
    }

    /// For messages, and for models that read text. Of one embedder, inputs of equal text have equal
    /// vectors.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Fragment { value, .. } => value.to_string().into(),
        }
    }
}

/// All of a document. Documents with equal inputs have equal vectors.
pub type Inputs = Vec<Input>;

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of).sum(),
        Value::Object(members) => members.iter().map(|(k, v)| k.len() + bytes_of(v)).sum(),
        _ => 8,
    }
}
