//! A provider that scores documents, on a loopback port, and a server with an index that asks it.
//! Documents score by how many boats they have.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use engine::PersonalizationOptions;
use model::Secret;
use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings};

pub const KEY: &str = "kqzvx-5839271046-hidden";

#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub key: Option<String>,
    pub body: Value,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mood {
    Willing,
    /// This status, and words that say why.
    Failing(u16),
    /// Something that is no list of scores.
    Babbling,
    /// Connections are closed without an answer.
    Away,
    /// The answer waits until this changes.
    Holding,
}

pub struct RerankProvider {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    mood: Mood,
    asked: Vec<ReceivedRequest>,
}

impl RerankProvider {
    /// Its thread ends with the process.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State { mood: Mood::Willing, asked: Vec::new() }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A client that goes away in between is none of its business.
                std::thread::spawn(move || drop(answer(stream, &shared)));
            }
        });
        Self { address, state }
    }

    pub fn set_mood(&self, mood: Mood) {
        self.state().mood = mood;
    }

    pub fn url(&self) -> String {
        format!("http://{}/rerank", self.address)
    }

    /// The settings of a reranker that asks it.
    pub fn reranker(&self) -> Value {
        json!({
            "source": "cohere", "model": "m", "apiKey": KEY, "url": self.url(),
            "documentTemplate": "{{doc.title}}", "timeoutMs": 30_000,
        })
    }

    /// Returns the requests it gets while something is done.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> (T, Vec<ReceivedRequest>) {
        let before = self.state().asked.len();
        let done = work();
        let asked = self.state().asked[before..].to_vec();
        (done, asked)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }
}

fn answer(mut stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mood = state.lock().expect("no panic").mood;
    if mood == Mood::Away {
        return Ok(());
    }
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut key) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().expect("a length"),
            "authorization" => key = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let documents = body["documents"].as_array().expect("documents").iter().enumerate();
    let result = |(index, text): (usize, &Value)| {
        let boats = text.as_str().expect("a text").matches("boat").count() as f64;
        json!({"index": index, "relevance_score": boats / 10.0})
    };
    let results: Vec<Value> = documents.map(result).collect();
    state.lock().expect("no panic").asked.push(ReceivedRequest { key, body });
    while state.lock().expect("no panic").mood == Mood::Holding {
        std::thread::sleep(Duration::from_millis(2));
    }
    let (status, body) = match mood {
        Mood::Failing(status) => (status, json!({"error": "it does not want to"})),
        Mood::Babbling => (200, json!({"results": "many"})),
        Mood::Willing | Mood::Away | Mood::Holding => (200, json!({ "results": results })),
    };
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A server with an index `harbours`, whose reranker `r` reads titles. By its words, a document
/// with fewer boats comes first.
pub struct Harbours {
    pub server: TestServer,
    pub provider: RerankProvider,
}

impl Harbours {
    pub fn start() -> Self {
        let harbours = Self::without_reranker();
        harbours.set(json!({}));
        harbours
    }

    /// The same, where searches can be personalized.
    pub fn without_reranker() -> Self {
        let provider = RerankProvider::start();
        let api_key = Secret::new(KEY.to_owned());
        let personalization = PersonalizationOptions { api_key, url: Some(provider.url()) };
        let setup = Setup {
            allowed_networks: "127.0.0.0/8,::1/128",
            personalization: Some(personalization),
            ..Setup::default()
        };
        let server = TestServer::start(setup);
        server.with_documents(
            "harbours",
            json!([
                {"id": 1, "title": "sea", "note": "x"},
                {"id": 2, "title": "sea boat", "note": "x"},
                {"id": 3, "title": "sea boat boat"},
                {"id": 4, "title": "sea boat boat boat", "note": "x"},
            ]),
        );
        Self { server, provider }
    }

    /// Sets the reranker, with these members besides its own.
    pub fn set(&self, members: Value) {
        let mut reranker = self.provider.reranker();
        for (name, value) in members.as_object().expect("members") {
            reranker[name] = value.clone();
        }
        change_settings(&self.server, "harbours", json!({"rerankers": {"r": reranker}}));
    }
}
