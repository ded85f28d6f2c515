//! Telemetry seen from outside the process: what the start says of it, which files it leaves, and
//! that a switch turns all of it off.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::http;
use crate::support::process::{Server, run_command, sonde};

struct Instance {
    folder: TempDir,
}

impl Instance {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn original(&self) -> PathBuf {
        self.path().join("data/instance-uid")
    }

    /// The one file that may be in the configuration folder of the user.
    fn copy(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.path().join("config/sonde")).ok()?;
        let files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        assert!(files.len() <= 1, "{files:?}");
        files.first().cloned()
    }

    /// A server whose user lives in this place, and where it listens.
    fn start(&self, arguments: &[&str]) -> (Server, SocketAddr) {
        let mut command = sonde(self.path());
        command.env("XDG_CONFIG_HOME", self.path().join("config"));
        command.env("SONDE_SERVER_PROVIDER", "some provider");
        let mut server = Server::spawn_as_given(command, self.path(), arguments);
        let address = server.address().unwrap();
        (server, address)
    }
}

fn line<'a>(printed: &'a str, name: &str) -> Option<&'a str> {
    let line = printed.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

#[test]
fn an_instance_keeps_its_uid_and_tells_it() {
    let instance = Instance::new();
    let (server, address) = instance.start(&[]);
    let printed = server.printed();
    let told = line(&printed, "Anonymous telemetry").unwrap();
    assert_eq!(told, "Nothing is sent (no collector)");
    let uid = line(&printed, "Instance UID").unwrap().to_owned();
    assert_eq!(fs::read_to_string(instance.original()).unwrap(), uid);
    let copy = instance.copy().unwrap();
    assert!(copy.to_str().unwrap().ends_with("-data-instance-uid"), "{copy:?}");

    let preview = http::get(address, "/telemetry/preview").unwrap().json();
    let identify = &preview["bundles"][0]["batch"][0];
    assert_eq!(identify["userId"], uid.as_str());
    let traits = &identify["traits"];
    assert_eq!(traits["system"]["server_provider"], "some provider");
    assert_eq!(traits["infos"]["db_path"], true);
    assert_eq!(traits["infos"]["dump_dir"], false);
    assert_eq!(traits["infos"]["env"], "development");
    assert!(traits["system"]["cores"].as_u64().unwrap() > 0);
    assert!(traits["system"]["ram_size"].as_u64().unwrap() > 0);
    assert!(traits["stats"]["database_size"].as_u64().unwrap() > 0);
    let text = preview.to_string();
    assert!(
        !text.contains(instance.path().to_str().unwrap()) && !text.contains("127.0.0.1"),
        "{text}"
    );
    drop(server);

    fs::remove_file(instance.original()).unwrap();
    let (server, _) = instance.start(&[]);
    assert_eq!(line(&server.printed(), "Instance UID"), Some(uid.as_str()));
    assert_eq!(fs::read_to_string(instance.original()).unwrap(), uid);
}

#[test]
fn switched_off_it_leaves_no_trace() {
    let instance = Instance::new();
    let (server, address) = instance.start(&["--no-analytics"]);
    let printed = server.printed();
    assert_eq!(line(&printed, "Anonymous telemetry"), Some("Disabled"));
    assert_eq!(line(&printed, "Instance UID"), None);
    assert!(!instance.original().exists() && instance.copy().is_none());
    let preview = http::get(address, "/telemetry/preview").unwrap().json();
    assert_eq!(preview["enabled"], false);
}

#[test]
fn the_first_start_is_reported_and_the_collector_key_hidden() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://hidden-key@{}/v1/batch", listener.local_addr().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let line = line.trim_end().to_ascii_lowercase();
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            sender.send(serde_json::from_slice::<Value>(&body).unwrap()).unwrap();
            let mut stream = stream;
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        }
    });
    let instance = Instance::new();
    let (server, address) = instance.start(&["--telemetry-url", &url]);
    let received = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(received["batch"][0]["event"], "Launched");
    assert_eq!(received["batch"][0]["userId"], "total_launch");
    assert_eq!(http::get(address, "/health").unwrap().status, 200);
    let printed = server.printed();
    assert!(line(&printed, "Anonymous telemetry").unwrap().starts_with("Enabled;"), "{printed}");
    assert!(!printed.contains("hidden-key"), "{printed}");
}

#[test]
fn a_collector_that_cannot_be_one_stops_the_start() {
    let instance = Instance::new();
    let mut command = sonde(instance.path());
    command.env("XDG_CONFIG_HOME", instance.path().join("config"));
    command.args(["--http-addr", "127.0.0.1:0", "--telemetry-url", "collector.example"]);
    let output = run_command(&mut command);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("--telemetry-url") && said.contains("http://"), "{said}");
}
