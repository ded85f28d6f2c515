//! The words for a JSON payload that the scanner has refused.
//!
//! Clients know the texts of `serde_json`, with its lines and columns, so the payload is parsed
//! again with it: slower, but only for a payload that is turned away. The steps decide which of
//! several faults is named, and are those the texts were recorded with: the shape of an array
//! first, its values after.

use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Deserializer, Map, Value};

use crate::{Format, PayloadError};

/// What is wrong with `payload`, which is known to hold a fault.
pub(crate) fn of(format: Format, payload: &[u8]) -> PayloadError {
    let text = match format {
        Format::Ndjson => fault_in_values(payload),
        Format::Json | Format::Csv { .. } => fault_in_json(payload),
    };
    // The two readers agree, so the parser has found a fault too; these words are for the day
    // they do not.
    let text = text.unwrap_or_else(|| "not a list of documents".to_owned());
    PayloadError::MalformedJson { format: format.name(), text: shortened(text) }
}

fn fault_in_json(payload: &[u8]) -> Option<String> {
    match Deserializer::from_slice(payload).deserialize_seq(Shape) {
        Ok(()) => fault_in_array(payload),
        Err(error) if error.is_data() => fault_in_object(payload),
        Err(error) => Some(error.to_string()),
    }
}

fn fault_in_object(payload: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<Map<String, Value>>(payload).err()?;
    if error.is_data() {
        return Some("data are neither an object nor a list of objects".to_owned());
    }
    Some(error.to_string())
}

fn fault_in_array(payload: &[u8]) -> Option<String> {
    let mut deserializer = Deserializer::from_slice(payload);
    match deserializer.deserialize_seq(Documents) {
        Err(error) => Some(error.to_string()),
        Ok(Some(fault)) => Some(fault),
        Ok(None) => deserializer.end().err().map(|error| error.to_string()),
    }
}

fn fault_in_values(payload: &[u8]) -> Option<String> {
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

/// Long texts quote the payload; their two ends tell enough.
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

/// Reads an array without looking at its values.
struct Shape;

impl<'de> Visitor<'de> for Shape {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element::<&RawValue>()?.is_some() {}
        Ok(())
    }
}

/// Reads an array of objects; says which element is none.
struct Documents;

impl<'de> Visitor<'de> for Documents {
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
