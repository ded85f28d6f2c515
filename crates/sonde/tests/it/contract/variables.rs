//! Names for values of one run: `$books` for the uid of an index, `$task` for what an answer held.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

static VARIABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$([a-z][a-z0-9_]*)").expect("a pattern of ours"));

#[derive(Debug, Default)]
pub struct Variables(BTreeMap<String, Value>);

impl Variables {
    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// The text with the values in it.
    pub fn in_text(&self, text: &str) -> String {
        let value = |found: &Captures<'_>| match self.0.get(&found[1]) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => found[0].to_owned(),
        };
        VARIABLE.replace_all(text, value).into_owned()
    }

    /// The same in every text of a value. A text that is nothing but a variable becomes its value,
    /// of whatever type.
    pub fn in_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let whole = text.strip_prefix('$').and_then(|name| self.0.get(name));
                whole.cloned().unwrap_or_else(|| Value::String(self.in_text(text)))
            }
            Value::Array(items) => items.iter().map(|item| self.in_value(item)).collect(),
            Value::Object(members) => {
                let replaced =
                    |(name, value): (&String, &Value)| (self.in_text(name), self.in_value(value));
                Value::Object(members.iter().map(replaced).collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    /// Keeps what stands at the end of a path like `results.0.uid`.
    pub fn save(&mut self, name: &str, path: &str, answer: &Value) -> Result<(), String> {
        let found = path.split('.').try_fold(answer, |value, part| match value {
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            _ => value.get(part),
        });
        let found = found.ok_or_else(|| format!("nothing to save at {path} as ${name}"))?;
        self.set(name, found.clone());
        Ok(())
    }
}

#[test]
fn variables_stand_for_texts_and_for_values() {
    let mut variables = Variables::default();
    variables.set("books", Value::from("books-1"));
    variables.save("task", "results.0.uid", &serde_json::json!({"results": [{"uid": 7}]})).unwrap();
    assert_eq!(variables.in_text("/indexes/$books/x?uids=$task"), "/indexes/books-1/x?uids=7");
    let body = serde_json::json!({"$books": ["$task", "a $task", "$unknown"]});
    let expected = serde_json::json!({"books-1": [7, "a 7", "$unknown"]});
    assert_eq!(variables.in_value(&body), expected);
    assert!(variables.save("x", "a.b", &body).is_err());
}
