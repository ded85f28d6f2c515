//! The few forms an answer takes.

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

use super::limits::Limits;
use super::room::Taken;

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

/// The answer to a search, whose memory counts until the client has read it.
pub fn of_search(body: String, limits: &Limits) -> Result<Response, ServiceError> {
    let taken = limits.searches.take(body.len() as u64).ok_or_else(|| {
        ServiceError::new(
            Code::TooManySearchRequests,
            "Too many large answers are being read at the same time. Retry after 10s.",
        )
    })?;
    let body = HeldBody { body: Full::from(body), _taken: taken };
    Ok(with_type(StatusCode::OK, JSON, Body::new(body)))
}

/// A body in memory, with the room that it takes.
struct HeldBody {
    body: Full<Bytes>,
    _taken: Taken,
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
