//! The body of an answer: where embeddings are in it.

use serde_json::Value;

use crate::error::{ExtractError, TemplateError};
use crate::placeholder::{self, Placeholder, Slot, Step, display_path};
use crate::request::RequestTemplate;

#[derive(Debug, Clone)]
pub struct ResponseTemplate {
    slot: Slot,
}

impl ResponseTemplate {
    /// Both must be for one text, or both for several.
    pub fn parse(template: &Value, request: &RequestTemplate) -> Result<Self, TemplateError> {
        let slot = placeholder::find(template, Placeholder::Embedding)?;
        match (&request.slot, &slot) {
            (Slot::Repeated { .. }, Slot::Single(_)) => Err(TemplateError::SingleEmbedding),
            (Slot::Single(_), Slot::Repeated { .. }) => Err(TemplateError::MultipleEmbeddings),
            _ => Ok(Self { slot }),
        }
    }

    /// The embeddings of an answer, in their order. Their number and lengths are not looked at.
    pub fn extract(&self, response: &Value) -> Result<Vec<Vec<f32>>, ExtractError> {
        match &self.slot {
            Slot::Single(path) => {
                let mut place = Place::new("a single \"{{embedding}}\"".to_owned());
                let value = place.follow(response, path)?;
                Ok(vec![place.numbers(value)?])
            }
            Slot::Repeated { array, item } => {
                let mut place = Place::new("the array of \"{{embedding}}\"s".to_owned());
                let value = place.follow(response, array)?;
                let Value::Array(items) = value else {
                    return Err(place.error(format!(
                        "configuration expects `{}` to be an array but server sent {}",
                        place.last(),
                        kind(value)
                    )));
                };
                let found = items.iter().enumerate().map(|(index, value)| {
                    let mut place = place.item(index);
                    let value = place.follow(value, item)?;
                    place.numbers(value)
                });
                found.collect()
            }
        }
    }
}

/// Where one is in an answer, for messages.
struct Place {
    at: Vec<Step>,
    what: String,
}

impl Place {
    fn new(what: String) -> Self {
        Self { at: Vec::new(), what }
    }

    fn item(&self, index: usize) -> Self {
        let mut at = self.at.clone();
        at.push(Step::Item(index));
        Self { at, what: format!("item #{index} from {}", self.what) }
    }

    fn error(&self, problem: String) -> ExtractError {
        ExtractError { path: display_path("response", &self.at), what: self.what.clone(), problem }
    }

    /// The name of the innermost place.
    fn last(&self) -> String {
        match self.at.last() {
            None => "response".to_owned(),
            Some(step) => {
                display_path("", std::slice::from_ref(step)).trim_start_matches('.').into()
            }
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
                return Err(self.error(match step {
                    Step::Member(name) if value.is_object() => format!(
                        "configuration expects key \"{name}\", which is missing in server response"
                    ),
                    Step::Member(name) => format!(
                        "configuration expects `{}` to be an object with key \"{name}\" but server sent {}",
                        self.last(),
                        kind(value)
                    ),
                    Step::Item(index) => format!(
                        "configuration expects `{}` to be an array of at least {} item(s) but server sent {}",
                        self.last(),
                        index + 1,
                        kind(value)
                    ),
                }));
            };
            self.at.push(step.clone());
            value = inner;
        }
        Ok(value)
    }

    fn numbers(&self, value: &Value) -> Result<Vec<f32>, ExtractError> {
        let expected = |found: String| {
            self.error(format!(
                "expected `{}` to be an array of numbers, but server sent {found}",
                self.last()
            ))
        };
        let Value::Array(items) = value else { return Err(expected(kind(value))) };
        let number = |(index, item): (usize, &Value)| match item.as_f64() {
            // What does not fit is infinite as f32, and an index of vectors cannot use it.
            Some(number) if (number as f32).is_finite() => Ok(number as f32),
            Some(number) => Err(expected(format!("the number {number} at position #{index}"))),
            None => Err(expected(format!("{} at position #{index}", kind(item)))),
        };
        items.iter().enumerate().map(number).collect()
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(items) => format!("an array of size {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}
