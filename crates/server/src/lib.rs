//! HTTP: routes, request validation, wire JSON, and the table from error to status.
//!
//! This is the only crate that knows the protocol. It holds no state of its own but counts of
//! requests: every answer comes from `engine`, and nothing here touches the disk.

mod access;
mod app;
mod blocking;
mod bounds;
mod call;
mod dispatch;
mod http;
mod metrics;
mod openapi;
mod options;
mod relay;
mod route;
mod routes;
mod schema;
mod search_parameters;
mod serve;
mod setting_paths;

pub use bounds::Bounds;
pub use http::browser_guard::AllowedHosts;
pub use metrics::Traffic;
pub use options::{ServerOptions, VersionInfo};
pub use route::RouteInfo;
#[doc(hidden)]
pub use routes::fuzzing;
pub use routes::{openapi_document, route_table, write_task};
pub use serve::{Listeners, Tls, serve};
