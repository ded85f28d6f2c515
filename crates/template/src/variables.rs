//! What a template sees: values by name, in Liquid's model.

use liquid_core::model::{KString, Object, Value as Liquid};
use serde_json::{Map, Value};

/// The variables of one rendering.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    pub(crate) values: Object,
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
            variables.set("q", Liquid::scalar(q.to_owned()));
        }
        if let Some(media) = media {
            variables.set("media", value(media));
        }
        variables
    }

    pub(crate) fn set(&mut self, name: &'static str, value: Liquid) {
        self.values.insert(KString::from_static(name), value);
    }
}

pub(crate) fn value(json: &Value) -> Liquid {
    match json {
        Value::Null => Liquid::Nil,
        Value::Bool(bool) => Liquid::scalar(*bool),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Liquid::scalar(number),
            // Liquid has no integer that large; its digits say more than a rounded number.
            (None, Some(large)) => Liquid::scalar(large.to_string()),
            (None, None) => Liquid::scalar(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Liquid::scalar(text.clone()),
        Value::Array(items) => Liquid::Array(items.iter().map(value).collect()),
        Value::Object(members) => object(members),
    }
}

pub(crate) fn object(members: &Map<String, Value>) -> Liquid {
    let members = members.iter().map(|(name, member)| (KString::from_ref(name), value(member)));
    Liquid::Object(members.collect())
}
