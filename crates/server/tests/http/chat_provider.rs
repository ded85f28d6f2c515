//! A provider of completions on a loopback port. It says what a test tells it to say, in pieces
//! that fit nothing, and remembers what it was asked.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings};

pub enum Reply {
    /// A stream of these events; the last one tells its end.
    Events(Vec<String>),
    /// A stream of these events without an end.
    CutShort(Vec<String>),
    /// The connection breaks after these events.
    Broken(Vec<String>),
    Whole(u16, String),
    /// The other one, when the test says so.
    When(Receiver<()>, Box<Reply>),
    /// One event, and then silence until the caller goes away, which is told here.
    Silence(Sender<()>),
}

#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

pub struct ChatProvider {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    replies: VecDeque<Reply>,
    asked: Vec<ReceivedRequest>,
}

impl ChatProvider {
    /// Its thread ends with the process.
    pub fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = State { replies: replies.into_iter().collect(), asked: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A caller that goes away in between is none of its business.
                let _ = converse(stream, &shared);
            }
        });
        Self { address, state }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn asked(&self) -> Vec<ReceivedRequest> {
        self.state().asked.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }
}

/// One event of the provider, as a test writes it.
pub fn chunk(delta: Value, finish_reason: Value) -> String {
    json!({
        "id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 1234567890, "model": "m-1",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason}],
    })
    .to_string()
}

pub fn words(text: &str) -> String {
    chunk(json!({"content": text}), json!(null))
}

pub fn end(reason: &str) -> String {
    chunk(json!({}), json!(reason))
}

/// A whole answer in words.
pub fn says(text: &str) -> Reply {
    Reply::Events(vec![words(text), end("stop")])
}

/// A whole answer that calls functions.
pub fn calls(calls: &[(&str, &str, &str)]) -> Reply {
    let mut events = Vec::new();
    for (index, (id, name, arguments)) in calls.iter().enumerate() {
        let function = json!({"name": name, "arguments": ""});
        let first = json!({"index": index, "id": id, "type": "function", "function": function});
        events.push(chunk(json!({"content": null, "tool_calls": [first]}), json!(null)));
        let half = arguments.floor_char_boundary(arguments.len() / 2);
        for part in [&arguments[..half], &arguments[half..]] {
            let piece = json!({"index": index, "function": {"arguments": part}});
            events.push(chunk(json!({"tool_calls": [piece]}), json!(null)));
        }
    }
    events.push(end("tool_calls"));
    Reply::Events(events)
}

fn converse(mut stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let asked = read(&mut BufReader::new(stream.try_clone()?))?;
    let reply = {
        let mut state = state.lock().expect("no panic");
        state.asked.push(asked);
        state.replies.pop_front()
    };
    give(&mut stream, reply.unwrap_or(Reply::Whole(500, "nothing more to say".to_owned())))
}

fn give(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::When(told, reply) => {
            let _ = told.recv();
            give(stream, *reply)
        }
        Reply::Events(events) => {
            begin(stream)?;
            tell(stream, &events)?;
            tell(stream, &["[DONE]".to_owned()])?;
            stream.write_all(b"0\r\n\r\n")
        }
        Reply::CutShort(events) => {
            begin(stream)?;
            tell(stream, &events)?;
            stream.write_all(b"0\r\n\r\n")
        }
        Reply::Broken(events) => {
            begin(stream)?;
            tell(stream, &events)?;
            // More is promised than ever comes.
            stream.write_all(b"20\r\ndata: ")
        }
        Reply::Whole(status, body) => write!(
            stream,
            "HTTP/1.1 {status} So\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
        Reply::Silence(gone) => {
            begin(stream)?;
            tell(stream, &[words("Let me think")])?;
            stream.set_read_timeout(Some(Duration::from_secs(60)))?;
            let has_left = match stream.read(&mut [0; 8]) {
                Ok(count) => count == 0,
                Err(error) => error.kind() == ErrorKind::ConnectionReset,
            };
            if has_left {
                let _ = gone.send(());
            }
            Ok(())
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<ReceivedRequest> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut asked = ReceivedRequest { target, headers, body: Value::Null };
    let length = asked.header("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(asked)
}

fn begin(stream: &mut TcpStream) -> std::io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
                Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes())
}

/// Cut where no event, no line and not even every letter ends.
fn tell(stream: &mut TcpStream, events: &[String]) -> std::io::Result<()> {
    for event in events {
        for piece in format!("data: {event}\r\n\r\n").as_bytes().chunks(37) {
            write!(stream, "{:x}\r\n", piece.len())?;
            stream.write_all(piece)?;
            stream.write_all(b"\r\n")?;
        }
        stream.flush()?;
    }
    Ok(())
}

/// The key of every workspace that a `Desk` is.
pub const KEY: &str = "sk-secret-of-the-tests";

/// A workspace of its own at a server that others use too, and the provider it asks.
pub struct Desk {
    pub server: Arc<TestServer>,
    pub provider: ChatProvider,
    pub line: String,
}

impl Desk {
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let provider = ChatProvider::start(replies);
        let settings = json!({"baseUrl": provider.url(), "apiKey": KEY});
        Self::with(provider, settings)
    }

    pub fn with(provider: ChatProvider, settings: Value) -> Self {
        let server = tea_shop();
        let uid = format!("desk-{}", provider.address.port());
        let answer = server.call_json(&format!("PATCH /chats/{uid}/settings"), settings);
        assert_eq!(answer.status, 200, "{}", answer.text());
        Self { server, provider, line: format!("POST /chats/{uid}/chat/completions") }
    }

    /// Asks for a completion, with these members besides the usual ones.
    #[track_caller]
    pub fn ask(&self, members: Value) -> Told {
        let answer = self.server.call_json(&self.line, question(members));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        assert_eq!(answer.header("x-accel-buffering"), Some("no"));
        Told::read(&answer.text())
    }
}

