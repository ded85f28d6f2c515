//! Documents as values of a script, and back.
//!
//! A script's maps are sorted and its numbers are 64-bit integers or doubles. Writing therefore
//! walks the stored text in parallel: unchanged values keep their text, fields keep their
//! positions, and new fields follow in the order of the map.

use std::collections::HashSet;

use json::{MAX_LEVELS, ScanError, Scanner, unquoted};
use rhai::{Array, Dynamic, Map};
use serde_json::Number;

use crate::text::{write_name, write_string};

/// Parses JSON text into a script value.
pub(super) fn read(json: &str) -> Result<Dynamic, ScanError> {
    read_value(&mut Scanner::new(json), 0)
}

fn read_value(scanner: &mut Scanner<'_>, level: u32) -> Result<Dynamic, ScanError> {
    match scanner.peek() {
        Some(b'{') => {
            let mut map = Map::new();
            scanner.object(level, |scanner, name| {
                map.insert(name.decode().as_ref().into(), read_value(scanner, level + 1)?);
                Ok::<_, ScanError>(())
            })?;
            Ok(map.into())
        }
        Some(b'[') => {
            let mut array = Array::new();
            scanner.array(level, |scanner| {
                array.push(read_value(scanner, level + 1)?);
                Ok::<_, ScanError>(())
            })?;
            Ok(array.into())
        }
        _ => scalar(scanner.value(level)?.raw),
    }
}

fn scalar(json: &str) -> Result<Dynamic, ScanError> {
    Ok(match json {
        "null" => Dynamic::UNIT,
        "true" => true.into(),
        "false" => false.into(),
        _ if json.starts_with('"') => unquoted(json).into_owned().into(),
        _ => match json.parse::<i64>() {
            Ok(integer) => integer.into(),
            Err(_) => json.parse::<f64>().map_err(|_| ScanError)?.into(),
        },
    })
}

/// Returns the JSON of a value, fields in the order of the map.
pub(super) fn write(value: &Dynamic) -> Result<String, ScanError> {
    let mut out = String::new();
    write_new(value, 0, &mut out)?;
    Ok(out)
}

/// Returns the JSON of a value that was read from `stored` and possibly changed.
pub(super) fn write_over(value: &Dynamic, stored: &str) -> Result<String, ScanError> {
    let mut out = String::with_capacity(stored.len());
    write_value(value, &mut Scanner::new(stored), 0, &mut out)?;
    Ok(out)
}

/// Writes `value`, which replaces the scanner's next value.
fn write_value(
    value: &Dynamic,
    stored: &mut Scanner<'_>,
    level: u32,
    out: &mut String,
) -> Result<(), ScanError> {
    match stored.peek() {
        Some(b'{') if value.is_map() => {
            let map = value.as_map_ref().map_err(|_| ScanError)?;
            write_map(&map, stored, level, out)
        }
        Some(b'[') if value.is_array() => {
            let array = value.as_array_ref().map_err(|_| ScanError)?;
            write_array(&array, stored, level, out)
        }
        _ => {
            let raw = stored.value(level)?.raw;
            if is_same_scalar(value, raw) {
                out.push_str(raw);
                return Ok(());
            }
            write_new(value, level, out)
        }
    }
}

fn write_map(
    map: &Map,
    stored: &mut Scanner<'_>,
    level: u32,
    out: &mut String,
) -> Result<(), ScanError> {
    let mut written = HashSet::new();
    out.push('{');
    stored.object(level, |stored, name| {
        let text = name.decode();
        let Some(value) = map.get(text.as_ref()).filter(|_| !written.contains(&text)) else {
            stored.value(level + 1)?;
            return Ok(());
        };
        if !out.ends_with('{') {
            out.push(',');
        }
        out.push_str(name.quoted);
        out.push(':');
        written.insert(text);
        write_value(value, stored, level + 1, out)
    })?;
    for (name, value) in map {
        if !written.contains(name.as_str()) {
            write_name(name, out);
            write_new(value, level + 1, out)?;
        }
    }
    out.push('}');
    Ok(())
}

fn write_array(
    array: &Array,
    stored: &mut Scanner<'_>,
    level: u32,
    out: &mut String,
) -> Result<(), ScanError> {
    let mut values = array.iter();
    out.push('[');
    stored.array(level, |stored| match values.next() {
        Some(value) => {
            separate(out);
            write_value(value, stored, level + 1, out)
        }
        None => stored.value(level + 1).map(|_| ()),
    })?;
    for value in values {
        separate(out);
        write_new(value, level + 1, out)?;
    }
    out.push(']');
    Ok(())
}

