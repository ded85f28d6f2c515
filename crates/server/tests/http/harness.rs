//! A server in a temporary folder, and a client of a few lines that shows exactly what was sent
//! and what came back.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use engine::keys::MasterKey;
use engine::search::QueueOptions;
use engine::webhooks::WebhookOptions;
use engine::{Engine, EngineOptions, FailureModes, PersonalizationOptions};
use serde_json::{Value, json};
use server::{AllowedHosts, Bounds, Listeners, ServerOptions, Tls, serve};
use telemetry::Telemetry;
use tempfile::TempDir;
use testkit::wait_for;
use tokio::sync::oneshot;

use crate::documented;

/// A server that waited for a request that does not end would take ten seconds to close.
pub const CLOSES_WITHIN: Duration = Duration::from_secs(8);

pub struct TestServer {
    pub address: SocketAddr,
    /// The key of requests, unless they set another.
    key: Option<&'static str>,
    stop: Option<oneshot::Sender<()>>,
    running: Option<std::thread::JoinHandle<()>>,
    pub engine: Arc<Engine>,
    /// There until it is taken.
    folder: Option<TempDir>,
}

/// Options of a test server, as far as they differ from the defaults.
pub struct Setup {
    /// The folder of a server that was stopped.
    pub folder: Option<TempDir>,
    pub master_key: Option<&'static str>,
    /// Counts what is used.
    pub telemetry: Telemetry,
    pub dashboard: bool,
    pub bounds: Bounds,
    /// Names that browsers may use without a master key.
    pub allowed_hosts: &'static [&'static str],
    /// The TLS configuration of connections.
    pub tls: Option<Tls>,
    /// Webhooks besides those that a test creates.
    pub webhooks: WebhookOptions,
    pub processes_tasks: bool,
    pub search_queue: QueueOptions,
    /// The networks that providers may be called in although they are not public.
    pub allowed_networks: &'static str,
    pub failure_modes: FailureModes,
    /// How searches are personalized.
    pub personalization: Option<PersonalizationOptions>,
    pub remote_search_timeout: Duration,
    pub topology_timeout: Duration,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            folder: None,
            master_key: None,
            telemetry: Telemetry::off(),
            dashboard: true,
            bounds: Bounds::default(),
            allowed_hosts: &[],
            tls: None,
            webhooks: WebhookOptions {
                write_task: Some(server::write_task),
                retry_delays: vec![Duration::from_millis(5); 3],
                ..WebhookOptions::default()
            },
            processes_tasks: true,
            search_queue: QueueOptions::default(),
            allowed_networks: "",
            failure_modes: FailureModes::default(),
            personalization: None,
            remote_search_timeout: Duration::from_secs(25),
            topology_timeout: EngineOptions::TOPOLOGY_TIMEOUT,
        }
    }
}

