//! HTTP: routes, request validation, wire JSON, and the table from error to status.
//!
//! This is the only crate that knows the protocol. It holds no state of its own: every answer
//! comes from `engine`, and nothing here touches the disk.

mod app;
mod call;
mod http;
mod options;
mod routes;
mod serve;

pub use options::{ServerOptions, VersionInfo};
pub use routes::{RouteInfo, route_table};
pub use serve::serve;
