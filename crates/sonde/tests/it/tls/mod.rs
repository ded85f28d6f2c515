//! HTTPS, with the real program and real sockets: what is served, who is let in, how keys are
//! exchanged while it runs, and what is said when the files are wrong.

mod certificates;
mod client;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use certificates::{Authority, Identity, kept};
use client::{accept_any_certificate, connect, get, health, resumes, trusting};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ProtocolVersion, version};
use tempfile::TempDir;
use testkit::wait_for;

use crate::support::process::{Server, run};

/// A server with HTTPS in a folder of its own.
struct Https {
    folder: TempDir,
    server: Server,
    address: SocketAddr,
    authority: Authority,
}

impl Https {
    fn start(options: &[&str]) -> Self {
        Self::prepared(options, |_| {})
    }

    /// `prepare` writes what the options name.
    fn prepared(options: &[&str], prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("authority");
        authority.server().write(folder.path());
        prepare(folder.path());
        let files = ["--ssl-cert-path", "cert.pem", "--ssl-key-path", "key.pem"];
        let words: Vec<&str> = files.iter().chain(options).copied().collect();
        let mut server = Server::spawn(folder.path(), &words);
        let address = server.address().unwrap();
        Self { folder, server, address, authority }
    }

    /// Status of `/health` for a client that trusts the authority.
    fn health(&self, identity: Option<&Identity>) -> Result<u16, String> {
        health(self.address, &trusting(&self.authority, identity))
    }

    /// Sends SIGHUP and waits until the log says this once more.
    fn reload_until(&self, said: &str) {
        let times = |text: &str| text.matches(said).count();
        let before = times(&self.server.printed());
        self.server.signal("HUP");
        wait_for(|| {
            let printed = self.server.printed();
            let is_said = times(&printed) > before;
            if is_said { Ok(()) } else { Err(format!("`{said}` is not logged: {printed}")) }
        });
    }
}

#[test]
fn answers_are_encrypted_and_links_say_so() {
    let https = Https::start(&[]);
    assert!(https.server.printed().contains("Server listening on:    https://127.0.0.1:"));
    let mut connection = connect(https.address, &trusting(&https.authority, None));
    assert_eq!(get(&mut connection, "/health").unwrap().status, 200);
    let error = get(&mut connection, "/indexes/none").unwrap().json();
    assert_eq!(error["link"], "https://localhost/docs/errors#index_not_found");
    assert_eq!(connection.get_ref().conn.protocol_version(), Some(ProtocolVersion::TLSv1_3));

    let stranger = trusting(&Authority::new("another"), None);
    assert!(health(https.address, &stranger).unwrap_err().contains("UnknownIssuer"));
    assert!(
        crate::support::http::get(https.address, "/health").is_err(),
        "the server must not answer plain HTTP"
    );
}

#[test]
fn the_older_version_of_the_protocol_is_spoken_too() {
    let https = Https::start(&[]);
    let mut roots = rustls::RootCertStore::empty();
    roots.add(https.authority.root()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&version::TLS12])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    assert_eq!(health(https.address, &Arc::new(config)), Ok(200));
}

#[tokio::test]
async fn http2_is_spoken_where_the_client_asks_for_it() {
    let https = Https::start(&[]);
    let mut config = ClientConfig::clone(&trusting(&https.authority, None));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let stream = tokio::net::TcpStream::connect(https.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = connector.connect(name, stream).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));

    let (requests, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let mut requests = requests.ready().await.unwrap();
    let ask = |path: &str| {
        let uri = format!("https://localhost{path}");
        http::Request::get(uri).header("accept-encoding", "identity").body(()).unwrap()
    };
    // Two at once on one connection.
    let (health, _) = requests.send_request(ask("/health"), true).unwrap();
    let (missing, _) = requests.send_request(ask("/indexes/none"), true).unwrap();
    assert_eq!(health.await.unwrap().status(), 200);
    let missing = missing.await.unwrap();
    assert_eq!(missing.status(), 404);
    let mut body = missing.into_body();
    let mut text = Vec::new();
    while let Some(chunk) = body.data().await {
        text.extend_from_slice(&chunk.unwrap());
    }
    let error: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(error["link"], "https://localhost/docs/errors#index_not_found");
}

#[test]
fn every_form_of_key_is_read() {
    for name in ["rsa", "ec"] {
        let folder = tempfile::tempdir().unwrap();
        let [certificate, key] =
            [".pem", ".key.pem"].map(|end| kept(&format!("{name}{end}")).display().to_string());
        let words = ["--ssl-cert-path", &certificate, "--ssl-key-path", &key];
        let mut server = Server::spawn(folder.path(), &words);
        let address = server.address().unwrap();
        assert_eq!(health(address, &accept_any_certificate().0), Ok(200), "{name}");
    }
}

#[test]
fn certificates_of_clients_may_be_shown() {
    let clients = Authority::new("clients");
    let https = Https::prepared(&["--ssl-auth-path", "roots.pem"], |folder| {
        clients.write_root(&folder.join("roots.pem"));
    });
    assert_eq!(https.health(None), Ok(200));
    assert_eq!(https.health(Some(&clients.client())), Ok(200));
    let unknown = https.health(Some(&Authority::new("unknown").client()));
    assert!(unknown.unwrap_err().contains("UnknownCA"));
}

#[test]
fn certificates_of_clients_may_be_required() {
    let clients = Authority::new("clients");
    let options = ["--ssl-auth-path", "roots.pem", "--ssl-require-auth"];
    let https = Https::prepared(&options, |folder| {
        clients.write_root(&folder.join("roots.pem"));
    });
    assert!(https.health(None).unwrap_err().contains("CertificateRequired"));
    assert_eq!(https.health(Some(&clients.client())), Ok(200));
    let unknown = https.health(Some(&Authority::new("unknown").client()));
    assert!(unknown.unwrap_err().contains("UnknownCA"));
    // One that was not made for clients.
    assert!(https.health(Some(&clients.server())).is_err());
}

