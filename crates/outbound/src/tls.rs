//! Trusted certificates: those of the system, so that a company's authority works, and where a
//! system has none (a bare container) those of browsers.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto};

use crate::error::OutboundError;

pub(crate) fn config() -> Result<ClientConfig, OutboundError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| OutboundError::Setup(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