pub fn question(members: Value) -> Value {
    let mut question = json!({"model": "gpt-4o", "stream": true,
        "messages": [{"role": "user", "content": "Any green tea?"}]});
    let Value::Object(members) = members else { panic!("members of an object") };
    question.as_object_mut().expect("an object").extend(members);
    question
}

/// The events of an answer, without those that frame it.
#[derive(Debug)]
pub struct Told(pub Vec<String>);

impl Told {
    #[track_caller]
    pub fn read(text: &str) -> Self {
        let events = text.strip_prefix("retry: 10000\n\n").expect("the pause before a new try");
        let events = events.strip_suffix("data: [DONE]\n\n").expect("the end");
        let data = |event: &str| event.strip_prefix("data: ").expect("data").to_owned();
        Self(events.split_terminator("\n\n").map(data).collect())
    }

    fn values(&self) -> impl Iterator<Item = Value> {
        self.0.iter().map(|event| serde_json::from_str(event).expect("JSON"))
    }

    /// The text of the model.
    pub fn text(&self) -> String {
        let content =
            |event: Value| event["choices"][0]["delta"]["content"].as_str().map(str::to_owned);
        self.values().filter_map(content).collect()
    }

    pub fn errors(&self) -> Vec<Value> {
        let errors = self.values().filter(|event| event["type"] == "error");
        errors.map(|event| event["error"].clone()).collect()
    }

    /// The only error there is, which is the last that is told.
    #[track_caller]
    pub fn failed(&self, kind: &str, code: &str, message: &str) {
        let errors = self.errors();
        let expected = json!({"type": kind, "code": code, "message": message, "param": null,
            "event_id": null});
        assert_eq!(errors, [expected]);
        assert!(self.0.last().is_some_and(|event| event.contains("event_id")));
    }

    /// The names and the arguments of reports.
    pub fn reports(&self) -> Vec<(String, Value)> {
        let report = |event: Value| {
            let function = &event["choices"][0]["delta"]["tool_calls"][0]["function"];
            let arguments = serde_json::from_str(function["arguments"].as_str()?).expect("JSON");
            Some((function["name"].as_str()?.to_owned(), arguments))
        };
        self.values().filter_map(report).collect()
    }
}

/// A server with teas, shared by tests that run at the same time.
pub fn tea_shop() -> Arc<TestServer> {
    static SHARED: Mutex<Weak<TestServer>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return server;
    }
    let setup = Setup { allowed_networks: "127.0.0.0/8", ..Setup::default() };
    let server = Arc::new(TestServer::start(setup));
    let features = json!({"chatCompletions": true});
    assert_eq!(server.call_json("PATCH /experimental-features", features).status, 200);
    change_settings(
        &server,
        "teas",
        json!({
            "filterableAttributes": ["kind", "price"],
            "sortableAttributes": ["price"],
            "displayedAttributes": ["id", "name"],
            "chat": {
                "description": "The teas we sell",
                "documentTemplate": "{{doc.name}} costs {{doc.price}}",
                "searchParameters": {"limit": 2, "sort": ["price:desc"]},
            },
        }),
    );
    server.with_documents(
        "teas",
        json!([
            {"id": 1, "name": "Sencha", "kind": "green", "price": 12},
            {"id": 2, "name": "Assam", "kind": "black", "price": 8},
            {"id": 3, "name": "Gyokuro", "kind": "green", "price": 30},
            {"id": 4, "name": "Bancha", "kind": "green", "price": 5},
        ]),
    );
    *shared = Arc::downgrade(&server);
    server
}