#[test]
fn sessions_are_resumed_only_where_that_is_asked_for() {
    for (options, expected) in [
        (&[][..], false),
        (&["--ssl-resumption"], true),
        (&["--ssl-tickets"], true),
        (&["--ssl-resumption", "--ssl-tickets"], true),
    ] {
        let https = Https::start(options);
        let client = trusting(&https.authority, None);
        assert_eq!(resumes(https.address, &client), expected, "{options:?}");
    }
}

#[test]
fn the_ocsp_response_is_stapled() {
    let response = [0x30, 0x03, 0x0a, 0x01, 0x06];
    let https = Https::prepared(&["--ssl-ocsp-path", "ocsp.der"], |folder| {
        fs::write(folder.join("ocsp.der"), response).unwrap();
    });
    let (client, shown) = accept_any_certificate();
    assert_eq!(health(https.address, &client), Ok(200));
    assert_eq!(*shown.ocsp_response.lock().unwrap(), response);
}

#[test]
fn certificates_are_read_again_while_connections_go_on() {
    let https = Https::start(&["--ssl-resumption"]);
    let folder = https.folder.path();
    let seen = || {
        let (client, shown) = accept_any_certificate();
        health(https.address, &client).unwrap();
        shown.certificate.lock().unwrap().clone()
    };
    let first = seen();
    let mut open = connect(https.address, &trusting(&https.authority, None));
    assert_eq!(get(&mut open, "/health").unwrap().status, 200);

    let next = https.authority.server();
    next.write(folder);
    https.reload_until("the certificates were reloaded");
    assert_eq!(seen(), next.certificate.der().to_vec());
    assert_ne!(seen(), first);
    assert_eq!(get(&mut open, "/health").unwrap().status, 200);

    // The key of one and the certificate of another.
    fs::write(folder.join("key.pem"), https.authority.server().key.serialize_pem()).unwrap();
    https.reload_until("keeping the previous certificates");
    assert!(https.server.printed().contains("`key.pem`"));
    assert_eq!(seen(), next.certificate.der().to_vec());
    fs::remove_file(folder.join("cert.pem")).unwrap();
    https.reload_until("keeping the previous certificates");
    assert_eq!(https.health(None), Ok(200));
    assert_eq!(get(&mut open, "/health").unwrap().status, 200);

    https.authority.server().write(folder);
    https.reload_until("the certificates were reloaded");
    assert_ne!(seen(), next.certificate.der().to_vec());
}

#[test]
fn wrong_files_stop_the_start_and_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let authority = Authority::new("authority");
    authority.server().write(folder.path());
    authority.write_root(&path("roots.pem"));
    fs::write(path("other.pem"), authority.server().key.serialize_pem()).unwrap();
    fs::write(path("empty.pem"), "").unwrap();
    fs::write(path("cut.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n").unwrap();
    fs::copy(kept("encrypted.key.pem"), path("encrypted.pem")).unwrap();
    let refused = |certificate: &str, key: &str, more: &[&str]| {
        let files = ["--ssl-cert-path", certificate, "--ssl-key-path", key];
        let rest = ["--http-addr", "127.0.0.1:0", "--db-path", "data"];
        let words: Vec<&str> = files.iter().chain(&rest).chain(more).copied().collect();
        let output = run(folder.path(), &words);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(!path("data").exists());
        String::from_utf8(output.stderr).unwrap()
    };
    for (certificate, key, more, said) in [
        ("missing.pem", "key.pem", &[][..], "`missing.pem` cannot be read"),
        ("cert.pem", "missing.pem", &[], "`missing.pem` cannot be read"),
        ("empty.pem", "key.pem", &[], "`empty.pem` contains no certificate"),
        ("cut.pem", "key.pem", &[], "`cut.pem` is not PEM"),
        ("key.pem", "key.pem", &[], "`key.pem` contains no certificate"),
        ("cert.pem", "cert.pem", &[], "`cert.pem` contains no private key"),
        ("cert.pem", "encrypted.pem", &[], "`encrypted.pem` contains an encrypted key"),
        ("cert.pem", "other.pem", &[], "`other.pem` does not match the certificate in `cert.pem`"),
        (
            "cert.pem",
            "key.pem",
            &["--ssl-auth-path", "empty.pem"],
            "`empty.pem` contains no certif",
        ),
        ("cert.pem", "key.pem", &["--ssl-ocsp-path", "cert.pem"], "`cert.pem` is not an OCSP"),
    ] {
        let printed = refused(certificate, key, more);
        assert!(printed.contains(said), "`{said}` is not in {printed}");
    }
}

#[test]
fn incomplete_https_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |words: &[&str], code: i32| {
        let output = run(folder.path(), words);
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["--ssl-cert-path", "a"], 2).contains("`--ssl-key-path`"));
    assert!(refused(&["--ssl-key-path", "a"], 2).contains("`--ssl-cert-path`"));
    assert!(refused(&["--ssl-tickets"], 2).contains("`--ssl-cert-path`"));
    let files = ["--ssl-cert-path", "a", "--ssl-key-path", "b", "--ssl-require-auth"];
    assert!(refused(&files, 2).contains("`--ssl-auth-path`"));
    fs::write(folder.path().join("config.toml"), "ssl_cert_path = \"a\"").unwrap();
    assert!(refused(&[], 1).contains("`--ssl-key-path`"));
}
