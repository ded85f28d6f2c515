//! Normalises paths, so that routes are matched by plain comparison.
//!
//! Repeated and trailing slashes are removed, and percent-encoded letters are decoded. `.` and `..`
//! are ordinary names: nothing is resolved, so a path can never climb.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that stay encoded inside a segment: all that are not unreserved in a URI.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub fn normalise(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        // Decoded before it is encoded again, so that `a%2Fb` stays one segment.
        let name: Cow<'_, str> = percent_decode_str(segment).decode_utf8_lossy();
        normal.push('/');
        normal.extend(utf8_percent_encode(&name, RESERVED));
    }
    if normal.is_empty() {
        normal.push('/');
    }
    normal
}

/// Returns a path that is safe to log: the segment after `/keys` can be the value of a key, and so
/// can anything that looks like one, if a client mistook the path.
pub fn shown(path: &str) -> String {
    let path = normalise(path);
    if path.starts_with("/keys/") {
        return "/keys/…".to_owned();
    }
    let shown = |segment| if looks_like_a_key(segment) { "…" } else { segment };
    path.split('/').map(shown).collect::<Vec<_>>().join("/")
}

fn looks_like_a_key(segment: &str) -> bool {
    segment.len() >= 64 && segment.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_logged() {
        for path in ["/keys/abc", "//keys//abc/", "/%6Beys/abc", "/keys/a/b"] {
            assert_eq!(shown(path), "/keys/…", "{path}");
        }
        let value = "0f".repeat(32);
        assert_eq!(shown(&format!("/KEYS/{value}")), "/KEYS/…");
        assert_eq!(shown(&format!("/api/keys/{value}/x")), "/api/keys/…/x");
        assert_eq!(shown("/keys"), "/keys");
        assert_eq!(shown("/indexes//a"), "/indexes/a");
    }

    #[test]
    fn slashes_are_collapsed() {
        assert_eq!(normalise("//indexes//books//stats//"), "/indexes/books/stats");
        assert_eq!(normalise("/health/"), "/health");
        assert_eq!(normalise("/"), "/");
        assert_eq!(normalise("//"), "/");
    }

    #[test]
    fn letters_are_decoded_and_the_rest_stays_in_its_segment() {
        assert_eq!(normalise("/%69ndexes/b%6Foks"), "/indexes/books");
        assert_eq!(normalise("/indexes/a%2Fb"), "/indexes/a%2Fb");
        assert_eq!(normalise("/indexes/%"), "/indexes/%25");
        assert_eq!(normalise("/indexes/caf%C3%A9"), "/indexes/caf%C3%A9");
        assert_eq!(normalise("/indexes/a+b"), "/indexes/a%2Bb");
    }

    #[test]
    fn dots_are_not_resolved() {
        assert_eq!(normalise("/indexes/../health"), "/indexes/../health");
        assert_eq!(normalise("/./health"), "/./health");
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced() {
        assert_eq!(normalise("/indexes/%FF"), "/indexes/%EF%BF%BD");
    }
}
