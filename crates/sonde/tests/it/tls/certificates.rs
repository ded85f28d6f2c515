//! Authorities and certificates for one test, written as the files that the server reads.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate authority.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

/// A certificate with its key.
pub struct Identity {
    pub certificate: rcgen::Certificate,
    pub key: KeyPair,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        Self { issuer: Issuer::new(parameters, key), certificate }
    }

    /// A certificate for the server at `localhost`.
    pub fn server(&self) -> Identity {
        self.sign("server", ExtendedKeyUsagePurpose::ServerAuth)
    }

    pub fn client(&self) -> Identity {
        self.sign("client", ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, name: &str, purpose: ExtendedKeyUsagePurpose) -> Identity {
        let mut parameters = CertificateParams::new(["localhost".to_owned()]).unwrap();
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.extended_key_usages = vec![purpose];
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        Identity { certificate, key }
    }

    pub fn root(&self) -> CertificateDer<'static> {
        self.certificate.der().clone()
    }

    pub fn write_root(&self, path: &Path) {
        fs::write(path, self.certificate.pem()).unwrap();
    }
}

impl Identity {
    /// Writes `cert.pem` and `key.pem`.
    pub fn write(&self, folder: &Path) {
        fs::write(folder.join("cert.pem"), self.certificate.pem()).unwrap();
        fs::write(folder.join("key.pem"), self.key.serialize_pem()).unwrap();
    }

    pub fn key_der(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::try_from(self.key.serialize_der()).unwrap()
    }
}

/// A key or certificate that is kept beside the tests.
pub fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls/keys").join(name)
}
