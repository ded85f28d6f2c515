//! Validates JSON text without building values; it returns slices of the text.
//!
//! It accepts exactly the JSON that documents may hold: numbers a double can hold, escapes that
//! name real characters, at most 127 levels. Errors carry no message: `serde_json` refuses the same
//! texts, and explains. One pass over a few bytes at a time makes it several times faster than a
//! parser.

use std::borrow::Cow;

use crate::JsonString;

/// The text is not valid JSON for a document, at or after the scanner's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanError;

/// Maximum nesting of a document, itself included; the limit of `serde_json`.
pub const MAX_LEVELS: u32 = 127;

/// The text of a value.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    pub raw: &'a str,
    /// True if there is whitespace between its tokens.
    pub has_whitespace: bool,
}

impl<'a> Value<'a> {
    /// Returns the text without whitespace between its tokens.
    pub fn compact(self) -> Cow<'a, str> {
        if self.has_whitespace {
            Cow::Owned(without_whitespace(self.raw))
        } else {
            Cow::Borrowed(self.raw)
        }
    }
}

/// A position in the text.
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), position: 0 }
    }

    /// Skips whitespace and peeks at the next byte; `None` at the end.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.position) {
            if !is_whitespace(byte) {
                return Some(byte);
            }
            self.position += 1;
        }
        None
    }

    /// Skips whitespace and returns the position of the next byte.
    pub fn place(&mut self) -> usize {
        self.peek();
        self.position
    }

    /// Consumes `byte` if it comes next, ignoring whitespace.
    #[inline]
    pub fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.position += 1;
        }
        found
    }

    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<(), ScanError> {
        if self.accept(byte) { Ok(()) } else { Err(ScanError) }
    }

    /// Checks that only whitespace follows.
    pub fn expect_end(&mut self) -> Result<(), ScanError> {
        if self.peek().is_none() { Ok(()) } else { Err(ScanError) }
    }

    /// Reads the object that comes next. `each` is called after a name and must read its value.
    pub fn object<E: From<ScanError>>(
        &mut self,
        levels_above: u32,
        mut each: impl FnMut(&mut Self, JsonString<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(b'{')?;
        check_levels(levels_above)?;
        if self.accept(b'}') {
            return Ok(());
        }
        loop {
            let name = self.string()?;
            self.expect(b':')?;
            each(self, name)?;
            if self.accept(b'}') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads the array that comes next. `each` is called for, and must read, every element.
    pub fn array<E: From<ScanError>>(
        &mut self,
        levels_above: u32,
        mut each: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.expect(b'[')?;
        check_levels(levels_above)?;
        if self.accept(b']') {
            return Ok(());
        }
        loop {
            each(self)?;
            if self.accept(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads the next value of any type.
    pub fn value(&mut self, levels_above: u32) -> Result<Value<'a>, ScanError> {
        let first = self.peek().ok_or(ScanError)?;
        let start = self.position;
        self.position += 1;
        let has_whitespace = match first {
            b'{' | b'[' => self.rest_of_container(first, levels_above)?,
            _ => {
                self.rest_of_scalar(first)?;
                false
            }
        };
        let raw = self.text.get(start..self.position).ok_or(ScanError)?;
        Ok(Value { raw, has_whitespace })
    }

    /// Reads the string that comes next.
    #[inline]
    pub fn string(&mut self) -> Result<JsonString<'a>, ScanError> {
        self.expect(b'"')?;
        let start = self.position - 1;
        let escaped = self.rest_of_string()?;
        let quoted = self.text.get(start..self.position).ok_or(ScanError)?;
        Ok(JsonString { quoted, escaped })
    }

    /// Reads the rest of a container after its opening byte; returns whether it holds whitespace.
    ///
    /// Open containers are tracked as bits, so deep input cannot overflow the stack.
    fn rest_of_container(&mut self, first: u8, levels_above: u32) -> Result<bool, ScanError> {
        let mut objects = u128::from(first == b'{');
        let mut open = 1;
        let mut just_opened = true;
        let mut has_whitespace = false;
        check_levels(levels_above)?;
        loop {
            let mut byte = self.token(&mut has_whitespace)?;
            let in_object = objects & 1 == 1;
            let closes_at_once = just_opened && byte == if in_object { b'}' } else { b']' };
            if closes_at_once {
                self.position -= 1;
            } else {
                if in_object {
                    self.rest_of_name(byte, &mut has_whitespace)?;
                    byte = self.token(&mut has_whitespace)?;
                }
                if byte == b'{' || byte == b'[' {
                    check_levels(levels_above + open)?;
                    objects = objects << 1 | u128::from(byte == b'{');
                    open += 1;
                    just_opened = true;
                    continue;
                }
                self.rest_of_scalar(byte)?;
            }
            just_opened = false;
            loop {
                let byte = self.token(&mut has_whitespace)?;
                if byte == b',' {
                    break;
                }
                if byte != if objects & 1 == 1 { b'}' } else { b']' } {
                    return Err(ScanError);
                }
                objects >>= 1;
                open -= 1;
                if open == 0 {
                    return Ok(has_whitespace);
                }
            }
        }
    }

    fn rest_of_name(&mut self, first: u8, has_whitespace: &mut bool) -> Result<(), ScanError> {
        if first != b'"' {
            return Err(ScanError);
        }
        self.rest_of_string()?;
        if self.token(has_whitespace)? == b':' { Ok(()) } else { Err(ScanError) }
    }

    /// Consumes the next byte that is not whitespace; records whether there was whitespace.
    fn token(&mut self, has_whitespace: &mut bool) -> Result<u8, ScanError> {
        loop {
            let &byte = self.bytes.get(self.position).ok_or(ScanError)?;
            self.position += 1;
            if !is_whitespace(byte) {
                return Ok(byte);
            }
            *has_whitespace = true;
        }
    }

    fn rest_of_scalar(&mut self, first: u8) -> Result<(), ScanError> {
        match first {
            b'"' => self.rest_of_string().map(|_| ()),
            b'-' | b'0'..=b'9' => self.rest_of_number(first),
            b't' => self.rest_of_literal(b"rue"),
            b'f' => self.rest_of_literal(b"alse"),
            b'n' => self.rest_of_literal(b"ull"),
            _ => Err(ScanError),
        }
    }

    fn rest_of_literal(&mut self, rest: &[u8]) -> Result<(), ScanError> {
        let ahead = self.bytes.get(self.position..).ok_or(ScanError)?;
        if !ahead.starts_with(rest) {
            return Err(ScanError);
        }
        self.position += rest.len();
        Ok(())
    }

    fn rest_of_number(&mut self, first: u8) -> Result<(), ScanError> {
        let start = self.position - 1;
        let first_digit = if first == b'-' { self.digit()? } else { first };
        if first_digit != b'0' {
            self.skip_digits();
        } else if self.at_digit() {
            return Err(ScanError);
        }
        let mut exponent = false;
        if self.bytes.get(self.position) == Some(&b'.') {
            self.position += 1;
            self.digit()?;
            self.skip_digits();
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.position) {
            exponent = true;
            self.position += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.position) {
                self.position += 1;
            }
            self.digit()?;
            self.skip_digits();
        }
        // Only a long number or one with an exponent can exceed the range of a double; the parser
        // that will read it later decides exactly.
        if !exponent && self.position - start < 300 {
            return Ok(());
        }
        let number = self.text.get(start..self.position).ok_or(ScanError)?;
        serde_json::from_str::<f64>(number).map(|_| ()).map_err(|_| ScanError)
    }

    fn at_digit(&self) -> bool {
        self.bytes.get(self.position).is_some_and(u8::is_ascii_digit)
    }

    fn digit(&mut self) -> Result<u8, ScanError> {
        match self.bytes.get(self.position) {
            Some(&byte) if byte.is_ascii_digit() => {
                self.position += 1;
                Ok(byte)
            }
            _ => Err(ScanError),
        }
    }

    fn skip_digits(&mut self) {
        while self.at_digit() {
            self.position += 1;
        }
    }

    /// Reads the rest of a string after its opening quote; returns whether it holds escapes.
    fn rest_of_string(&mut self) -> Result<bool, ScanError> {
        let mut escaped = false;
        loop {
            self.skip_plain_characters();
            match self.bytes.get(self.position) {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.position += 1;
                    self.escape()?;
                }
                Some(0x20..) => self.position += 1,
                Some(_) | None => return Err(ScanError),
            }
        }
    }

    /// Skips groups of eight bytes that neither end nor invalidate a string, up to the first byte
    /// that might.
    fn skip_plain_characters(&mut self) {
        let ahead = self.bytes.get(self.position..).unwrap_or_default();
        let (groups, _) = ahead.as_chunks::<8>();
        for group in groups {
            let special = special_bytes(u64::from_le_bytes(*group));
            if special != 0 {
                self.position += special.trailing_zeros() as usize / 8;
                return;
            }
            self.position += 8;
        }
    }

    fn escape(&mut self) -> Result<(), ScanError> {
        let &byte = self.bytes.get(self.position).ok_or(ScanError)?;
        self.position += 1;
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
            b'u' => self.unicode_escape(),
            _ => Err(ScanError),
        }
    }

    /// Reads a `\u` escape; a surrogate is valid only as half of a pair.
    fn unicode_escape(&mut self) -> Result<(), ScanError> {
        match self.four_hex_digits()? {
            0xD800..=0xDBFF => {
                self.rest_of_literal(b"\\u")?;
                match self.four_hex_digits()? {
                    0xDC00..=0xDFFF => Ok(()),
                    _ => Err(ScanError),
                }
            }
            0xDC00..=0xDFFF => Err(ScanError),
            _ => Ok(()),
        }
    }

    fn four_hex_digits(&mut self) -> Result<u32, ScanError> {
        let digits = self.bytes.get(self.position..self.position + 4).ok_or(ScanError)?;
        self.position += 4;
        digits.iter().try_fold(0, |code, &digit| {
            let digit = char::from(digit).to_digit(16).ok_or(ScanError)?;
            Ok(code << 4 | digit)
        })
    }
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
        } else if is_whitespace(byte) {
            out.push_str(&json[kept_from..at]);
            kept_from = at + 1;
        }
    }
    out.push_str(&json[kept_from..]);
    out
}

