//! Error messages for JSON payloads that the scanner has refused.
//!
//! Clients expect the texts of `serde_json`, with lines and columns, so the payload is parsed again
//! with it: slower, but only for refused payloads. The order of the steps decides which of several
//! errors is reported and matches the recorded texts: first the shape of an array, then its values.

use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Deserializer, Map, Value};

use crate::{Format, PayloadError};

/// Returns the error for a payload that is known to be malformed.
pub(crate) fn describe(format: Format, payload: &[u8]) -> PayloadError {
    let text = match format {
        Format::Ndjson => error_in_values(payload),
        Format::Json | Format::Csv { .. } => error_in_json(payload),
    };
    // The two parsers agree, so this is only a fallback.
    let text = text.unwrap_or_else(|| "not a list of documents".to_owned());
    PayloadError::MalformedJson { format: format.name(), text: shortened(text) }
}

fn error_in_json(payload: &[u8]) -> Option<String> {
    match Deserializer::from_slice(payload).deserialize_seq(ArrayShape) {
        Ok(()) => error_in_array(payload),
        Err(error) if error.is_data() => error_in_object(payload),
        Err(error) => Some(error.to_string()),
    }
}

fn error_in_object(payload: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<Map<String, Value>>(payload).err()?;
    if error.is_data() {
        return Some("data are neither an object nor a list of objects".to_owned());
    }
    Some(error.to_string())
}

fn error_in_array(payload: &[u8]) -> Option<String> {
    let mut deserializer = Deserializer::from_slice(payload);
    match deserializer.deserialize_seq(ObjectArray) {
        Err(error) => Some(error.to_string()),
        Ok(Some(fault)) => Some(fault),
        Ok(None) => deserializer.end().err().map(|error| error.to_string()),
    }
}

fn error_in_values(payload: &[u8]) -> Option<String> {
    for value in Deserializer::from_slice(payload).into_iter::<&RawValue>() {
        if let Err(error) = value {
            return Some(error.to_string());
        }
    }
    for (index, value) in Deserializer::from_slice(payload).into_iter::<Value>().enumerate() {
        match value {
            Err(error) => return Some(error.to_string()),
            Ok(value) if !value.is_object() => return Some(not_an_object(index, &value)),
            Ok(_) => {}
        }
    }
    None
}

fn not_an_object(index: usize, value: &Value) -> String {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("expected document {} to be an object, but found {kind}", index + 1)
}

/// Shortens a long text, which quotes the payload, to its two ends.
fn shortened(text: String) -> String {
    const FIRST: usize = 50;
    const LAST: usize = 85;
    const BETWEEN: &str = "...";
    if text.len() <= FIRST + BETWEEN.len() + LAST {
        return text;
    }
    let first = &text[..text.floor_char_boundary(FIRST)];
    let last = &text[text.ceil_char_boundary(text.len() - LAST)..];
    format!("{first}{BETWEEN}{last}")
}

/// Visitor that checks the shape of an array, not its values.
struct ArrayShape;

impl<'de> Visitor<'de> for ArrayShape {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element::<&RawValue>()?.is_some() {}
        Ok(())
    }
}

/// Visitor that reads an array of objects and reports the first element that is not one.
struct ObjectArray;

impl<'de> Visitor<'de> for ObjectArray {
    type Value = Option<String>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Option<String>, A::Error> {
        let mut fault = None;
        let mut index = 0;
        while let Some(value) = elements.next_element::<Value>()? {
            if fault.is_none() && !value.is_object() {
                fault = Some(not_an_object(index, &value));
            }
            index += 1;
        }
        Ok(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_their_two_ends() {
        assert_eq!(shortened("x".repeat(138)), "x".repeat(138));
        let long = format!("{}{}", "a".repeat(60), "b".repeat(100));
        assert_eq!(shortened(long), format!("{}...{}", "a".repeat(50), "b".repeat(85)));
        let accented = "é".repeat(100);
        assert_eq!(
            shortened(format!("x{accented}")),
            format!("x{}...{}", "é".repeat(24), "é".repeat(42))
        );
    }
}
