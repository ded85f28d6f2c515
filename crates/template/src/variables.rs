//! What a template sees: values by name.

use std::collections::BTreeMap;

use liquid_core::model::KString;
use serde_json::{Map, Value};

use crate::language::Ordered;

/// The variables of one rendering.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    pub(crate) values: BTreeMap<KString, Ordered>,
}

impl Variables {
    /// `doc`, for indexing fragments.
    pub fn of_document(document: &Map<String, Value>) -> Self {
        let mut variables = Self::default();
        variables.set("doc", object(document));
        variables
    }

    /// `q` and `media`, for search fragments. What the query does not have is not there at all,
    /// so a fragment that needs it does not render.
    pub fn of_query(q: Option<&str>, media: Option<&Value>) -> Self {
        let mut variables = Self::default();
        if let Some(q) = q {
            variables.set("q", Ordered::scalar(q.to_owned()));
        }
        if let Some(media) = media {
            variables.set("media", value(media));
        }
        variables
    }

    pub(crate) fn set(&mut self, name: &'static str, value: Ordered) {
        self.values.insert(KString::from_static(name), value);
    }
}

pub(crate) fn value(json: &Value) -> Ordered {
    match json {
        Value::Null => Ordered::Nil,
        Value::Bool(bool) => Ordered::scalar(*bool),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Ordered::scalar(number),
            // Liquid has no integer that large; its digits say more than a rounded number.
            (None, Some(large)) => Ordered::scalar(large.to_string()),
            (None, None) => Ordered::scalar(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Ordered::scalar(text.clone()),
        Value::Array(items) => Ordered::Array(items.iter().map(value).collect()),
        Value::Object(members) => object(members),
    }
}

pub(crate) fn object(members: &Map<String, Value>) -> Ordered {
    let members = members.iter().map(|(name, member)| (KString::from_ref(name), value(member)));
    Ordered::Object(members.collect())
}
