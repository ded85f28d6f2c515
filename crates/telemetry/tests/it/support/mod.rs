//! A collector that keeps what it is sent, and an instance with nothing in it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::Features;
use serde_json::Value;
use telemetry::{Instance, Options, Profile, Stats};
use testkit::wait_until;
use uuid::Uuid;

pub fn options() -> Options {
    let profile = Profile { version: "1.2.3".to_owned(), ..Profile::default() };
    Options::new(Uuid::new_v4(), profile, Box::new(Empty))
}

struct Empty;

impl Instance for Empty {
    fn stats(&self) -> Stats {
        Stats { database_size: 12, documents: vec![1, 3, 2] }
    }

    fn features(&self) -> Features {
        Features::default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mood {
    Willing,
    /// 503
    Failing,
    /// 400
    Refusing,
    /// Takes everything and never answers.
    Silent,
}

pub struct Collector {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    mood: Mood,
    received: Vec<Value>,
}

impl Collector {
    /// Its threads end with the process.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State { mood: Mood::Willing, received: Vec::new() }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A client that goes away in between is none of its business.
                std::thread::spawn(move || drop(take(stream, &state)));
            }
        });
        Self { address, state }
    }

    pub fn address_of_nobody() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        format!("http://{}/v1/batch", listener.local_addr().expect("an address"))
    }

    pub fn url(&self) -> String {
        format!("http://key@{}/v1/batch", self.address)
    }

    pub fn set_mood(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }

    pub fn received(&self) -> Vec<Value> {
        self.state.lock().unwrap().received.clone()
    }

    /// What was received once there is this much of it.
    pub fn wait_for(&self, batches: usize) -> Vec<Value> {
        wait_until("batches come", || self.received().len() >= batches);
        self.received()
    }
}

fn take(mut stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let (mut length, mut key, mut head) = (0, None, String::new());
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if line.trim_end().is_empty() {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if lower.starts_with("authorization:") {
                key = Some(line.trim_end().to_owned());
            }
            head += &line;
        }
        assert!(head.starts_with("POST /v1/batch HTTP/1.1"), "{head}");
        // The name in the URL, as collectors of this kind want it.
        assert_eq!(
            key.as_deref().map(|line| line.contains("Basic a2V5Og==")),
            Some(true),
            "{head}"
        );
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let mood = {
            let mut state = state.lock().unwrap();
            state.received.push(serde_json::from_slice(&body).expect("JSON"));
            state.mood
        };
        let status = match mood {
            Mood::Willing => "200 OK",
            Mood::Failing => "503 Later",
            Mood::Refusing => "400 No",
            Mood::Silent => {
                std::thread::sleep(Duration::from_secs(60));
                return Ok(());
            }
        };
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n")?;
    }
}
