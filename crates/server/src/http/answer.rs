//! Builds responses of each media type the server sends.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body_util::Full;
use hyper::body::{Frame, SizeHint};
use model::{Code, ServiceError};
use serde::Serialize;

use super::body_memory::BodyMemory;
use super::limits::Limits;

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
        // Serialising fails only on keys that are not strings, and wire types have none.
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

/// Answers a search; the memory of the body counts until the client has read it.
pub fn of_search(body: String, limits: &Limits) -> Result<Response, ServiceError> {
    let taken = limits.searches.take(body.len() as u64).ok_or_else(|| {
        ServiceError::new(
            Code::TooManySearchRequests,
            "Too many large answers are being read at the same time. Retry after 10s.",
        )
    })?;
    let body = HeldBody { body: Full::from(body), _memory: taken };
    Ok(with_type(StatusCode::OK, JSON, Body::new(body)))
}

/// A body in memory, with its share of the memory budget.
struct HeldBody {
    body: Full<Bytes>,
    _memory: BodyMemory,
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Answers with server-sent events, with headers that keep proxies from buffering them.
pub fn events(body: Body) -> Response {
    let mut response = with_type(StatusCode::OK, EVENTS, body);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Forbids browsers to guess a media type other than the declared one.
pub fn never_sniffed(mut response: Response) -> Response {
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    response
}

/// Forbids caching an answer that may hold secrets, unless it has a `Cache-Control` already.
pub fn never_stored(mut response: Response) -> Response {
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(NO_STORE);
    response
}

pub fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
