//! The server a scenario is played against: one of ours, or one that is given.

use std::net::{SocketAddr, ToSocketAddrs};

use tempfile::TempDir;

use super::scenario::Scenario;
use crate::support::process::Server;

const MASTER_KEY: &str = "the-master-key-of-the-contract";

pub struct Target {
    pub address: SocketAddr,
    /// Prefix of every path.
    pub prefix: String,
    pub master_key: Option<String>,
    _running: Option<(Server, TempDir)>,
}

impl Target {
    pub fn is_elsewhere() -> bool {
        std::env::var("CONTRACT_URL").is_ok()
    }

    /// The server that the scenarios of a chapter share.
    pub fn shared() -> Self {
        match std::env::var("CONTRACT_URL") {
            Ok(url) => Self::given(&url),
            Err(_) => Self::started(&["--master-key", MASTER_KEY], Some(MASTER_KEY)),
        }
    }

    /// One with the launch options of the scenario.
    pub fn own(scenario: &Scenario) -> Self {
        let key = (!scenario.open).then_some(MASTER_KEY);
        let mut options: Vec<&str> = scenario.options.iter().map(String::as_str).collect();
        options.extend(key.iter().flat_map(|key| ["--master-key", *key]));
        Self::started(&options, key)
    }

    fn started(options: &[&str], key: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the server");
        let mut server = Server::spawn(folder.path(), options);
        let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
        Self {
            address,
            prefix: String::new(),
            master_key: key.map(str::to_owned),
            _running: Some((server, folder)),
        }
    }

    fn given(url: &str) -> Self {
        let rest = url.strip_prefix("http://").expect("CONTRACT_URL begins with http://");
        let (host, prefix) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
        let place = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
        let address = place.to_socket_addrs().ok().and_then(|mut found| found.next());
        let prefix = prefix.trim_end_matches('/');
        Self {
            address: address.expect("CONTRACT_URL names a host"),
            prefix: if prefix.is_empty() { String::new() } else { format!("/{prefix}") },
            master_key: std::env::var("CONTRACT_KEY").ok(),
            _running: None,
        }
    }
}