impl TestServer {
    pub fn start(setup: Setup) -> Self {
        let folder = setup.folder;
        let folder = folder.unwrap_or_else(|| tempfile::tempdir().expect("a temporary folder"));
        let mut options = EngineOptions::new(folder.path().join("data"));
        options.master_key = setup.master_key.map(MasterKey::new);
        options.search_queue = setup.search_queue;
        options.address_policy = setup.allowed_networks.parse().expect("networks");
        options.personalization = setup.personalization;
        options.remote_search_timeout = setup.remote_search_timeout;
        options.topology_timeout = setup.topology_timeout;
        options.webhooks = setup.webhooks;
        // Who fails in a test does not get better by waiting.
        options.embedders.max_retry_delay = Duration::from_millis(1);
        options.embedders.failure_modes = setup.failure_modes;
        if !setup.processes_tasks {
            options.max_batched_tasks = 0;
        }
        let engine = Engine::open(options).expect("an engine in its folder");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener for the runtime");
        let address = listener.local_addr().expect("an address");
        let options = ServerOptions {
            telemetry: setup.telemetry,
            dashboard: setup.dashboard,
            bounds: setup.bounds,
            allowed_hosts: AllowedHosts::new(setup.allowed_hosts.iter().map(ToString::to_string)),
            logs: Some(logs()),
            ..Default::default()
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let served = Arc::clone(&engine);
        let running = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                let until = async { drop(stopped.await) };
                let listeners = Listeners::new(vec![listener], setup.tls);
                serve(listeners, served, options, until).await.expect("the server ends well");
            });
            runtime.shutdown_timeout(Duration::from_secs(1));
        });
        Self {
            address,
            key: setup.master_key,
            stop: Some(stop),
            running: Some(running),
            engine,
            folder: Some(folder),
        }
    }

    /// A server that others may use at the same time; it ends with its last user.
    pub fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<TestServer>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return server;
        }
        let server = Arc::new(Self::start(Setup::default()));
        *shared = Arc::downgrade(&server);
        server
    }

    /// One that accepts tasks and never runs them.
    pub fn idle() -> Self {
        Self::start(Setup { processes_tasks: false, ..Setup::default() })
    }

    /// `line` is a method and a target: `GET /indexes?limit=1`.
    pub fn request(&self, line: &str) -> Request {
        let (method, target) = line.split_once(' ').expect("a method and a target");
        Request {
            address: self.address,
            method: method.to_owned(),
            target: target.to_owned(),
            key: self.key.map(str::to_owned),
            host: "sonde.test",
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Sends a request without a body.
    pub fn call(&self, line: &str) -> Answer {
        self.request(line).send()
    }

    pub fn call_json(&self, line: &str, body: Value) -> Answer {
        self.request(line).json(&body).send()
    }

    /// Adds documents and waits until they are there.
    pub fn with_documents(&self, index: &str, documents: Value) {
        let line = format!("POST /indexes/{index}/documents");
        let task = self.call_json(&line, documents).task(self);
        assert_eq!(task["status"], "succeeded", "{task}");
    }

    /// Asks the server to close and waits until it has.
    pub fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(running) = self.running.take() {
            running.join().expect("the server does not panic");
        }
    }

    /// Ends the server and leaves its folder, whose database is in `data`.
    pub fn into_folder(mut self) -> TempDir {
        self.stop();
        self.folder.take().expect("it is taken once")
    }

    /// Asks the server to close and does not wait.
    pub fn begin_stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

/// The logging of the process, which is silent on stderr.
fn logs() -> logs::Control {
    static LOGS: OnceLock<logs::Control> = OnceLock::new();
    let (level, format) = (logs::LevelFilter::OFF, logs::LogFormat::Human);
    let options = logs::Options { level, format, collector: None };
    LOGS.get_or_init(|| logs::start(&options).expect("nobody else logs")).clone()
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.begin_stop();
        if let Some(running) = self.running.take() {
            let _ = running.join();
        }
        self.engine.shutdown();
    }
}

pub struct Request {
    address: SocketAddr,
    method: String,
    target: String,
    key: Option<String>,
    host: &'static str,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// Calls the server by another name.
    pub fn host(mut self, host: &'static str) -> Self {
        self.host = host;
        self
    }

    /// Sends this key instead of the master key.
    pub fn with_key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub fn without_key(mut self) -> Self {
        self.key = None;
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub fn body(self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.header("Content-Type", content_type).bytes(body)
    }

    /// A body that does not say what it is.
    pub fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub fn send(self) -> Answer {
        let mut stream = self.connect();
        let head =
            self.head(&format!("Content-Length: {}\r\nConnection: close\r\n", self.body.len()));
        stream.write_all(head.as_bytes()).expect("the head is sent");
        // A server that refuses early may close before it has read everything.
        let _ = stream.write_all(&self.body);
        self.answer(stream)
    }

    /// Reads the answer, which must be one that the documentation tells of.
    #[track_caller]
    fn answer(&self, stream: TcpStream) -> Answer {
        let answer = Answer::read(&mut BufReader::new(stream)).expect("an answer");
        documented::check(&self.method, &self.target, &self.headers, &answer);
        answer
    }

    /// Sends the body in chunks, so that its length is not known beforehand.
    pub fn send_chunked(self, size: usize) -> Answer {
        let mut stream = self.connect();
        let head = self.head("Transfer-Encoding: chunked\r\nConnection: close\r\n");
        stream.write_all(head.as_bytes()).expect("the head is sent");
        for chunk in self.body.chunks(size) {
            let sent = write!(stream, "{:x}\r\n", chunk.len())
                .and_then(|()| stream.write_all(chunk))
                .and_then(|()| stream.write_all(b"\r\n"));
            if sent.is_err() {
                break;
            }
        }
        let _ = stream.write_all(b"0\r\n\r\n");
        self.answer(stream)
    }

    /// Opens the conversation and leaves the rest to the caller.
    pub fn open(self) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        stream.write_all(self.head("").as_bytes()).expect("the head is sent");
        BufReader::new(stream)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        stream
    }

