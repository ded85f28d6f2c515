//! A client that speaks HTTP/1.1 over an encrypted connection and tells what was agreed on.

use std::io::{self, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, HandshakeKind, RootCertStore,
    SignatureScheme, StreamOwned,
};

use super::certificates::{Authority, Identity};
use crate::support::http::{self, Answer};

const TIMEOUT: Duration = Duration::from_secs(60);

pub type Connection = BufReader<StreamOwned<ClientConnection, TcpStream>>;

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// A client that trusts this authority, and has a certificate of its own or none.
pub fn trusting(authority: &Authority, identity: Option<&Identity>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.root()).unwrap();
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    Arc::new(match identity {
        Some(identity) => {
            let chain = vec![identity.certificate.der().clone()];
            builder.with_client_auth_cert(chain, identity.key_der()).unwrap()
        }
        None => builder.with_no_client_auth(),
    })
}

/// A client that believes everything and remembers what it was shown.
pub fn accept_any_certificate() -> (Arc<ClientConfig>, Arc<CertificateRecorder>) {
    let shown = Arc::new(CertificateRecorder::default());
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(&shown) as Arc<dyn ServerCertVerifier>)
        .with_no_client_auth();
    (Arc::new(config), shown)
}

#[derive(Debug, Default)]
pub struct CertificateRecorder {
    pub certificate: Mutex<Vec<u8>>,
    pub ocsp_response: Mutex<Vec<u8>>,
}

impl ServerCertVerifier for CertificateRecorder {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _between: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        *self.certificate.lock().unwrap() = certificate.to_vec();
        *self.ocsp_response.lock().unwrap() = ocsp_response.to_vec();
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

pub fn connect(server: SocketAddr, config: &Arc<ClientConfig>) -> Connection {
    let stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let session = ClientConnection::new(Arc::clone(config), name).unwrap();
    BufReader::new(StreamOwned::new(session, stream))
}

/// One request on a connection that stays open.
pub fn get(connection: &mut Connection, path: &str) -> io::Result<Answer> {
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.get_mut().write_all(head.as_bytes())?;
    http::read_answer(connection)
}

/// The status of `/health` on a connection of its own, or why there is none.
pub fn health(server: SocketAddr, config: &Arc<ClientConfig>) -> Result<u16, String> {
    let mut connection = connect(server, config);
    get(&mut connection, "/health").map(|answer| answer.status).map_err(|error| error.to_string())
}

/// Whether a second connection of this client resumes the session of the first.
pub fn resumes(server: SocketAddr, config: &Arc<ClientConfig>) -> bool {
    assert_eq!(health(server, config), Ok(200));
    let mut again = connect(server, config);
    get(&mut again, "/health").unwrap();
    again.get_ref().conn.handshake_kind() == Some(HandshakeKind::Resumed)
}
