//! Encryption of connections: the keys in force, which can be exchanged while the server runs.
//! Connections that exist keep what they agreed on.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// The names by which a client and a server agree on a version of HTTP.
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

    /// New connections use this from now on.
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