    fn head(&self, more: &str) -> String {
        let Self { method, target, host, .. } = self;
        let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n");
        if let Some(key) = &self.key {
            head.push_str(&format!("Authorization: Bearer {key}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(more);
        head.push_str("\r\n");
        head
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads one answer. The body ends by its length, its last chunk, or the connection.
    pub fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Self> {
        let (status, headers) = Self::read_head(stream)?;
        let mut answer = Answer { status, headers, body: Vec::new() };
        if let Some(length) = answer.header("content-length") {
            let length = length.parse().expect("a length");
            answer.body = vec![0; length];
            stream.read_exact(&mut answer.body)?;
        } else if answer.header("transfer-encoding") == Some("chunked") {
            loop {
                let mut line = String::new();
                stream.read_line(&mut line)?;
                let size = usize::from_str_radix(line.trim(), 16).expect("a chunk size");
                let mut chunk = vec![0; size + 2];
                stream.read_exact(&mut chunk)?;
                if size == 0 {
                    break;
                }
                answer.body.extend_from_slice(&chunk[..size]);
            }
        }
        Ok(answer)
    }

    pub fn read_head(
        stream: &mut BufReader<TcpStream>,
    ) -> std::io::Result<(u16, Vec<(String, String)>)> {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| std::io::Error::other(format!("no answer: {line:?}")))?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok((status, headers))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {:?}", self.text()))
    }

    /// The answer must be this status and this JSON.
    #[track_caller]
    pub fn is(&self, status: u16, body: Value) {
        assert_eq!((self.status, self.json()), (status, body));
    }

    #[track_caller]
    pub fn is_empty(&self, status: u16) {
        assert_eq!((self.status, self.text().as_str()), (status, ""));
    }

    /// The answer must be an error object with this code and message.
    #[track_caller]
    pub fn is_error(&self, status: u16, code: &str, message: &str) {
        let kind = match status {
            401 | 403 => "auth",
            500.. => "internal",
            _ => "invalid_request",
        };
        let expected = json!({
            "message": message,
            "code": code,
            "type": kind,
            "link": format!("http://sonde.test/docs/errors#{code}"),
        });
        assert_eq!((self.status, self.json()), (status, expected));
        assert_eq!(self.header("content-type"), Some("application/json"));
    }

    /// Like `is_error`, for a message too long to repeat.
    #[track_caller]
    pub fn is_error_like(&self, status: u16, code: &str, part: &str) {
        let body = self.json();
        assert_eq!((self.status, &body["code"]), (status, &json!(code)), "{body}");
        let message = body["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{message}");
    }

    /// The answer must have enqueued a task; gives it as it ended.
    #[track_caller]
    pub fn task(&self, server: &TestServer) -> Value {
        let uid = self.task_uid();
        wait_for(|| {
            let task = server.call(&format!("GET /tasks/{uid}")).json();
            let status = task["status"].as_str().unwrap_or_default();
            if matches!(status, "enqueued" | "processing") { Err(task) } else { Ok(task) }
        })
    }

    #[track_caller]
    pub fn task_uid(&self) -> u64 {
        let body = self.json();
        body["taskUid"].as_u64().unwrap_or_else(|| panic!("no task: {} {body}", self.status))
    }
}

/// The answer to a search that must succeed.
#[track_caller]
pub fn search(server: &TestServer, index: &str, body: Value) -> Value {
    let answer = server.call_json(&format!("POST /indexes/{index}/search"), body.clone());
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

/// The ids of the hits, in their order.
#[track_caller]
pub fn ids(answer: &Value) -> Vec<u64> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_u64().unwrap()).collect()
}

#[track_caller]
pub fn change_settings(server: &TestServer, index: &str, settings: Value) {
    let task = server.call_json(&format!("PATCH /indexes/{index}/settings"), settings).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
}

/// The object without members that differ from run to run.
pub fn without(mut value: Value, members: &[&str]) -> Value {
    if let Some(object) = value.as_object_mut() {
        for member in members {
            assert!(object.shift_remove(*member).is_some(), "no {member}");
        }
    }
    value
}

/// The names of an object's members, in the order they were sent.
pub fn members(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

pub const INVALID_UID: &str = "is not a valid index uid. Index uid can be an integer or a string \
     containing only alphanumeric characters, hyphens (-) and underscores (_), and can not be \
     more than 512 bytes.";
