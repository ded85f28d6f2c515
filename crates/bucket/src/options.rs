//! Options of a bucket.

use std::path::PathBuf;
use std::time::Duration;

use model::Secret;

/// Credentials that sign requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    Keys {
        access_key: String,
        secret_key: Secret,
    },
    WebIdentity {
        role_arn: String,
        token_file: PathBuf,
        /// The token service; the region's if absent.
        service_url: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketOptions {
    /// URL of the server, without the bucket's name.
    pub url: String,
    pub region: String,
    pub name: String,
    pub access: Access,
    /// Lifetime of a signed request.
    pub signature_duration: Duration,
    /// Bytes of each part but the last.
    pub part_bytes: u64,
    /// Number of parts sent at the same time.
    pub parallel_parts: usize,
    /// Pause before a retry; it grows each time.
    pub retry_pause: Duration,
}

impl BucketOptions {
    pub const RETRY_PAUSE: Duration = Duration::from_millis(500);
}
