//! Request bodies: JSON with a placeholder for what is to be embedded.

use serde_json::Value;

use crate::error::TemplateError;
use crate::placeholder::Placeholder;
use crate::placement::{self, Path, Slot, Step};

/// Number of texts per request, if it takes several.
const TEXTS_PER_REQUEST: usize = 10;

#[derive(Debug, Clone)]
pub struct RequestTemplate {
    template: Value,
    pub(crate) slot: Slot,
}

impl RequestTemplate {
    /// Returns the template with each string that equals `token` replaced by the value.
    pub(crate) fn filled_in(&self, token: &str, value: &Value) -> Self {
        let mut template = self.template.clone();
        fill_in(&mut template, token, value);
        Self { template, slot: self.slot.clone() }
    }

    /// Parses a template. The placeholder is [`Placeholder::Fragment`] for embedders with
    /// fragments, else [`Placeholder::Text`].
    pub fn parse(template: &Value, placeholder: Placeholder) -> Result<Self, TemplateError> {
        let slot = placement::find(template, placeholder)?;
        Ok(Self { template: template.clone(), slot })
    }

    /// Returns the maximum number of inputs per body.
    pub fn inputs_per_request(&self) -> usize {
        match self.slot {
            Slot::Single(_) => 1,
            Slot::Repeated { .. } => TEXTS_PER_REQUEST,
        }
    }

    /// Builds the body for some inputs; if it takes only one, for the first.
    pub fn inject(&self, inputs: &[Value]) -> Value {
        let mut body = self.template.clone();
        match &self.slot {
            Slot::Single(path) => put(&mut body, path, inputs.first().cloned().unwrap_or_default()),
            Slot::Repeated { array, item } => {
                if let Some(Value::Array(items)) = at_mut(&mut body, array) {
                    let repeated = items.first().cloned().unwrap_or_default();
                    *items = inputs.iter().map(|input| filled(&repeated, item, input)).collect();
                }
            }
        }
        body
    }
}

fn fill_in(place: &mut Value, token: &str, value: &Value) {
    match place {
        Value::String(text) if text == token => place.clone_from(value),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(item, token, value)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| fill_in(member, token, value));
        }
        _ => {}
    }
}

fn filled(repeated: &Value, path: &Path, input: &Value) -> Value {
    let mut item = repeated.clone();
    put(&mut item, path, input.clone());
    item
}

fn put(value: &mut Value, path: &[Step], input: Value) {
    if let Some(place) = at_mut(value, path) {
        *place = input;
    }
}

fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Member(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })
}
