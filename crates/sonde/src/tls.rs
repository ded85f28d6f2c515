//! Loads the certificate files for HTTPS at start and again on SIGHUP. Every error names its file.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::{self, Ticketer};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache, WebPkiClientVerifier};
use server::Tls;

use crate::options::tls::TlsFiles;
use crate::signals::Hangups;

/// Number of cached sessions for resumption.
const SESSIONS: usize = 256;

/// The first byte of every response in DER, which is a sequence.
const DER_SEQUENCE: u8 = 0x30;

/// Reads all files. Sessions of an earlier configuration cannot be resumed, since client
/// permissions may have changed.
pub fn load(files: &TlsFiles) -> anyhow::Result<ServerConfig> {
    let provider = Arc::new(ring::default_provider());
    let certificates = certificates(&files.certificate)?;
    let key = private_key(&files.key)?;
    let response = match &files.ocsp_response {
        Some(path) => ocsp_response(path)?,
        None => Vec::new(),
    };
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .context("HTTPS cannot be set up")?;
    let builder = match &files.client_roots {
        Some(path) => {
            let clients = client_verifier(path, files.requires_client, provider)?;
            builder.with_client_cert_verifier(clients)
        }
        None => builder.with_no_client_auth(),
    };
    let mut config = builder
        .with_single_cert_with_ocsp(certificates, key, response)
        .map_err(|error| certificate_error(files, &error))?;
    config.session_storage = if files.resumption {
        ServerSessionMemoryCache::new(SESSIONS)
    } else {
        Arc::new(NoServerSessionStorage {})
    };
    if files.tickets {
        config.ticketer = Ticketer::new().context("tickets cannot be set up")?;
    }
    Ok(config)
}

/// Reloads the files on every SIGHUP; on an error the previous configuration stays in force. Never
/// returns.
pub async fn reload_on_hangup(files: TlsFiles, tls: Tls, mut hangups: Hangups) {
    loop {
        hangups.next().await;
        let files = files.clone();
        let loaded = tokio::task::spawn_blocking(move || load(&files)).await;
        match loaded.map_err(anyhow::Error::from).flatten() {
            Ok(config) => {
                tls.replace(config);
                tracing::info!("SIGHUP received: the certificates were reloaded");
            }
            Err(error) => {
                tracing::error!("SIGHUP received: keeping the previous certificates: {error:#}");
            }
        }
    }
}

fn certificates(path: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let text = read(path)?;
    let certificates = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| anyhow!("`{}` is not PEM: {error}", path.display()))?;
    if certificates.is_empty() {
        bail!("`{}` contains no certificate (expected PEM)", path.display());
    }
    Ok(certificates)
}

fn private_key(path: &Path) -> anyhow::Result<PrivateKeyDer<'static>> {
    const ENCRYPTED: &[u8] = b"ENCRYPTED PRIVATE KEY";
    let text = read(path)?;
    let what = match PrivateKeyDer::from_pem_slice(&text) {
        Ok(key) => return Ok(key),
        Err(pem::Error::NoItemsFound)
            if text.windows(ENCRYPTED.len()).any(|part| part == ENCRYPTED) =>
        {
            "contains an encrypted key; decrypt it first".to_owned()
        }
        Err(pem::Error::NoItemsFound) => {
            "contains no private key (expected PEM with PKCS8, RSA or EC)".to_owned()
        }
        Err(error) => format!("is not PEM: {error}"),
    };
    bail!("`{}` {what}", path.display())
}

fn client_verifier(
    path: &Path,
    is_required: bool,
    provider: Arc<CryptoProvider>,
) -> anyhow::Result<Arc<dyn ClientCertVerifier>> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| {
            anyhow!("`{}` contains a certificate that cannot be a root: {error}", path.display())
        })?;
    }
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = if is_required { builder } else { builder.allow_unauthenticated() };
    let verifier = builder.build();
    verifier.with_context(|| format!("the roots in `{}` cannot be used", path.display()))
}

fn ocsp_response(path: &Path) -> anyhow::Result<Vec<u8>> {
    let response = read(path)?;
    if response.first() != Some(&DER_SEQUENCE) {
        bail!("`{}` is not an OCSP response (expected DER)", path.display());
    }
    Ok(response)
}

fn certificate_error(files: &TlsFiles, error: &rustls::Error) -> anyhow::Error {
    let (certificate, key) = (files.certificate.display(), files.key.display());
    match error {
        rustls::Error::InconsistentKeys(_) => {
            anyhow!("the key in `{key}` does not match the certificate in `{certificate}`")
        }
        rustls::Error::InvalidCertificate(_) => {
            anyhow!("the certificate in `{certificate}` cannot be used: {error}")
        }
        _ => anyhow!("the key in `{key}` cannot be used: {error}"),
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("`{}` cannot be read", path.display()))
}