/// Checks that another container may be opened at this depth.
fn check_levels(levels_above: u32) -> Result<(), ScanError> {
    if levels_above < MAX_LEVELS { Ok(()) } else { Err(ScanError) }
}

#[inline]
fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Marks, by its highest bit, the first of eight bytes that is a quote, a backslash or a control
/// character. Later marks may be wrong.
fn special_bytes(group: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let below = |bytes: u64, limit: u64| bytes.wrapping_sub(ONES * limit) & !bytes;
    let quote = below(group ^ (ONES * u64::from(b'"')), 1);
    let backslash = below(group ^ (ONES * u64::from(b'\\')), 1);
    let control = below(group, 0x20);
    (quote | backslash | control) & (ONES * 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(json: &str) -> bool {
        let mut scanner = Scanner::new(json);
        scanner.value(0).is_ok() && scanner.expect_end().is_ok()
    }

    #[test]
    fn takes_every_form_of_value() {
        for json in [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "-0.0",
            "12.5e-3",
            "1E+2",
            "[]",
            "{}",
            "[ ]",
            "{ }",
            r#""""#,
            r#""é\u00e9\ud83c\udf70\/\b""#,
            r#"[1,"a",[{}],{"a":{"b":[]}}]"#,
            "18446744073709551616",
            " [ 1 , 2 ] ",
        ] {
            assert!(accepts(json), "{json}");
        }
    }

    #[test]
    fn refuses_invalid_json_and_unsupported_values() {
        for json in [
            "",
            "nul",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "[1,]",
            "[,]",
            "{,}",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "[1 2]",
            "[1}",
            "\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\u{1}\"",
            "1e400",
            "-1e400",
            "[[1e999]]",
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud800\u0041""#,
            "NaN",
            "[1",
            "{\"a\":[}",
            "1 2",
        ] {
            assert!(!accepts(json), "{json}");
        }
        assert!(!accepts(&"9".repeat(310)));
        assert!(accepts(&"9".repeat(308)));
    }

    #[test]
    fn nesting_ends_at_127_levels_and_no_depth_overflows_the_stack() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(accepts(&nested(127)));
        assert!(!accepts(&nested(128)));
        assert!(!accepts(&nested(1_000_000)));
        assert!(!accepts(&"{\"a\":".repeat(1_000_000)));
    }

    #[test]
    fn whitespace_goes_between_tokens_and_stays_in_strings() {
        let json = "{ \"a b\" :\t[ 1 ,\r\n \"x \\\" y \\\\\" , { } ] }";
        assert_eq!(without_whitespace(json), r#"{"a b":[1,"x \" y \\",{}]}"#);
    }

    #[test]
    fn notes_whitespace_only_between_tokens() {
        let has_whitespace = |json| Scanner::new(json).value(0).unwrap().has_whitespace;
        assert!(!has_whitespace(r#"["a b","c\td"]"#));
        assert!(has_whitespace(r#"["a", 1]"#));
        assert!(has_whitespace("{\n}"));
        assert!(!has_whitespace(" 5 "));
    }
}
