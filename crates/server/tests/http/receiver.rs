//! A receiver of webhooks on a loopback address that remembers what it was sent.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(60);

/// How a call is answered.
#[derive(Debug, Clone)]
pub enum Reply {
    Status(u16),
    RedirectTo(String),
    /// Never, while the caller waits.
    Silence,
}

#[derive(Debug, Clone)]
pub struct Delivery {
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Delivery {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The tasks it is about.
    pub fn tasks(&self) -> Vec<Value> {
        let mut text = String::new();
        GzDecoder::new(self.body.as_slice()).read_to_string(&mut text).expect("compressed text");
        assert!(text.ends_with('\n'), "{text:?}");
        text.lines().map(|line| serde_json::from_str(line).expect("a task")).collect()
    }
}

#[derive(Default)]
struct State {
    received: Vec<Delivery>,
    /// For the next calls; those after them are answered with 200.
    replies: VecDeque<Reply>,
}

#[derive(Clone)]
pub struct Receiver {
    address: SocketAddr,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Receiver {
    pub fn start() -> Self {
        Self::start_at("127.0.0.1:0")
    }

    /// Its thread ends with the process.
    pub fn start_at(address: &str) -> Self {
        let listener = TcpListener::bind(address).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let receiver = Self { address, state: Arc::default() };
        let answering = receiver.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answering = answering.clone();
                // A caller that goes away in between is none of its business.
                std::thread::spawn(move || drop(answering.answer(stream)));
            }
        });
        receiver
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook?token=unseen", self.address)
    }

    pub fn reply(&self, replies: &[Reply]) {
        self.state.0.lock().expect("no panic").replies.extend(replies.iter().cloned());
    }

    /// Everything so far, once there are so many.
    #[track_caller]
    pub fn received(&self, count: usize) -> Vec<Delivery> {
        self.received_when(|received| received.len() >= count)
    }

    #[track_caller]
    pub fn received_when(&self, enough: impl Fn(&[Delivery]) -> bool) -> Vec<Delivery> {
        let (state, changed) = &*self.state;
        let state = state.lock().expect("no panic");
        let (state, waited) = changed
            .wait_timeout_while(state, PATIENCE, |state| !enough(&state.received))
            .expect("no panic");
        assert!(!waited.timed_out(), "only {} calls came", state.received.len());
        state.received.clone()
    }

    pub fn received_so_far(&self) -> usize {
        self.state.0.lock().expect("no panic").received.len()
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            match line.trim_end().split_once(':') {
                Some((name, value)) => {
                    headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
                }
                None if line.trim_end().is_empty() => break,
                None => headers.push((":request".to_owned(), line.trim_end().to_owned())),
            }
        }
        let delivery = Delivery { headers, body: Vec::new() };
        let length = delivery.header("content-length").map_or(0, |text| text.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let reply = {
            let (state, changed) = &*self.state;
            let mut state = state.lock().expect("no panic");
            state.received.push(Delivery { body, ..delivery });
            changed.notify_all();
            state.replies.pop_front().unwrap_or(Reply::Status(200))
        };
        match reply {
            Reply::Status(status) => write!(
                stream,
                "HTTP/1.1 {status} Said\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ),
            Reply::RedirectTo(target) => write!(
                stream,
                "HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n"
            ),
            // Until the caller closes.
            Reply::Silence => reader.read(&mut [0]).map(drop),
        }
    }
}
