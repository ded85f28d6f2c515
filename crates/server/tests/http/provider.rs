//! A provider of embeddings on a loopback port that remembers what it was asked, and a server
//! whose embedder `e` asks it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use engine::FailureModes;
use serde_json::{Value, json};

use crate::harness::{Setup, TestServer, change_settings};

#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub key: Option<String>,
    pub texts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mood {
    Willing,
    /// 400, with a body that says why.
    Refusing,
    /// The same, where a text is green.
    Picky,
    /// 500, once.
    Stumbling,
    /// Connections are closed without an answer.
    Away,
    /// The answer waits until this changes.
    Holding,
}

pub struct Provider {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    mood: Mood,
    asked: Vec<ReceivedRequest>,
}

impl Provider {
    /// Its thread ends with the process.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State { mood: Mood::Willing, asked: Vec::new() }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away in between is none of its business.
                let _ = answer(stream, &shared);
            }
        });
        Self { address, state }
    }

    pub fn set_mood(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// The settings of an embedder of three dimensions; see [`vector`].
    pub fn embedder(&self, template: &str, key: &str) -> Value {
        json!({
            "source": "rest",
            "url": format!("http://{}/embed", self.address),
            "apiKey": key,
            "dimensions": 3,
            "documentTemplate": template,
            "request": {"input": ["{{text}}", "{{..}}"]},
            "response": {"data": ["{{embedding}}", "{{..}}"]},
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

/// How red, how blue and how long a text is.
pub fn vector(text: &str) -> [f64; 3] {
    let count = |word| text.matches(word).count() as f64;
    [count("red"), count("blue"), text.len() as f64 / 1024.0]
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
    let texts = body["input"].as_array().expect("texts").iter();
    let texts: Vec<String> = texts.map(|text| text.as_str().expect("a text").to_owned()).collect();
    let vectors: Vec<[f64; 3]> = texts.iter().map(|text| vector(text)).collect();
    {
        let mut state = state.lock().expect("no panic");
        state.asked.push(ReceivedRequest { key, texts: texts.clone() });
        if mood == Mood::Stumbling {
            state.mood = Mood::Willing;
        }
    }
    while state.lock().expect("no panic").mood == Mood::Holding {
        std::thread::sleep(Duration::from_millis(2));
    }
    let is_green = texts.iter().any(|text| text.contains("green"));
    let (status, body) = match mood {
        Mood::Picky if is_green => ("400 Bad Request", json!({"error": "not green"})),
        Mood::Refusing => ("400 Bad Request", json!({"error": "no such colour"})),
        Mood::Stumbling => ("500 Oops", json!({"error": "it fell"})),
        Mood::Willing | Mood::Away | Mood::Holding | Mood::Picky => {
            ("200 OK", json!({ "data": vectors }))
        }
    };
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A server with an index `colours`, whose embedder `e` embeds titles.
pub struct Colours {
    pub server: TestServer,
    pub provider: Provider,
}

pub const KEY: &str = "kqzvx-5839271046-hidden";

impl Colours {
    pub fn start() -> Self {
        let colours = Self::without_embedder();
        let embedder = colours.provider.embedder("{{doc.title}}", KEY);
        change_settings(&colours.server, "colours", json!({"embedders": {"e": embedder}}));
        colours
    }

    pub fn without_embedder() -> Self {
        Self::failing_with(FailureModes::default())
    }

    /// The same, on a server that ignores some failures.
    pub fn failing_with(failure_modes: FailureModes) -> Self {
        let allowed_networks = "127.0.0.0/8,::1/128";
        let setup = Setup { allowed_networks, failure_modes, ..Setup::default() };
        let server = TestServer::start(setup);
        Self { server, provider: Provider::start() }
    }

    /// Sends documents; gives the task as it ended, and what the provider was asked.
    pub fn put(&self, documents: Value) -> (Value, Vec<ReceivedRequest>) {
        self.provider.during(|| {
            self.server.call_json("PUT /indexes/colours/documents", documents).task(&self.server)
        })
    }

    /// The same for documents that succeed; gives the texts that were embedded.
    #[track_caller]
    pub fn embedded_by(&self, documents: Value) -> Vec<String> {
        let (task, asked) = self.put(documents);
        assert_eq!(task["status"], "succeeded", "{task}");
        texts(&asked)
    }

    /// Changes the embedder; gives the texts that were embedded.
    #[track_caller]
    pub fn embedded_by_change(&self, embedder: Value) -> Vec<String> {
        let settings = json!({"embedders": {"e": embedder}});
        let ((), asked) =
            self.provider.during(|| change_settings(&self.server, "colours", settings));
        texts(&asked)
    }

    /// A document with its vectors.
    #[track_caller]
    pub fn document(&self, id: u64) -> Value {
        let line = format!("GET /indexes/colours/documents/{id}?retrieveVectors=true");
        let answer = self.server.call(&line);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    /// The embeddings of a document, and whether they are made anew when it changes.
    #[track_caller]
    pub fn vectors(&self, id: u64) -> (Vec<Vec<f64>>, bool) {
        let vectors = self.document(id)["_vectors"]["e"].clone();
        let embeddings = serde_json::from_value(vectors["embeddings"].clone());
        let embeddings = embeddings.unwrap_or_else(|error| panic!("{error}: {vectors}"));
        (embeddings, vectors["regenerate"].as_bool().expect("a boolean"))
    }
}

fn texts(asked: &[ReceivedRequest]) -> Vec<String> {
    asked.iter().flat_map(|asked| asked.texts.clone()).collect()
}
