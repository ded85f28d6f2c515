//! The text that clients send for an API key. It is derived from the master key and the key's uid,
//! and therefore never stored.

use std::fmt;

use subtle::ConstantTimeEq;

/// Bytes of a value; clients send them in hexadecimal digits.
pub(crate) const VALUE_BYTES: usize = 32;

#[derive(Clone)]
pub struct KeyValue([u8; VALUE_BYTES]);

impl KeyValue {
    pub(crate) fn new(bytes: [u8; VALUE_BYTES]) -> Self {
        Self(bytes)
    }

    /// Parses digits in either case; none for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 2 * VALUE_BYTES {
            return None;
        }
        let mut bytes = [0; VALUE_BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = 16 * digit(pair[0])? + digit(pair[1])?;
        }
        Some(Self(bytes))
    }

    /// Returns lower-case digits, as clients see them and tenant tokens are signed with.
    pub fn to_text(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(2 * VALUE_BYTES);
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        text
    }

    pub(crate) fn bytes(&self) -> &[u8; VALUE_BYTES] {
        &self.0
    }

    /// Compares in constant time.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

fn digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Hides the value: it must not reach a log.
impl fmt::Debug for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyValue(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_may_be_in_either_case_and_nothing_else() {
        let text = "0123456789abcdef".repeat(4);
        for spelling in [text.clone(), text.to_uppercase()] {
            assert_eq!(KeyValue::parse(&spelling).unwrap().to_text(), text);
        }
        let long = format!("{text}0");
        for bad in ["", &text[1..], &long, &text.replace('0', "g"), &text.replace("01", "é")] {
            assert!(KeyValue::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn values_compare_as_wholes_and_are_not_shown() {
        let value = |last: u8| {
            let mut bytes = [7; VALUE_BYTES];
            bytes[VALUE_BYTES - 1] = last;
            KeyValue::new(bytes)
        };
        assert!(value(1).is(&value(1)) && !value(1).is(&value(2)));
        assert_eq!(format!("{:?}", value(1)), "KeyValue(…)");
    }
}
