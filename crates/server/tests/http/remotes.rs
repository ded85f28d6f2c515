//! Other instances: real servers that know each other, and pretended ones that misbehave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings};

/// Servers called `a`, `b`, … of which each has all the others as remotes.
pub struct Fleet {
    pub servers: Vec<TestServer>,
}

pub const NAMES: [&str; 3] = ["a", "b", "c"];

impl Fleet {
    pub fn start(count: usize) -> Self {
        let servers: Vec<TestServer> = (0..count).map(|_| networking_server()).collect();
        let remotes: serde_json::Map<String, Value> = servers
            .iter()
            .zip(NAMES)
            .map(|(server, name)| (name.to_owned(), remote(server.address)))
            .collect();
        for (server, name) in servers.iter().zip(NAMES) {
            join(server, json!({"self": name, "remotes": remotes}));
        }
        Self { servers }
    }

    /// The same settings everywhere, and the documents dealt out one by one.
    pub fn fill(&self, index: &str, settings: &Value, documents: &[Value]) {
        for (place, server) in self.servers.iter().enumerate() {
            change_settings(server, index, settings.clone());
            let own = documents.iter().skip(place).step_by(self.servers.len());
            server.with_documents(index, own.cloned().collect());
        }
    }
}

/// A server that may call others on this machine, with the feature on.
pub fn networking_server() -> TestServer {
    networking_within(Duration::from_secs(25))
}

/// The same with a limit for remotes.
pub fn networking_within(remote_search_timeout: Duration) -> TestServer {
    let allowed_networks = "127.0.0.0/8,::1/128";
    let server =
        TestServer::start(Setup { allowed_networks, remote_search_timeout, ..Setup::default() });
    switch(&server, true);
    server
}

pub fn switch(server: &TestServer, on: bool) {
    let answer = server.call_json("PATCH /experimental-features", json!({"network": on}));
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[track_caller]
pub fn join(server: &TestServer, network: Value) {
    let answer = server.call_json("PATCH /network", network);
    assert_eq!(answer.status, 200, "{}", answer.text());
}

pub fn remote(address: SocketAddr) -> Value {
    json!({"url": format!("http://{address}")})
}

/// The behaviour of a pretended instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    Answers {
        status: u16,
        body: Vec<u8>,
    },
    /// First so many times something else.
    AnswersAfter {
        times: usize,
        before: Box<Manner>,
        then: Box<Manner>,
    },
    /// Listens and says nothing.
    IsSilent,
    /// Ends the conversation without a word.
    HangsUp,
    /// Sends bytes as long as the client reads them.
    NeverEnds,
}

impl Manner {
    pub fn json(status: u16, body: &Value) -> Self {
        Manner::Answers { status, body: body.to_string().into_bytes() }
    }
}

pub struct Pretender {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
}

/// One request.
#[derive(Debug, Clone)]
pub struct Heard {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Heard {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

impl Pretender {
    /// Its threads end with the process.
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let shared = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (manner, shared) = (manner.clone(), Arc::clone(&shared));
                // Whoever asks may go away.
                std::thread::spawn(move || drop(converse(stream, &manner, &shared)));
            }
        });
        Self { address, heard }
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("no panic").clone()
    }
}

/// Returns an address without a listener.
pub fn nobody() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address")
}

fn converse(
    mut stream: TcpStream,
    manner: &Manner,
    heard: &Mutex<Vec<Heard>>,
) -> std::io::Result<()> {
    let request = listen(&mut BufReader::new(stream.try_clone()?))?;
    let count = {
        let mut heard = heard.lock().expect("no panic");
        heard.push(request);
        heard.len()
    };
    let manner = match manner {
        Manner::AnswersAfter { times, before, .. } if count <= *times => before,
        Manner::AnswersAfter { then, .. } => then,
        manner => manner,
    };
    match manner {
        Manner::Answers { status, body } => {
            write!(
                stream,
                "HTTP/1.1 {status} Said\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            )?;
            stream.write_all(body)
        }
        Manner::IsSilent => loop {
            std::thread::park();
        },
        Manner::HangsUp | Manner::AnswersAfter { .. } => Ok(()),
        Manner::NeverEnds => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[")?;
            let blanks = [b' '; 1 << 16];
            loop {
                stream.write_all(&blanks)?;
            }
        }
    }
}

fn listen(reader: &mut BufReader<TcpStream>) -> std::io::Result<Heard> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut heard = Heard { line: line.trim_end().to_owned(), headers, body: Value::Null };
    let length = heard.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    heard.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(heard)
}
