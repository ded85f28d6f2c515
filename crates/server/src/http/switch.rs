//! Headers that switch something on.

use axum::http::HeaderMap;

/// `true`, however it is written, and `1` do.
pub fn is_on(headers: &HeaderMap, name: &str) -> bool {
    headers
        .get(name)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true") || value == "1")
}
