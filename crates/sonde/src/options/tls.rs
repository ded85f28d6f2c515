//! What HTTPS is made of, as the operator names it. The files are read by `crate::tls`.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Clients may show certificates that lead to one of these.
    pub client_roots: Option<PathBuf>,
    /// They must.
    pub requires_client: bool,
    pub ocsp_response: Option<PathBuf>,
    pub resumption: bool,
    pub tickets: bool,
}