/// Writes a comma, unless the array was just opened.
fn separate(out: &mut String) {
    if !out.ends_with('[') {
        out.push(',');
    }
}

fn is_same_scalar(value: &Dynamic, raw: &str) -> bool {
    let Ok(stored) = scalar(raw) else {
        return false;
    };
    if let (Ok(value), Ok(stored)) = (value.as_int(), stored.as_int()) {
        return value == stored;
    }
    if let (Ok(value), Ok(stored)) = (value.as_float(), stored.as_float()) {
        return value.to_bits() == stored.to_bits();
    }
    if let (Ok(value), Ok(stored)) =
        (value.as_immutable_string_ref(), stored.as_immutable_string_ref())
    {
        return *value == *stored;
    }
    if let (Ok(value), Ok(stored)) = (value.as_bool(), stored.as_bool()) {
        return value == stored;
    }
    value.is_unit() && stored.is_unit()
}

/// Writes a value that has no stored text.
fn write_new(value: &Dynamic, level: u32, out: &mut String) -> Result<(), ScanError> {
    if let Ok(map) = value.as_map_ref() {
        check_level(level)?;
        out.push('{');
        for (name, value) in map.iter() {
            write_name(name, out);
            write_new(value, level + 1, out)?;
        }
        out.push('}');
    } else if let Ok(array) = value.as_array_ref() {
        check_level(level)?;
        out.push('[');
        for value in array.iter() {
            separate(out);
            write_new(value, level + 1, out)?;
        }
        out.push(']');
    } else if let Ok(blob) = value.as_blob_ref() {
        check_level(level)?;
        out.push_str(&serde_json::Value::from(blob.as_slice()).to_string());
    } else {
        write_new_scalar(value, out);
    }
    Ok(())
}

fn write_new_scalar(value: &Dynamic, out: &mut String) {
    if let Ok(integer) = value.as_int() {
        out.push_str(&integer.to_string());
    } else if let Ok(float) = value.as_float() {
        // JSON knows neither infinities nor "not a number".
        let number = Number::from_f64(float);
        out.push_str(&number.map_or_else(|| "null".to_owned(), |number| number.to_string()));
    } else if let Ok(boolean) = value.as_bool() {
        out.push_str(if boolean { "true" } else { "false" });
    } else if value.is_unit() {
        out.push_str("null");
    } else {
        // Strings and characters; functions and ranges as a script would print them.
        write_string(&value.to_string(), out);
    }
}

fn check_level(level: u32) -> Result<(), ScanError> {
    if level < MAX_LEVELS { Ok(()) } else { Err(ScanError) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untouched_value_keeps_its_text() {
        for json in [
            "{}",
            r#"{"z":1e2,"a":18446744073709551615,"n":{"y":-0.0,"b":[1.0,[],{"q":null}]},"é":"\u00e9"}"#,
            r#"{"\u0041":{"\u0042":"\/"}}"#,
        ] {
            assert_eq!(write_over(&read(json).unwrap(), json).as_deref(), Ok(json));
        }
    }

    #[test]
    fn changed_values_are_written_in_place_and_new_ones_follow() {
        let stored = r#"{"z":1.0,"gone":1,"n":{"y":1e2,"b":5},"list":[1e1,2,3]}"#;
        let edited = r#"{"z":1.0,"n":{"c":true,"b":"x","y":1e2},"list":[1e1,9],"new":{"b":1,"a":2},"an":[null]}"#;
        assert_eq!(
            write_over(&read(edited).unwrap(), stored).unwrap(),
            r#"{"z":1.0,"n":{"y":1e2,"b":"x","c":true},"list":[1e1,9],"an":[null],"new":{"a":2,"b":1}}"#
        );
        assert_eq!(
            write(&read(r#"{"b":{"d":1,"c":"\n"},"a":[]}"#).unwrap()).unwrap(),
            r#"{"a":[],"b":{"c":"\n","d":1}}"#
        );
    }

    #[test]
    fn no_value_is_nested_deeper_than_a_document_may_be() {
        let mut value = Dynamic::UNIT;
        for _ in 0..MAX_LEVELS {
            value = vec![value].into();
        }
        assert!(write(&value).is_ok());
        assert_eq!(write(&vec![value].into()), Err(ScanError));
    }
}
