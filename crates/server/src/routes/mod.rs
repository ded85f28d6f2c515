//! The route table: every path, its methods, and the action a key needs. Nothing else is routed, so
//! a test can walk the whole API.

mod batches;
mod chats;
mod damaged;
mod dashboard;
mod docs;
mod documents;
mod dumps;
mod dynamic_search_rules;
mod expiry;
mod export;
mod features;
mod fields;
pub mod fuzzing;
mod indexes;
mod instance;
mod keys;
mod logs;
mod mcp;
mod metrics;
mod multi_search;
mod network;
mod on_network;
mod paging;
mod render_template;
mod search;
mod settings;
mod shown;
mod snapshots;
mod stats;
mod swap;
mod tasks;
mod telemetry;
mod usage;
mod webhooks;

use axum::http::Method;

use crate::route::{Route, RouteInfo, route};

pub use docs::openapi_document;
pub use webhooks::write_task;

#[rustfmt::skip]
pub(crate) fn table() -> Vec<Route> {
    const GET: Method = Method::GET;
    const POST: Method = Method::POST;
    const PUT: Method = Method::PUT;
    const PATCH: Method = Method::PATCH;
    const DELETE: Method = Method::DELETE;
    let mut table = vec![
        route(GET, "/", None, dashboard::page),
        route(GET, "/dashboard/{folder}/{file}", None, dashboard::file),
        route(GET, "/health", None, instance::health),
        route(GET, "/version", "version", instance::version),
        route(GET, "/docs", None, docs::start),
        route(GET, "/docs/{page}", None, docs::page),
        route(GET, "/docs/assets/{file}", None, docs::file),
        route(GET, "/openapi.json", None, docs::openapi),
        // About the whole instance: keys restricted to some indexes do not have the second action.
        route(GET, "/telemetry/preview", "*+metrics.get", telemetry::preview),

        route(GET, "/indexes", "indexes.get", indexes::list),
        route(POST, "/indexes", "indexes.create", indexes::create),
        route(GET, "/indexes/{uid}", "indexes.get", indexes::get),
        route(PATCH, "/indexes/{uid}", "indexes.update", indexes::update),
        route(DELETE, "/indexes/{uid}", "indexes.delete", indexes::delete),
        route(POST, "/indexes/{uid}/compact", "indexes.compact", indexes::compact),
        route(POST, "/indexes/{uid}/fields", "fields.post", fields::list),
        route(POST, "/swap-indexes", "indexes.swap", swap::swap),
        route(GET, "/indexes/{uid}/stats", "stats.get", stats::of_index),
        route(GET, "/stats", "stats.get", stats::of_instance),

        route(GET, "/indexes/{uid}/documents", "documents.get", documents::read::list),
        route(POST, "/indexes/{uid}/documents", "documents.add", documents::add::replace),
        route(PUT, "/indexes/{uid}/documents", "documents.add", documents::add::update),
        route(DELETE, "/indexes/{uid}/documents", "documents.delete", documents::delete::all),
        route(POST, "/indexes/{uid}/documents/fetch", "documents.get", documents::read::fetch),
        route(POST, "/indexes/{uid}/documents/delete", "documents.delete", documents::delete::by_filter),
        route(POST, "/indexes/{uid}/documents/delete-batch", "documents.delete", documents::delete::batch),
        route(POST, "/indexes/{uid}/documents/edit", "documents.*", documents::edit::edit),
        route(GET, "/indexes/{uid}/documents/{id}", "documents.get", documents::read::one),
        route(DELETE, "/indexes/{uid}/documents/{id}", "documents.delete", documents::delete::one),

        route(GET, "/indexes/{uid}/search", "search", search::get),
        route(POST, "/indexes/{uid}/search", "search", search::post),
        route(POST, "/indexes/{uid}/facet-search", "search", search::facet::search),
        route(POST, "/indexes/{uid}/suggest", "search", search::suggest::suggest),
        route(GET, "/indexes/{uid}/similar", "search", search::similar::get),
        route(POST, "/indexes/{uid}/similar", "search", search::similar::post),

        route(POST, "/multi-search", "search", multi_search::search),
        // Each tool checks its own action again.
        route(POST, "/mcp", mcp::ACTIONS, mcp::post),

        route(POST, "/render-template", "settings.get+documents.get", render_template::render),

        route(GET, "/tasks", "tasks.get", tasks::list),
        route(DELETE, "/tasks", "tasks.delete", tasks::delete),
        route(POST, "/tasks/cancel", "tasks.cancel", tasks::cancel),
        route(POST, "/tasks/compact", "tasks.compact", tasks::compact),
        route(GET, "/tasks/stream", "tasks.get", tasks::stream::of_tasks),
        route(GET, "/tasks/{uid}", "tasks.get", tasks::get),
        route(GET, "/tasks/{uid}/documents", "tasks.get", tasks::documents),
        route(GET, "/batches", "tasks.get", batches::list),
        route(GET, "/batches/stream", "tasks.get", tasks::stream::of_batches),
        route(GET, "/batches/{uid}", "tasks.get", batches::get),

        route(POST, "/snapshots", "snapshots.create", snapshots::create),
        route(POST, "/dumps", "dumps.create", dumps::create),
        route(POST, "/export", "export", export::export),

        route(POST, "/dynamic-search-rules", "dynamicSearchRules.get", dynamic_search_rules::list),
        route(DELETE, "/dynamic-search-rules", "dynamicSearchRules.delete", dynamic_search_rules::clear),
        route(GET, "/dynamic-search-rules/{uid}", "dynamicSearchRules.get", dynamic_search_rules::get),
        route(PATCH, "/dynamic-search-rules/{uid}", "dynamicSearchRules.update", dynamic_search_rules::update),
        route(DELETE, "/dynamic-search-rules/{uid}", "dynamicSearchRules.delete", dynamic_search_rules::delete),

        route(GET, "/keys", "keys.get", keys::list),
        route(POST, "/keys", "keys.create", keys::create),
        route(GET, "/keys/{key}", "keys.get", keys::get),
        route(PATCH, "/keys/{key}", "keys.update", keys::update),
        route(DELETE, "/keys/{key}", "keys.delete", keys::delete),

        route(GET, "/experimental-features", "experimental.get", features::get),
        route(PATCH, "/experimental-features", "experimental.update", features::update),

        route(GET, "/chats", "chats.get", chats::list),
        route(GET, "/chats/{uid}", "chats.get", chats::get),
        route(DELETE, "/chats/{uid}", "chats.delete", chats::delete),
        route(GET, "/chats/{uid}/settings", "chatsSettings.get", chats::settings::get),
        route(PATCH, "/chats/{uid}/settings", "chatsSettings.update", chats::settings::update),
        route(DELETE, "/chats/{uid}/settings", "chatsSettings.update", chats::settings::reset),
        route(POST, "/chats/{uid}/chat/completions", "chatCompletions", chats::completions::complete),

        route(GET, "/webhooks", "webhooks.get", webhooks::list),
        route(POST, "/webhooks", "webhooks.create", webhooks::create),
        route(GET, "/webhooks/{uuid}", "webhooks.get", webhooks::get),
        route(PATCH, "/webhooks/{uuid}", "webhooks.update", webhooks::update),
        route(DELETE, "/webhooks/{uuid}", "webhooks.delete", webhooks::delete),

        route(GET, "/metrics", "metrics.get", metrics::get),
        route(POST, "/logs/stream", "metrics.get", logs::open_stream),
        route(DELETE, "/logs/stream", "metrics.get", logs::end_stream),
        route(POST, "/logs/stderr", "metrics.get", logs::set_stderr),

        route(GET, "/network", "network.get", network::get),
        route(PATCH, "/network", "network.update", network::update),
        route(POST, "/network/control", "network.update", network::control),
    ];
    table.extend(settings::routes());
    table
}

pub fn route_table() -> Vec<RouteInfo> {
    table()
        .into_iter()
        .map(|Route { method, pattern, action, .. }| RouteInfo {
            method: method.to_string(),
            pattern,
            action,
        })
        .collect()
}
