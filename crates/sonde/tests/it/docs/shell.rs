//! A shell beside a server of its own: what a reader who types the examples has.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use serde_json::Value;
use tempfile::TempDir;

use crate::docs::model;
use crate::docs::page::Page;
use crate::support::http;
use crate::support::process::{PROGRAM, Server, remove_our_variables, sonde};

/// Address of the instance in pages.
const HERE: &[&str] = &["localhost:7700", "north.example:7700", "sonde.example"];
/// Address of a second instance in pages.
const THERE: &[&str] =
    &["localhost:7701", "south.example:7700", "old.example:7700", "search.example"];
/// Address of a model provider in pages.
const MODELS: &[&str] = &["localhost:8000", "models.example"];
const MASTER_KEY: &str = "--master-key";
const STOP_LIMIT: Duration = Duration::from_secs(60);

pub struct Shell {
    /// Names of pages, and the addresses that stand for them.
    addresses: Vec<(&'static str, String)>,
    /// Of all servers that run.
    all: String,
    key: Option<String>,
    folder: TempDir,
    servers: Vec<Server>,
}

/// `curl` as a reader has it, but quiet, telling statuses apart, and as slow as a person: it comes
/// back when the tasks that it caused have ended.
const PRELUDE: &str = r#"
curl() {
  command curl --silent --show-error --write-out '%{stderr}status %{http_code}\n' "$@" || return
  local address
  for address in $ADDRESSES; do
    while command curl --silent ${SONDE_MASTER_KEY:+--oauth2-bearer "$SONDE_MASTER_KEY"} \
      "http://$address/tasks?statuses=enqueued,processing&limit=1" | grep -q '"total":[1-9]'; do sleep 0.02; done
  done
}
"#;

impl Shell {
    pub fn start(page: &Page) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "tmp", "other"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let mut servers = vec![start_server(folder.path(), &page.options)];
        if THERE.iter().any(|name| page.mentions(name)) {
            servers.push(start_server(&folder.path().join("other"), &page.options));
        }
        let mut reached = servers.iter_mut();
        let mut next = || reached.next().map(|server| server.address().expect("the server starts"));
        let here = next().expect("a server").to_string();
        let there = next().map(|address| address.to_string());
        let mut addresses: Vec<_> = HERE.iter().map(|name| (*name, here.clone())).collect();
        if let Some(there) = &there {
            addresses.extend(THERE.iter().map(|name| (*name, there.clone())));
        }
        if MODELS.iter().any(|name| page.mentions(name)) {
            let models = model::start().to_string();
            addresses.extend(MODELS.iter().map(|name| (*name, models.clone())));
        }
        if page.mentions("cert.pem") {
            write_certificate(folder.path());
        }
        let given = page.options.iter().position(|option| option == MASTER_KEY);
        let key = given.and_then(|place| page.options.get(place + 1)).cloned();
        let all = [here, there.unwrap_or_default()].join(" ");
        Self { addresses, all, key, folder, servers }
    }

    /// Messages of tasks that failed on any of the servers: a request that was accepted is not an
    /// example that works.
    pub fn failed_tasks(&self) -> Vec<Value> {
        let bearer = |key: &String| ("Authorization".to_owned(), format!("Bearer {key}"));
        let headers: Vec<_> = self.key.iter().map(bearer).collect();
        let mut messages = Vec::new();
        for address in self.all.split_whitespace() {
            let address = address.parse().expect("an address");
            let answer = http::send(address, "GET", "/tasks?statuses=failed", &headers, None);
            let answer = answer.expect("an answer").json();
            let tasks = answer["results"].as_array().expect("tasks").iter();
            messages.extend(tasks.map(|task| task["error"]["message"].clone()));
        }
        messages
    }

    /// Ends the servers as a reader does.
    pub fn stop(&mut self) {
        self.all.clear();
        for mut server in self.servers.drain(..) {
            server.signal("TERM");
            assert!(server.wait(STOP_LIMIT).is_some(), "the server does not end");
        }
    }

    pub fn run(&self, commands: &str) -> CommandOutput {
        let mut script = commands.replace("<key>", self.key.as_deref().unwrap_or_default());
        for (name, address) in &self.addresses {
            // Nobody has a certificate for these names.
            script = script.replace(&format!("https://{name}"), &format!("http://{address}"));
            script = script.replace(name, address);
        }
        let home = self.folder.path().join("home");
        let mut shell = Command::new("bash");
        remove_our_variables(&mut shell);
        shell
            .arg("-ec")
            .arg(format!("{PRELUDE}{script}"))
            .current_dir(self.folder.path())
            .env(
                "PATH",
                format!("{}:{}", stand_ins().display(), std::env::var("PATH").unwrap_or_default()),
            )
            .env("PROGRAM", PROGRAM)
            .env("ADDRESSES", &self.all)
            .env("SONDE_URL", format!("http://{}", self.addresses[0].1))
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env("HOME", &home)
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env_remove("COLUMNS")
            .stdin(Stdio::null());
        if let Some(key) = &self.key {
            shell.env("SONDE_MASTER_KEY", key).env("SONDE_API_KEY", key);
        }
        let output = shell.output().expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let statuses = stderr.lines().filter_map(|line| line.strip_prefix("status ")?.parse().ok());
        let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
        for name in [HERE[0], THERE[0]] {
            let address = self.addresses.iter().find(|(given, _)| *given == name);
            printed =
                address.map_or(printed.clone(), |(_, address)| printed.replace(address, name));
        }
        CommandOutput {
            statuses: statuses.collect(),
            printed,
            is_success: output.status.success(),
            stderr,
        }
    }
}

/// Programs that take the place of what readers have and a test has not.
fn stand_ins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/docs/stand-ins")
}

fn start_server(folder: &Path, options: &[String]) -> Server {
    let mut command = sonde(folder);
    command
        .args(["--http-addr", "127.0.0.1:0", "--experimental-allowed-ip-networks", "127.0.0.0/8"])
        .args(options)
        .env("XDG_CONFIG_HOME", folder.join("config"));
    Server::start(command, folder)
}

/// `cert.pem` and `key.pem`, as an operator has them.
fn write_certificate(folder: &Path) {
    let parameters = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    let key = KeyPair::generate().expect("a key");
    let certificate = parameters.self_signed(&key).expect("a certificate");
    std::fs::write(folder.join("cert.pem"), certificate.pem()).expect("a file");
    std::fs::write(folder.join("key.pem"), key.serialize_pem()).expect("a file");
}

/// Outcome of some commands.
pub struct CommandOutput {
    /// Statuses of the answers, in order.
    statuses: Vec<u16>,
    pub printed: String,
    is_success: bool,
    stderr: String,
}

impl CommandOutput {
    /// All answers must be successes, but the last one where another is expected.
    pub fn is_good(&self, expects: Option<u16>) -> bool {
        // Commands of the program itself tell by how they end.
        let Some((last, before)) = self.statuses.split_last() else { return self.is_success };
        let is_last_good = match expects {
            Some(status) => *last == status,
            None => *last < 400,
        };
        self.is_success && is_last_good && before.iter().all(|status| *status < 400)
    }
}

impl fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.printed, self.stderr)
    }
}
