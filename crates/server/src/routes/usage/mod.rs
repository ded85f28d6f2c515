//! Reports requests to telemetry. Texts of a request never pass this module but for the few that a
//! row reads by `telemetry::name`; only their length, kind or presence does.
//!
//! `events!` lists what is counted, and a row of `figures!` says of each figure its path, its meaning,
//! how it is folded and how it is read. It is read for each search, so nothing is allocated but the
//! list of readings.

mod documents;
mod filter;
mod instance;
mod search;
mod settings;

use ::settings::Change;
use axum::http::{HeaderMap, HeaderName, header};
use engine::search::{FacetSearchRequest, SimilarRequest};
use engine::{DocumentView, ListDocuments};
use model::Features;
use network::Network;
use serde_json::{Map, Value};
use telemetry::{Event, PendingRequest, Reading, plain};

use super::search::body::{QueryBody, SearchBody};
use super::tasks::filter::TaskFilter;
use crate::app::App;

pub use self::documents::DeletionScope;

/// Header with which programs name their client library, since browsers do not let them set
/// `User-Agent`.
pub const CLIENT: HeaderName = HeaderName::from_static("x-meilisearch-client");

telemetry::events! {
    searched_get(body: &SearchBody) = search::search, "Documents Searched GET", "`GET /indexes/{uid}/search`";
    searched_post(body: &SearchBody) = search::search, "Documents Searched POST", "`POST /indexes/{uid}/search`";
    multi_searched(queries: &[QueryBody], is_federated: bool) = search::multi_search,
        "Documents Searched by Multi-Search POST", "`POST /multi-search`";
    facet_searched(request: &FacetSearchRequest) = search::facet_search,
        "Facet Searched POST", "`POST /indexes/{uid}/facet-search`";
    similar_get(request: &SimilarRequest) = search::similar, "Similar GET", "`GET /indexes/{uid}/similar`";
    similar_post(request: &SimilarRequest) = search::similar, "Similar POST", "`POST /indexes/{uid}/similar`";
    documents_added(headers: &HeaderMap, key: Option<&str>, creates_index: bool) = documents::addition,
        "Documents Added", "`POST /indexes/{uid}/documents`";
    documents_updated(headers: &HeaderMap, key: Option<&str>, creates_index: bool) = documents::addition,
        "Documents Updated", "`PUT /indexes/{uid}/documents`";
    documents_edited(has_filter: bool, creates_index: bool) = documents::edition,
        "Documents Edited By Function", "`POST /indexes/{uid}/documents/edit`";
    documents_deleted(scope: DeletionScope) = documents::deletion, "Documents Deleted",
        "`DELETE /indexes/{uid}/documents`, `DELETE …/documents/{id}`, `POST …/documents/delete`, `POST …/documents/delete-batch`";
    fetched_get(view: &DocumentView, page: Option<&ListDocuments>) = documents::fetch,
        "Documents Fetched GET", "`GET /indexes/{uid}/documents`, `GET …/documents/{id}`";
    fetched_post(view: &DocumentView, page: Option<&ListDocuments>) = documents::fetch,
        "Documents Fetched POST", "`POST /indexes/{uid}/documents/fetch`";
    documents_rendered() = plain, "Documents Rendered", "`POST /render-template`";
    index_created(key: Option<&str>) = documents::primary_key, "Index Created", "`POST /indexes`";
    index_updated(key: Option<&str>) = documents::primary_key, "Index Updated", "`PATCH /indexes/{uid}`";
    index_compacted() = plain, "Index Compacted", "`POST /indexes/{uid}/compact`";
    indexes_swapped(operations: usize) = instance::swap, "Indexes Swapped", "`POST /swap-indexes`";
    settings_updated(change: &Change) = settings::settings,
        "Settings Updated", "Every change and reset of settings, of one or of many.";
    tasks_canceled(filter: &TaskFilter) = instance::task_choice, "Tasks Canceled", "`POST /tasks/cancel`";
    tasks_deleted(filter: &TaskFilter) = instance::task_choice, "Tasks Deleted", "`DELETE /tasks`";
    dump_created() = plain, "Dump Created", "`POST /dumps`";
    snapshot_created() = plain, "Snapshot Created", "`POST /snapshots`";
    export_triggered(has_api_key: bool, payload_size: Option<u64>, patterns: &Map<String, Value>) = instance::export,
        "Export Triggered", "`POST /export`";
    features_updated(after: Features) = instance::features, "Experimental features Updated", "`PATCH /experimental-features`";
    network_updated(after: &Network) = instance::network, "Network Updated", "`PATCH /network`";
    webhook_created() = instance::created_webhook, "Webhooks Created", "`POST /webhooks`";
    webhook_updated() = instance::updated_webhook, "Webhooks Updated", "`PATCH` and `DELETE /webhooks/{uuid}`";
    search_rule_changed() = plain, "Dynamic Search Rules Created or Updated", "`PATCH /dynamic-search-rules/{uid}`";
    search_rules_deleted() = plain,
        "Dynamic Search Rules Deleted", "`DELETE /dynamic-search-rules`, `DELETE /dynamic-search-rules/{uid}`";
    chat_completed(model: &str) = instance::chat, "Chat Completion POST", "`POST /chats/{uid}/chat/completions`";
}

telemetry::figures! {
    /// The outcome of a timed request.
    outcome() {
        "requests.total_succeeded", "Those that were answered.", Succeeded, Reading::Nothing;
        "requests.total_failed", "Those that were well-formed and could not be answered.", Failed, Reading::Nothing;
        "requests.99th_response_time", "Milliseconds within which 99 of 100 were answered.", ResponseTime, Reading::Nothing;
    }
}

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

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
