//! Counts a request, and traces it as a span, from its arrival at a route to the head of its
//! answer.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::http::{HeaderValue, Method, Request};
use axum::response::Response;
use tracing::Span;
use tracing::field::Empty;

use super::traffic::PathCounts;

pub struct RequestSpan {
    counts: Arc<PathCounts>,
    method: Method,
    begun: Instant,
    span: Span,
}

impl RequestSpan {
    pub fn begin(pattern: &'static str, counts: Arc<PathCounts>, request: &Request<Body>) -> Self {
        let method = request.method().clone();
        let traceparent = || request.headers().get("traceparent").map(HeaderValue::to_str);
        // The pattern instead of the path and the query string, which contain what people search
        // for.
        let span = tracing::trace_span!(
            target: "sonde::span",
            "request",
            otel.name = %format_args!("{method} {pattern}"),
            otel.kind = "server",
            otel.status_code = Empty,
            http.request.method = method.as_str(),
            http.route = pattern,
            http.response.status_code = Empty,
            traceparent = traceparent().and_then(Result::ok),
        );
        Self { counts, method, begun: Instant::now(), span }
    }

    pub fn span(&self) -> Span {
        self.span.clone()
    }

    pub fn end(self, response: &Response) {
        let status = response.status();
        self.counts.count(&self.method, status, self.begun.elapsed());
        self.span.record("http.response.status_code", status.as_u16());
        if status.is_server_error() {
            self.span.record("otel.status_code", "ERROR");
        }
    }
}
