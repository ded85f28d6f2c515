//! Cross-origin requests: allows every origin, method and header, without credentials.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;

use super::answer;

const ANY: HeaderValue = HeaderValue::from_static("*");
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
/// A day, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("86400");
const VARIES_BY: HeaderValue = HeaderValue::from_static(
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers, Accept-Encoding",
);

/// Answers the request if it is a preflight, on any path.
pub fn preflight(method: &Method, request: &HeaderMap) -> Option<Response> {
    if method != Method::OPTIONS || !request.contains_key(ORIGIN) {
        return None;
    }
    let asked = request.get(ACCESS_CONTROL_REQUEST_METHOD)?;
    Method::from_bytes(asked.as_bytes()).ok()?;

    let mut response = answer::empty(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    if let Some(names) = request.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    Some(response)
}

/// Adds the CORS headers that every answer has.
pub fn mark(from_an_origin: bool, headers: &mut HeaderMap) {
    headers.insert(VARY, VARIES_BY);
    if from_an_origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn a_preflight_gets_its_headers_back() {
        let headers = request(&[
            ("origin", "https://shop.example"),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "authorization, x-custom"),
        ]);
        let response = preflight(&Method::OPTIONS, &headers).unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["access-control-allow-headers"], "authorization, x-custom");
        assert_eq!(response.headers()["access-control-max-age"], "86400");
    }

    #[test]
    fn other_options_requests_are_no_preflight() {
        let no_origin = request(&[("access-control-request-method", "POST")]);
        assert!(preflight(&Method::OPTIONS, &no_origin).is_none());
        let no_method = request(&[("origin", "https://shop.example")]);
        assert!(preflight(&Method::OPTIONS, &no_method).is_none());
        let odd = request(&[
            ("origin", "https://shop.example"),
            ("access-control-request-method", "NOT A METHOD"),
        ]);
        assert!(preflight(&Method::OPTIONS, &odd).is_none());
        let get = request(&[("origin", "a"), ("access-control-request-method", "POST")]);
        assert!(preflight(&Method::GET, &get).is_none());
    }
}
