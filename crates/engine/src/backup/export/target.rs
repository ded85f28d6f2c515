//! The receiving instance: requests to it, retried on transient errors. Its key and address, which
//! can hold a password, never get into an error.

use std::time::{Duration, Instant};

use bytes::Bytes;
use model::{Cancel, ServiceError};
use outbound::{Answer, Call, Client, Method, OutboundError};
use serde_json::Value;
use tasks::RunError;

/// Timeout of a small request; large ones get a second more per megabyte.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of an answer, which is a task, an index or an error.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// First pause between attempts; it grows with each.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long one request is retried.
const RETRY_LIMIT: Duration = Duration::from_secs(15 * 60);
/// How often a waiting thread checks whether to stop.
const STOP_CHECK: Duration = Duration::from_millis(20);
const MAX_QUOTED_CHARACTERS: usize = 300;

pub(super) struct Target<'t> {
    client: &'t Client,
    base: String,
    key: Option<&'t str>,
    cancel: &'t Cancel,
}

pub(super) struct Request {
    method: Method,
    path: String,
    headers: Vec<(&'static str, &'static str)>,
    body: Bytes,
    timeout: Duration,
}

impl Request {
    pub fn json(method: Method, path: &str, body: &Value) -> Self {
        let headers = vec![("Content-Type", "application/json")];
        let body = Bytes::from(body.to_string());
        Self { method, path: path.to_owned(), headers, body, timeout: TIMEOUT }
    }

    /// Creates a request of compressed documents; `bytes` is their uncompressed size.
    pub fn lines(path: &str, body: Vec<u8>, bytes: u64) -> Self {
        let headers = vec![("Content-Type", "application/x-ndjson"), ("Content-Encoding", "gzip")];
        let timeout = TIMEOUT + Duration::from_secs(bytes >> 20);
        let (path, body) = (path.to_owned(), Bytes::from(body));
        Self { method: Method::Post, path, headers, body, timeout }
    }

    fn get(path: &str) -> Self {
        let (path, headers) = (path.to_owned(), Vec::new());
        Self { method: Method::Get, path, headers, body: Bytes::new(), timeout: TIMEOUT }
    }

    /// Returns the request as shown to people.
    fn name(&self) -> String {
        let method = format!("{:?}", self.method).to_ascii_uppercase();
        let path = self.path.split('?').next().unwrap_or_default();
        format!("{method} {path}")
    }
}

impl<'t> Target<'t> {
    pub fn new(client: &'t Client, url: &str, key: Option<&'t str>, cancel: &'t Cancel) -> Self {
        // Query and fragment are cut off: routes add their own parameters.
        let base = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self { client, base: base.to_owned(), key, cancel }
    }

    /// Returns whether the path exists.
    pub fn has(&self, path: &str) -> Result<bool, RunError> {
        let request = Request::get(path);
        let answer = self.ask(&request)?;
        match answer.status {
            200..300 => Ok(true),
            404 => Ok(false),
            _ => Err(self.refused(&request, &answer).into()),
        }
    }

    pub fn send(&self, request: &Request) -> Result<(), RunError> {
        let answer = self.ask(request)?;
        match answer.status {
            200..300 => Ok(()),
            _ => Err(self.refused(request, &answer).into()),
        }
    }

    /// Returns whether the other instance accepts a request.
    pub fn accepts(&self, request: &Request) -> Result<bool, RunError> {
        let answer = self.ask(request)?;
        match answer.status {
            200..300 => Ok(true),
            400 => Ok(false),
            _ => Err(self.refused(request, &answer).into()),
        }
    }

    /// Returns the first answer that a retry would not change.
    fn ask(&self, request: &Request) -> Result<Answer, RunError> {
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            self.cancel.check()?;
            let outcome = self.client.send_blocking(self.call(request), self.cancel);
            let is_last = begun.elapsed() + pause > RETRY_LIMIT;
            let wanted = match outcome {
                Ok(answer) if !is_transient(answer.status) || is_last => return Ok(answer),
                Ok(answer) => answer.retry_after,
                Err(OutboundError::Stopped) => return Err(RunError::Stopped),
                Err(error) if !error.is_transient() || is_last => {
                    let what = format!("`{}` could not be sent: {error}", request.name());
                    return Err(ServiceError::internal(what).into());
                }
                Err(_) => None,
            };
            self.wait(wanted.unwrap_or(pause).min(LONGEST_PAUSE))?;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn call(&self, request: &Request) -> Call {
        let url = format!("{}{}", self.base, request.path);
        let mut call = Call::new(request.method, url, request.body.clone(), request.timeout);
        for (name, value) in &request.headers {
            call = call.header(*name, *value);
        }
        if let Some(key) = self.key {
            call = call.header("Authorization", format!("Bearer {key}"));
        }
        call.max_answer_bytes = MAX_ANSWER_BYTES;
        call
    }

    fn wait(&self, pause: Duration) -> Result<(), RunError> {
        let until = Instant::now() + pause;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.cancel.check()?;
            std::thread::sleep(left.min(STOP_CHECK));
        }
        Ok(())
    }

    fn refused(&self, request: &Request, answer: &Answer) -> ServiceError {
        let said = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
        let said = said.get("message").and_then(Value::as_str).unwrap_or_default();
        let said = match self.key.filter(|key| !key.is_empty()) {
            Some(key) => said.replace(key, "…"),
            None => said.to_owned(),
        };
        let mut message =
            format!("`{}` was answered with status {}", request.name(), answer.status);
        if !said.is_empty() {
            message.push_str(": ");
            message.extend(said.chars().take(MAX_QUOTED_CHARACTERS));
        }
        ServiceError::internal(message)
    }
}

/// Returns whether the same request may be accepted later.
fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}
