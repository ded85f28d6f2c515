//! Decodes headers that mirror a part of the body. Values that are invalid in a header are sent as
//! `=?base64?…?=`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Decodes a value; `None` if it is damaged.
pub fn decoded(value: &str) -> Option<String> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        None => Some(value.to_owned()),
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_plain_or_marked() {
        for (value, expected) in [
            ("search", Some("search")),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", Some("Hello, 世界")),
            ("=?base64?c2VhcmNo?=", Some("search")),
            ("=?base64??=", Some("")),
            ("=?base64?c2VhcmNo", Some("=?base64?c2VhcmNo")),
            ("=?base64?!?=", None),
            ("=?base64?/w==?=", None),
        ] {
            assert_eq!(decoded(value).as_deref(), expected, "{value}");
        }
    }
}
