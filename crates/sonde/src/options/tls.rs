//! File options for HTTPS. The files are read by `crate::tls`.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Roots for the certificates of clients.
    pub client_roots: Option<PathBuf>,
    /// True if clients must show a certificate.
    pub requires_client: bool,
    pub ocsp_response: Option<PathBuf>,
    pub resumption: bool,
    pub tickets: bool,
}
