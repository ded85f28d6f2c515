//! Reports requests to telemetry. Texts of a request never pass this module; only their length,
//! kind or presence does.

mod search;
mod settings;

use axum::http::{HeaderMap, HeaderName, header};
use telemetry::{Event, PendingRequest};

use crate::app::App;

pub use search::{facet_search, filter, multi_search, search, similar};
pub use settings::settings;

/// Header with which programs name their client library, since browsers do not let them set
/// `User-Agent`.
pub const CLIENT: HeaderName = HeaderName::from_static("x-meilisearch-client");

impl App {
    /// Counts a request.
    pub fn record(&self, headers: &HeaderMap, event: impl FnOnce() -> Event) {
        self.options.telemetry.record(agent(headers), event);
    }

    /// Counts a long request: as failed, unless the result is marked otherwise.
    pub fn begin(&self, headers: &HeaderMap, event: impl FnOnce() -> Event) -> PendingRequest {
        self.options.telemetry.begin(agent(headers), event)
    }
}

fn agent(headers: &HeaderMap) -> Option<&[u8]> {
    let named = headers.get(CLIENT).or_else(|| headers.get(header::USER_AGENT));
    named.map(axum::http::HeaderValue::as_bytes)
}

/// Returns the content type as text.
pub fn content_type(headers: &HeaderMap) -> Option<Box<str>> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok().map(Into::into)
}
