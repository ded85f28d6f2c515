//! The few forms an answer takes.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
pub const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
pub const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

pub fn json<T: Serialize>(status: StatusCode, value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => with_type(status, JSON, bytes),
        // Wire types have string keys only, which is all that serialising could refuse.
        Err(error) => {
            tracing::error!("an answer could not be written: {error}");
            empty(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

pub fn ok<T: Serialize>(value: &T) -> Response {
    json(StatusCode::OK, value)
}

pub fn with_type(status: StatusCode, kind: HeaderValue, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Server-sent events, which nothing on the way may hold back.
pub fn events(body: Body) -> Response {
    let mut response = with_type(StatusCode::OK, EVENTS, body);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Nothing in an answer may be taken for another type than it says.
pub fn never_sniffed(mut response: Response) -> Response {
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    response
}

/// For answers that may hold secrets, unless they say themselves how they are cached.
pub fn never_stored(mut response: Response) -> Response {
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(NO_STORE);
    response
}

pub fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
