//! Builds JSON schemas. Objects are closed by default, so that tests find members of answers that
//! are not described.

use model::Code;
use serde_json::{Map, Value, json};

#[derive(Debug, Clone)]
pub struct Schema(Value);

impl Schema {
    pub fn into_value(self) -> Value {
        self.0
    }

    fn with(mut self, name: &str, value: Value) -> Self {
        if let Some(members) = self.0.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
        self
    }

    pub fn about(self, text: &str) -> Self {
        self.with("description", json!(text))
    }

    pub fn default(self, value: Value) -> Self {
        self.with("default", value)
    }

    pub fn between(self, minimum: u64, maximum: u64) -> Self {
        self.with("minimum", json!(minimum)).with("maximum", json!(maximum))
    }

    pub fn at_least(self, minimum: u64) -> Self {
        self.with("minimum", json!(minimum))
    }

    pub fn or_null(self) -> Self {
        any_of([self, of_type("null")])
    }

    /// Converts to a query parameter, where lists are comma-separated text.
    pub fn in_query(self) -> Self {
        let members = match &self.0["anyOf"][0] {
            Value::Object(first) => first.clone(),
            _ => self.0.as_object().cloned().unwrap_or_default(),
        };
        if members.get("type") != Some(&json!("array")) {
            return Self(Value::Object(members));
        }
        text().with("x-list", json!("items are separated by commas"))
    }
}

fn of_type(name: &str) -> Schema {
    Schema(json!({ "type": name }))
}

pub fn text() -> Schema {
    of_type("string")
}

pub fn boolean() -> Schema {
    of_type("boolean")
}

pub fn number() -> Schema {
    of_type("number")
}

/// An integer, never negative: nothing in the API counts below zero.
pub fn integer() -> Schema {
    of_type("integer").at_least(0)
}

pub fn date() -> Schema {
    text().with("format", json!("date-time"))
}

pub fn uuid() -> Schema {
    text().with("format", json!("uuid"))
}

pub fn one_of(names: &[&str]) -> Schema {
    text().with("enum", json!(names))
}

pub fn list(items: Schema) -> Schema {
    of_type("array").with("items", items.0)
}

/// An object with any names, and values of one schema.
pub fn map(values: Schema) -> Schema {
    of_type("object").with("additionalProperties", values.0)
}

/// Any JSON.
pub fn anything() -> Schema {
    Schema(json!({}))
}

/// An object with any members.
pub fn open() -> Schema {
    of_type("object")
}

pub fn any_of<const N: usize>(schemas: [Schema; N]) -> Schema {
    Schema(json!({ "anyOf": Vec::from(schemas.map(|schema| schema.0)) }))
}

pub fn all_of<const N: usize>(schemas: [Schema; N]) -> Schema {
    Schema(json!({ "allOf": Vec::from(schemas.map(|schema| schema.0)) }))
}

/// A reference to a named schema.
pub fn named(name: &str) -> Schema {
    Schema(json!({ "$ref": format!("#/components/schemas/{name}") }))
}

/// A member of an object, or a parameter of a query string.
#[derive(Debug, Clone)]
pub struct Member {
    pub name: String,
    pub schema: Schema,
    pub about: &'static str,
    pub is_required: bool,
    /// Error code of an invalid value.
    pub code: Option<Code>,
}

impl Member {
    pub fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }
}

/// A member that is always there, or must be sent.
pub fn always(name: &str, schema: Schema, about: &'static str) -> Member {
    Member { name: name.to_owned(), schema, about, is_required: true, code: None }
}

/// A member that may be missing.
pub fn maybe(name: &str, schema: Schema, about: &'static str) -> Member {
    Member { is_required: false, ..always(name, schema, about) }
}

pub fn object(members: impl IntoIterator<Item = Member>) -> Schema {
    members_of(members).with("additionalProperties", json!(false))
}

/// With members that are not listed.
pub fn object_and_more(members: impl IntoIterator<Item = Member>) -> Schema {
    members_of(members)
}

fn members_of(members: impl IntoIterator<Item = Member>) -> Schema {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for Member { name, schema, about, is_required, .. } in members {
        if is_required {
            required.push(name.clone());
        }
        properties.insert(name, described(schema, about).0);
    }
    let schema = of_type("object").with("properties", Value::Object(properties));
    if required.is_empty() { schema } else { schema.with("required", json!(required)) }
}

pub fn described(schema: Schema, about: &str) -> Schema {
    if about.is_empty() { schema } else { schema.about(about) }
}

/// Converts the name of a field in Rust to that of a member.
pub fn camel_case(snake_case: &str) -> String {
    let mut name = String::with_capacity(snake_case.len());
    for word in snake_case.split('_') {
        let (first, rest) = word.split_at(word.len().min(1));
        match name.is_empty() {
            true => name.push_str(first),
            false => name.push_str(&first.to_ascii_uppercase()),
        }
        name.push_str(rest);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_closed_and_name_what_must_be_there() {
        let schema = object([always("uid", text(), "A name."), maybe("key", text().or_null(), "")]);
        assert_eq!(
            schema.into_value(),
            json!({
                "type": "object",
                "properties": {
                    "uid": {"type": "string", "description": "A name."},
                    "key": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                },
                "required": ["uid"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn lists_are_texts_in_a_query_string() {
        let schema = list(text()).or_null().in_query().into_value();
        assert_eq!(schema["type"], "string");
        assert_eq!(integer().or_null().in_query().into_value()["type"], "integer");
    }
}
