//! Writes strings and members of JSON text.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_so_that_they_are_read_back() {
        for name in ["", "a", "é", "quote\"d", "back\\slash", "line\nbreak", "\u{1}"] {
            let mut out = String::new();
            write_string(name, &mut out);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), name);
        }
    }
}
