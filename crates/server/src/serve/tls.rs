//! The current TLS configuration, which can be replaced while the server runs. Existing connections
//! keep the keys that they negotiated.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// ALPN names of the versions of HTTP.
pub const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

#[derive(Debug, Clone)]
pub struct Tls {
    current: Arc<ArcSwap<ServerConfig>>,
}

impl Tls {
    pub fn new(config: ServerConfig) -> Self {
        Self { current: Arc::new(ArcSwap::from_pointee(offering_versions(config))) }
    }

    /// Uses `config` for new connections from now on.
    pub fn replace(&self, config: ServerConfig) {
        self.current.store(Arc::new(offering_versions(config)));
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.current.load_full())
    }
}

fn offering_versions(mut config: ServerConfig) -> ServerConfig {
    config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
    config
}
