//! Where objects go and how.

use std::path::PathBuf;
use std::time::Duration;

use model::Secret;

/// How requests are signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    Keys {
        access_key: String,
        secret_key: Secret,
    },
    WebIdentity {
        role_arn: String,
        token_file: PathBuf,
        /// The token service; that of the region if none is named.
        service_url: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketOptions {
    /// The server, without the name of the bucket.
    pub url: String,
    pub region: String,
    pub name: String,
    pub access: Access,
    /// How long a signed request may be used.
    pub signature_duration: Duration,
    /// Bytes of each part but the last.
    pub part_bytes: u64,
    /// Parts that are sent at the same time.
    pub parallel_parts: usize,
    /// Before a request that failed is sent again; longer each time.
    pub retry_pause: Duration,
}

impl BucketOptions {
    pub const RETRY_PAUSE: Duration = Duration::from_millis(500);
}
