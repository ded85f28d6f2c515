//! Figures with their names and meanings. Messages and documentation come from the same lines.

use serde_json::{Map, Value};

/// A figure. Dots in its path lead into objects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub path: &'static str,
    pub value: Value,
    pub meaning: &'static str,
}

#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<Field>);

impl Fields {
    pub fn put(&mut self, path: &'static str, value: impl Into<Value>, meaning: &'static str) {
        self.0.push(Field { path, value: value.into(), meaning });
    }

    pub fn as_slice(&self) -> &[Field] {
        &self.0
    }

    pub fn into_json(self) -> Value {
        let mut root = Map::new();
        for Field { path, value, .. } in self.0 {
            insert(&mut root, path, value);
        }
        Value::Object(root)
    }
}

fn insert(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            object.insert(path.to_owned(), value);
        }
        Some((name, rest)) => {
            let inner = object.entry(name).or_insert_with(|| Value::Object(Map::new()));
            if let Some(inner) = inner.as_object_mut() {
                insert(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn points_lead_into_objects() {
        let mut fields = Fields::default();
        fields.put("a.b.c", 1, "");
        fields.put("d", true, "");
        fields.put("a.b.e", "x", "");
        assert_eq!(fields.into_json(), json!({"a": {"b": {"c": 1, "e": "x"}}, "d": true}));
    }
}
