//! A server with a folder of its own, and the program as a person at a terminal runs it.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use testkit::wait_until;

use crate::support::http;
use crate::support::process::{Server, run_command, sonde};

#[derive(Debug)]
pub struct Instance {
    folder: tempfile::TempDir,
    _server: Server,
    pub address: SocketAddr,
    key: Option<&'static str>,
}

impl Instance {
    pub fn start() -> Self {
        Self::start_with(None, &[])
    }

    pub fn with_key(key: &'static str) -> Self {
        Self::start_with(Some(key), &["--master-key", key])
    }

    pub fn start_with(key: Option<&'static str>, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut server = Server::spawn(folder.path(), arguments);
        let address = server.address().expect("the server starts");
        Self { folder, _server: server, address, key }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Files of the person.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("a file");
    }

    /// Returns the program with the URL of this server and a state folder of its own.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = client(self.folder.path());
        command.args(arguments).env("SONDE_URL", self.url());
        if let Some(key) = self.key {
            command.env("SONDE_API_KEY", key);
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(run_command(&mut self.command(arguments)))
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> CommandOutput {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program can be started");
        child.stdin.take().expect("its stdin").write_all(input).expect("it reads");
        CommandOutput::of(child.wait_with_output().expect("it ends"))
    }

    pub fn get(&self, path: &str) -> Value {
        self.send("GET", path, None)
    }

    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let mut headers = Vec::new();
        if let Some(key) = self.key {
            headers.push(("Authorization".to_owned(), format!("Bearer {key}")));
        }
        if body.is_some() {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        let text = body.map(Value::to_string);
        let body = text.as_ref().map(String::as_bytes);
        let answer = http::send(self.address, method, path, &headers, body).expect("an answer");
        assert!(answer.status < 400, "{method} {path}: {}", answer.json());
        answer.json()
    }

    /// Writes, and waits until all tasks have finished.
    pub fn write_and_wait(&self, method: &str, path: &str, body: &Value) {
        self.send(method, path, Some(body));
        self.wait();
    }

    pub fn wait(&self) {
        wait_until("the tasks end", || {
            self.get("/tasks?statuses=enqueued,processing")["total"] == 0
        });
    }

    /// All documents of an index, by id.
    pub fn documents(&self, index: &str) -> Vec<Value> {
        let page =
            self.get(&format!("/indexes/{index}/documents?limit=1000000&retrieveVectors=true"));
        let mut documents = page["results"].as_array().expect("documents").clone();
        documents.sort_by_key(|document| document["id"].to_string());
        documents
    }

    pub fn count(&self, index: &str) -> u64 {
        self.get(&format!("/indexes/{index}/stats"))["numberOfDocuments"]
            .as_u64()
            .expect("a number")
    }
}

/// Returns the program without the URL of a server.
pub fn client(folder: &Path) -> Command {
    let mut command = sonde(folder);
    command.env("XDG_STATE_HOME", folder.join("state")).env("HOME", folder);
    command.env_remove("LOCALAPPDATA").env_remove("COLUMNS");
    command
}

/// Output and exit code of a command.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}
