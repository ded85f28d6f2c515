//! A provider in this process, which answers as scripted and records its requests.
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::IntoResponse;
use embed::{EmbedCallbacks, Embedder, Input, Options, QueryInput, Requests};
use model::Cancel;
use outbound::Client;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub struct RecordedRequest {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Value,
}

pub struct Reply {
    pub status: u16,
    pub body: String,
    pub retry_after: Option<&'static str>,
    pub delay: Duration,
}

impl Reply {
    pub fn ok(body: Value) -> Self {
        Self::text(200, &body.to_string())
    }

    pub fn text(status: u16, body: &str) -> Self {
        let body = body.to_owned();
        Self { status, body, retry_after: None, delay: Duration::ZERO }
    }

    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

pub struct Server {
    address: SocketAddr,
    state: Arc<State>,
}

/// From how many requests came before, and the request.
type Answering = dyn Fn(usize, &RecordedRequest) -> Reply + Send + Sync;

struct State {
    reply: Box<Answering>,
    asked: Mutex<Vec<RecordedRequest>>,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Server {
    /// `reply` is given how many requests came before.
    pub fn start(reply: impl Fn(usize, &RecordedRequest) -> Reply + Send + Sync + 'static) -> Self {
        let state = Arc::new(State {
            reply: Box::new(reply),
            asked: Mutex::default(),
            at_once: AtomicUsize::new(0),
            most_at_once: AtomicUsize::new(0),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let shared = Arc::clone(&state);
        let handler =
            move |uri: Uri, headers: HeaderMap, body: Bytes| answer(shared, uri, headers, body);
        thread::spawn(move || {
            tokio::runtime::Runtime::new().unwrap().block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, Router::new().fallback(handler)).await.unwrap();
            });
        });
        Self { address, state }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn asked(&self) -> Vec<RecordedRequest> {
        self.state.asked.lock().unwrap().clone()
    }

    pub fn most_at_once(&self) -> usize {
        self.state.most_at_once.load(Ordering::SeqCst)
    }
}

async fn answer(state: Arc<State>, uri: Uri, headers: HeaderMap, body: Bytes) -> impl IntoResponse {
    let at_once = state.at_once.fetch_add(1, Ordering::SeqCst) + 1;
    state.most_at_once.fetch_max(at_once, Ordering::SeqCst);
    let text = |value: &axum::http::HeaderValue| value.to_str().unwrap().to_owned();
    let asked = RecordedRequest {
        path: uri.path().to_owned(),
        headers: headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        body: serde_json::from_slice(&body).unwrap(),
    };
    let reply = {
        let mut all = state.asked.lock().unwrap();
        let reply = (state.reply)(all.len(), &asked);
        all.push(asked);
        reply
    };
    tokio::time::sleep(reply.delay).await;
    state.at_once.fetch_sub(1, Ordering::SeqCst);
    let mut headers = HeaderMap::new();
    if let Some(seconds) = reply.retry_after {
        headers.insert("retry-after", seconds.parse().unwrap());
    }
    (StatusCode::from_u16(reply.status).unwrap(), headers, reply.body)
}

/// The vector that providers of these tests have for a text, in two dimensions.
pub fn vector(text: &Value) -> Value {
    let text = text.as_str().unwrap();
    json!([text.len(), text.bytes().map(u64::from).sum::<u64>()])
}

pub fn client() -> Client {
    Client::new("127.0.0.0/8".parse().unwrap()).unwrap()
}

/// Pauses between tries are short.
pub fn options() -> Options {
    Options { max_retry_delay: Duration::from_millis(1), ..Options::default() }
}

pub fn plain(source: settings::Source) -> settings::Embedder {
    settings::Embedder { source, distribution: None, binary_quantized: false }
}

pub fn embedder(source: settings::Source) -> Result<Embedder, String> {
    Embedder::new("e", &plain(source), &client(), None, &options()).map_err(|e| e.to_string())
}

pub fn rest(url: String, request: Value, response: Value) -> settings::Rest {
    settings::Rest {
        url,
        api_key: None,
        dimensions: Some(2),
        request,
        response,
        headers: Default::default(),
        prompt: Default::default(),
        indexing_fragments: Default::default(),
        search_fragments: Default::default(),
    }
}

/// `{"input": text}` → `{"data": vector}`.
pub fn simple_rest(server: &Server) -> settings::Rest {
    rest(server.url("/embed"), json!({"input": "{{text}}"}), json!({"data": "{{embedding}}"}))
}

pub fn simple_answer(asked: &RecordedRequest) -> Reply {
    Reply::ok(json!({"data": vector(&asked.body["input"])}))
}

pub fn texts(texts: &[&str]) -> Vec<Input> {
    texts.iter().map(|text| Input::Text((*text).to_owned())).collect()
}

pub fn embed(embedder: &Embedder, inputs: &[Input]) -> Result<Vec<Vec<f32>>, String> {
    let callbacks = EmbedCallbacks {
        on_progress: &|_| {},
        cancel: &Cancel::default(),
        requests: &Requests::default(),
    };
    embedder.embed_documents(inputs, &callbacks).map_err(|error| error.to_string())
}

pub fn query(q: &str) -> QueryInput<'_> {
    QueryInput { q: Some(q), media: None }
}

/// The error of embedding one text with a server that always replies like this.
pub fn failure(reply: fn() -> Reply) -> String {
    let server = Server::start(move |_, _| reply());
    let embedder = embedder(settings::Source::Rest(simple_rest(&server))).unwrap();
    embed(&embedder, &texts(&["a"])).unwrap_err()
}
