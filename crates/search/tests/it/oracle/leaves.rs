//! The values of a document that can be searched, each with the dotted name of its attribute.

use serde_json::{Map, Value};

use super::settings::Artefacts;

#[derive(Debug)]
pub struct Leaf {
    pub attribute: String,
    /// None: no value, though the reference moves the position on.
    pub text: Option<String>,
}

pub fn leaves(document: &Map<String, Value>, artefacts: Artefacts) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (key, value) in document {
        add_value(key, value, &mut leaves);
    }
    if artefacts == Artefacts::Improved {
        leaves.retain(|leaf| leaf.text.is_some());
    }
    leaves
}

fn add_value(attribute: &str, value: &Value, leaves: &mut Vec<Leaf>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let attribute = format!("{attribute}.{key}");
                if value.is_object() || value.is_array() {
                    leaves.push(Leaf { attribute: attribute.clone(), text: None });
                }
                add_value(&attribute, value, leaves);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_value(attribute, item, leaves)),
        scalar => leaves.push(Leaf { attribute: attribute.to_owned(), text: scalar_text(scalar) }),
    }
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(boolean) => Some(boolean.to_string()),
        _ => None,
    }
}
