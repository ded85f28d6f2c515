//! Options of the HTTP server.

use std::sync::Arc;

use telemetry::Telemetry;

use crate::bounds::Bounds;
use crate::http::browser_guard::AllowedHosts;
use crate::metrics::Traffic;

#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// True if `/` shows the dashboard.
    pub dashboard: bool,
    pub version: VersionInfo,
    /// Counts feature usage; off unless the operator turns it on.
    pub telemetry: Telemetry,
    pub bounds: Bounds,
    /// Host names under which browsers may use an instance without a master key.
    pub allowed_hosts: AllowedHosts,
    /// Request counters, shared by all listeners of a process.
    pub traffic: Arc<Traffic>,
    /// Controls log output. Without it, the routes of logs answer with an error.
    pub logs: Option<logs::Control>,
}

/// The answer to `GET /version`.
#[derive(Debug, Clone)]
pub struct VersionInfo {
    pub commit_sha: String,
    pub commit_date: String,
    /// The version of the program.
    pub pkg_version: String,
    /// True if `pkgVersion` is the version of the API instead, for tools that compare it.
    pub reports_interface: bool,
}

impl Default for VersionInfo {
    fn default() -> Self {
        Self {
            commit_sha: "unknown".to_owned(),
            commit_date: "unknown".to_owned(),
            pkg_version: env!("CARGO_PKG_VERSION").to_owned(),
            reports_interface: false,
        }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            dashboard: true,
            version: VersionInfo::default(),
            telemetry: Telemetry::off(),
            bounds: Bounds::default(),
            allowed_hosts: AllowedHosts::default(),
            traffic: Arc::default(),
            logs: None,
        }
    }
}
