//! Helpers for JSON text: decoding and writing names, dropping whitespace.

use std::borrow::Cow;

use crate::scanner::{Name, Value};

/// Decodes a name: without quotes and escapes.
pub(crate) fn decode<'a>(name: Name<'a>) -> Cow<'a, str> {
    if name.escaped { decode_string(name.quoted) } else { Cow::Borrowed(inside(name.quoted)) }
}

/// Decodes a JSON string.
pub(crate) fn decode_string(quoted: &str) -> Cow<'_, str> {
    if !quoted.contains('\\') {
        return Cow::Borrowed(inside(quoted));
    }
    // The scanner accepts only valid escapes, so the raw text is merely a fallback.
    match serde_json::from_str::<String>(quoted) {
        Ok(decoded) => Cow::Owned(decoded),
        Err(_) => Cow::Borrowed(inside(quoted)),
    }
}

fn inside(quoted: &str) -> &str {
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default()
}

/// Writes `text` as a JSON string.
pub(crate) fn write_string(text: &str, out: &mut String) {
    let plain = text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if plain {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&serde_json::Value::from(text).to_string());
    }
}

/// Writes `"name":`, after a comma unless it is the first member of its object.
pub(crate) fn write_name(name: &str, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    write_string(name, out);
    out.push(':');
}

/// Writes `"name":value`, after a comma unless it is the first member of its object.
pub(crate) fn write_member(name: &str, value: &str, out: &mut String) {
    write_name(name, out);
    out.push_str(value);
}

/// Returns the value without whitespace between its tokens.
pub(crate) fn compact<'a>(value: Value<'a>) -> Cow<'a, str> {
    if value.spaced { Cow::Owned(without_whitespace(value.raw)) } else { Cow::Borrowed(value.raw) }
}

fn without_whitespace(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut in_string = false;
    let mut escaped = false;
    let mut kept_from = 0;
    for (at, byte) in json.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
        } else if byte == b'"' {
            in_string = true;
        } else if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
            out.push_str(&json[kept_from..at]);
            kept_from = at + 1;
        }
    }
    out.push_str(&json[kept_from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whitespace_goes_between_tokens_and_stays_in_strings() {
        let json = "{ \"a b\" :\t[ 1 ,\r\n \"x \\\" y \\\\\" , { } ] }";
        assert_eq!(without_whitespace(json), r#"{"a b":[1,"x \" y \\",{}]}"#);
    }

    #[test]
    fn names_are_written_so_that_they_are_read_back() {
        for name in ["", "a", "é", "quote\"d", "back\\slash", "line\nbreak", "\u{1}"] {
            let mut out = String::new();
            write_string(name, &mut out);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), name);
        }
    }
}
