//! What telemetry is told of requests: from what a route has read to what is counted of it. Texts
//! of a request end here; only their length, their kind or their presence goes on.

mod search;
mod settings;

use axum::http::{HeaderMap, HeaderName, header};
use telemetry::{Event, PendingRequest};

use crate::app::App;

pub use search::{facet_search, filter, multi_search, search, similar};
pub use settings::settings;

/// Programs say here which libraries they use, where browsers do not let them name themselves.
pub const CLIENT: HeaderName = HeaderName::from_static("x-meilisearch-client");

impl App {
    /// Counts a request.
    pub fn record(&self, headers: &HeaderMap, event: impl FnOnce() -> Event) {
        self.options.telemetry.record(agent(headers), event);
    }

    /// Counts a request that takes a while: as failed, unless the value is told otherwise.
    pub fn begin(&self, headers: &HeaderMap, event: impl FnOnce() -> Event) -> PendingRequest {
        self.options.telemetry.begin(agent(headers), event)
    }
}

fn agent(headers: &HeaderMap) -> Option<&[u8]> {
    let named = headers.get(CLIENT).or_else(|| headers.get(header::USER_AGENT));
    named.map(axum::http::HeaderValue::as_bytes)
}

/// A header as text, for those few that are told.
pub fn content_type(headers: &HeaderMap) -> Option<Box<str>> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok().map(Into::into)
}
