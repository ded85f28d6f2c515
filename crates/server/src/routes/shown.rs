//! Serves pages and their files to browsers: under a strict content security policy, and
//! revalidated by `ETag`.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::http::answer;

/// Forbids other origins, inline code, framing, and text as markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    // Cached, but revalidated each time: a new binary may bring new files.
    (header::CACHE_CONTROL, "no-cache"),
];

/// Answers with `body`, or with 304 if the browser has the version that `tag` names.
pub fn show(
    request: &HeaderMap,
    tag: &HeaderValue,
    kind: HeaderValue,
    body: impl Into<Body>,
) -> Response {
    let mut response = if is_known(request, tag) {
        answer::empty(StatusCode::NOT_MODIFIED)
    } else {
        answer::with_type(StatusCode::OK, kind, body)
    };
    protect(response.headers_mut());
    response.headers_mut().insert(header::ETAG, tag.clone());
    response
}

pub fn protect(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Returns whether the client already has the current version.
fn is_known(request: &HeaderMap, tag: &HeaderValue) -> bool {
    request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| known.trim().as_bytes() == tag.as_bytes())
}

/// Returns the media type of a file by its extension.
pub fn kind_of(file: &str) -> HeaderValue {
    HeaderValue::from_static(match file.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "json")) => "application/json",
        Some((_, "svg")) => "image/svg+xml",
        _ => "application/octet-stream",
    })
}
