//! Response bodies: finds the embeddings in an answer.

use serde::Deserialize;
use serde_json::Value;

use crate::error::{ExtractError, TemplateError};
use crate::hint;
use crate::placeholder::Placeholder;
use crate::placement::{self, Slot, Step, display_path};
use crate::request::RequestTemplate;

/// The first name of every path in messages.
const ROOT: &str = "response";

#[derive(Debug, Clone)]
pub struct ResponseTemplate {
    slot: Slot,
}

impl ResponseTemplate {
    /// Parses a template. Request and response must both be for one text, or both for several.
    pub fn parse(template: &Value, request: &RequestTemplate) -> Result<Self, TemplateError> {
        let slot = placement::find(template, Placeholder::Embedding)?;
        match (&request.slot, &slot) {
            (Slot::Repeated { .. }, Slot::Single(_)) => Err(TemplateError::SingleEmbedding),
            (Slot::Single(_), Slot::Repeated { .. }) => Err(TemplateError::MultipleEmbeddings),
            _ => Ok(Self { slot }),
        }
    }

    /// Extracts the embeddings in order. Their number and lengths are not checked.
    pub fn extract(&self, response: &Value) -> Result<Vec<Vec<f32>>, ExtractError> {
        match &self.slot {
            Slot::Single(path) => {
                let mut cursor = ResponseCursor::new("a single \"{{embedding}}\"".to_owned());
                let value = cursor.follow(response, path)?;
                Ok(vec![cursor.numbers(value)?])
            }
            Slot::Repeated { array, item } => {
                let mut cursor = ResponseCursor::new("the array of \"{{embedding}}\"s".to_owned());
                let value = cursor.follow(response, array)?;
                let Value::Array(items) = value else {
                    return Err(cursor.not_an_array(1, value));
                };
                let found = items.iter().enumerate().map(|(index, value)| {
                    let mut cursor = cursor.item(index);
                    let value = cursor.follow(value, item)?;
                    cursor.numbers(value)
                });
                found.collect()
            }
        }
    }
}

/// Current position in an answer, for messages.
struct ResponseCursor {
    at: Vec<Step>,
    what: String,
}

impl ResponseCursor {
    fn new(what: String) -> Self {
        Self { at: Vec::new(), what }
    }

    /// Returns a cursor into an item of the repeated array. The message names its number, and paths
    /// start over.
    fn item(&self, index: usize) -> Self {
        Self::new(format!("item #{index} from {}", self.what))
    }

    fn error(&self, problem: String) -> ExtractError {
        ExtractError { path: display_path(ROOT, &self.at), what: self.what.clone(), problem }
    }

    fn not_an_array(&self, items: usize, sent: &Value) -> ExtractError {
        self.error(format!(
            "configuration expects `{}` to be an array with at least {items} item(s) but server sent {}",
            self.last(),
            kind(sent)
        ))
    }

    fn missing_key(&self, name: &str, object: &Value) -> ExtractError {
        let hint = hint::likely_embedding(object).map(|path| {
            let whole: Vec<Step> = self.at.iter().chain(&path).cloned().collect();
            let whole = display_path(ROOT, &whole);
            match &path[..] {
                [Step::Member(key)] => format!(
                    "\n  - Hint: {} has key `{key}`, did you mean `{whole}` in embedder configuration?",
                    self.described()
                ),
                _ => format!(
                    "\n  - Hint: `{whole}` looks like an embedding, did you mean that in embedder configuration?"
                ),
            }
        });
        self.error(format!(
            "configuration expects key \"{name}\", which is missing in response{}",
            hint.unwrap_or_default()
        ))
    }

    /// Returns the last step of the path.
    fn last(&self) -> String {
        match self.at.last() {
            None => ROOT.to_owned(),
            Some(step) => {
                display_path("", std::slice::from_ref(step)).trim_start_matches('.').into()
            }
        }
    }

    /// Describes the last step of the path in words.
    fn described(&self) -> String {
        match &self.at[..] {
            [before @ .., Step::Item(index)] => {
                let array = Self { at: before.to_vec(), what: String::new() };
                format!("item #{index} inside `{}`", array.last())
            }
            _ => format!("`{}`", self.last()),
        }
    }

    fn follow<'v>(
        &mut self,
        mut value: &'v Value,
        path: &[Step],
    ) -> Result<&'v Value, ExtractError> {
        for step in path {
            let inner = match step {
                Step::Member(name) => value.get(name),
                Step::Item(index) => value.get(index),
            };
            let Some(inner) = inner else {
                return Err(match step {
                    Step::Member(name) if value.is_object() => self.missing_key(name, value),
                    Step::Member(name) => self.error(format!(
                        "configuration expects `{}` to be an object with key `{name}` but server sent {}",
                        self.last(),
                        kind(value)
                    )),
                    Step::Item(index) => self.not_an_array(index + 1, value),
                });
            };
            self.at.push(step.clone());
            value = inner;
        }
        Ok(value)
    }

    fn numbers(&self, value: &Value) -> Result<Vec<f32>, ExtractError> {
        let expected = format!("expected `{}` to be an array of numbers, but", self.last());
        let numbers = Vec::<f32>::deserialize(value).map_err(|error| {
            self.error(format!("{expected} failed to parse server response:\n  - {error}"))
        })?;
        // A number out of range becomes infinite, which has no neighbours.
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(index) => Err(self.error(format!(
                "{expected} server sent the number {} at position #{index}, which is out of the range of 32-bit floats",
                value.get(index).unwrap_or(&Value::Null)
            ))),
        }
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(items) => format!("an array of size {}", items.len()),
        Value::Object(members) => format!("an object with {} field(s)", members.len()),
    }
}
