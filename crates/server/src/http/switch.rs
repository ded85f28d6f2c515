//! Reads headers that switch something on.

use axum::http::HeaderMap;

/// Returns whether the header is `1`, or `true` in any case.
pub fn is_on(headers: &HeaderMap, name: &str) -> bool {
    headers
        .get(name)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true") || value == "1")
}
