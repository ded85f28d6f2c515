//! Strings of JSON text, and their characters without quotes and escapes.

use std::borrow::Cow;

/// The text of a string.
#[derive(Debug, Clone, Copy)]
pub struct JsonString<'a> {
    /// The string with its quotes.
    pub quoted: &'a str,
    pub escaped: bool,
}

impl<'a> JsonString<'a> {
    /// Returns the text between the quotes, still escaped.
    #[inline]
    pub fn raw(self) -> &'a str {
        self.quoted.get(1..self.quoted.len().saturating_sub(1)).unwrap_or_default()
    }

    /// Returns the characters.
    #[inline]
    pub fn decode(self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw());
        }
        let mut decoded = String::with_capacity(self.quoted.len());
        unescape(self.raw(), &mut decoded);
        Cow::Owned(decoded)
    }

    /// Appends the characters to `out`.
    #[inline]
    pub fn decode_into(self, out: &mut String) {
        if self.escaped {
            unescape(self.raw(), out);
        } else {
            out.push_str(self.raw());
        }
    }
}

/// Returns the characters of a valid JSON string.
pub fn unquoted(quoted: &str) -> Cow<'_, str> {
    JsonString { quoted, escaped: quoted.contains('\\') }.decode()
}

/// Appends the unescaped form of a string.
fn unescape(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        let mut characters = escape.chars();
        match characters.next() {
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let (character, length) = code_point(characters.as_str());
                out.push(character);
                rest = characters.as_str().get(length..).unwrap_or_default();
                continue;
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

/// Returns the character of an escape after its `u`, and the length of the escape. An unpaired
/// surrogate is not a character.
fn code_point(hex: &str) -> (char, usize) {
    let unit = |hex: &str| hex.get(..4).and_then(|hex| u16::from_str_radix(hex, 16).ok());
    let Some(first) = unit(hex) else {
        return (char::REPLACEMENT_CHARACTER, 0);
    };
    let second = hex.get(4..).and_then(|rest| rest.strip_prefix("\\u")).and_then(unit);
    let mut decoded = char::decode_utf16([first].into_iter().chain(second));
    match decoded.next() {
        Some(Ok(character)) => (character, if character.len_utf16() == 2 { 10 } else { 4 }),
        _ => (char::REPLACEMENT_CHARACTER, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_characters() {
        for (quoted, characters) in [
            (r#""""#, ""),
            (r#""plain é""#, "plain é"),
            (r#""\\\"\/\b\f\n\r\t""#, "\\\"/\u{8}\u{c}\n\r\t"),
            (r#""\u00e9\ud83d\ude00x\u0000""#, "é😀x\0"),
        ] {
            assert_eq!(unquoted(quoted), characters, "{quoted}");
            assert_eq!(serde_json::from_str::<String>(quoted).unwrap(), characters, "{quoted}");
        }
    }

    #[test]
    fn invalid_strings_do_no_harm() {
        assert_eq!(unquoted(r#""\u00e9\ud83d\ude00\ud83dx\/""#), "é😀\u{fffd}x/");
        assert_eq!(unquoted(r#""\udc00\ud83d\u0041""#), "\u{fffd}\u{fffd}A");
        for quoted in
            ["", "\"", r#""\"#, r#""\""#, r#""\u""#, r#""\u12""#, r#""\u00é""#, r#""\ud83d\u""#]
        {
            unquoted(quoted);
        }
    }
}
