//! What the HTTP side needs to know to start.

use model::limits::DEFAULT_PAYLOAD_LIMIT;

#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Largest body, in bytes after decompression.
    pub payload_limit: u64,
    /// Production instances show less to a passer-by.
    pub production: bool,
    pub version: VersionInfo,
}

/// What `GET /version` tells.
#[derive(Debug, Clone)]
pub struct VersionInfo {
    pub commit_sha: String,
    pub commit_date: String,
    pub pkg_version: String,
}

impl Default for VersionInfo {
    fn default() -> Self {
        Self {
            commit_sha: "unknown".to_owned(),
            commit_date: "unknown".to_owned(),
            pkg_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            payload_limit: DEFAULT_PAYLOAD_LIMIT,
            production: false,
            version: VersionInfo::default(),
        }
    }
}
