//! The server that a command talks to: its address, its key, and one call at a time.
//!
//! A server that does not answer at all is reported at once. One that did answer before gets
//! some patience: it may be starting again, or have too much to do.

use std::cell::Cell;
use std::thread::sleep;
use std::time::{Duration, Instant};

use bytes::Bytes;
use outbound::{AddressPolicy, Answer, Call, Client, Method};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::CliError;
use crate::interrupt::Interrupt;

/// A large body over a slow line takes its time.
const TIMEOUT: Duration = Duration::from_secs(600);
const PATIENCE: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const STOP_CHECK: Duration = Duration::from_millis(50);

/// What a person names: `--url` and `--key`.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) url: String,
    pub(crate) key: Option<String>,
    /// How a key is given.
    pub(crate) key_option: &'static str,
}

#[derive(Debug, Clone)]
pub(crate) struct Server {
    client: Client,
    /// Without a slash at its end.
    url: String,
    key: Option<String>,
    key_option: &'static str,
    interrupt: Interrupt,
    has_answered: Cell<bool>,
}

impl Server {
    /// The operator of this machine asks for the connection, so any address will do.
    pub(crate) fn new(place: &Place, interrupt: &Interrupt) -> Result<Self, CliError> {
        let url = base_url(&place.url)?;
        let client = Client::new(AddressPolicy::Any)
            .map_err(|source| CliError::Unreachable { url: url.clone(), source })?;
        Ok(Self {
            client,
            url,
            key: place.key.clone(),
            key_option: place.key_option,
            interrupt: interrupt.clone(),
            has_answered: Cell::new(false),
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, CliError> {
        let call = self.call(Method::Get, path, None, Bytes::new());
        self.read(path, &self.patiently(call)?)
    }

    /// For calls that may be made twice.
    pub(crate) fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<T, CliError> {
        self.send_body(method, path, "application/json", body.to_string().into())
    }

    pub(crate) fn send_body<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> Result<T, CliError> {
        let call = self.call(method, path, Some(content_type), body);
        self.read(path, &self.patiently(call)?)
    }

    /// For calls that do something each time.
    pub(crate) fn send_once<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
    ) -> Result<T, CliError> {
        let call = self.call(method, path, None, Bytes::new());
        self.read(path, &self.try_once(call)?)
    }

    /// A call to this server, for who makes it alone.
    pub(crate) fn call(
        &self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: Bytes,
    ) -> Call {
        let mut call = Call::new(method, format!("{}{path}", self.url), body, TIMEOUT);
        if let Some(content_type) = content_type {
            call = call.header("Content-Type", content_type);
        }
        match &self.key {
            Some(key) => call.header("Authorization", format!("Bearer {key}")),
            None => call,
        }
    }

    fn read<T: DeserializeOwned>(&self, path: &str, answer: &Answer) -> Result<T, CliError> {
        // Routes without an answer of their own give an empty body.
        let body: &[u8] = if answer.body.is_empty() { b"null" } else { &answer.body };
        serde_json::from_slice(body).map_err(|error| {
            CliError::Failed(format!(
                "{}{path} gave an answer that is not understood: {error}",
                self.url
            ))
        })
    }

    fn patiently(&self, call: Call) -> Result<Answer, CliError> {
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let failure = match self.try_once(call.clone()) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if !self.may_pass(&failure) || start.elapsed() + pause > PATIENCE {
                return Err(failure);
            }
            self.wait(pause)?;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn may_pass(&self, failure: &CliError) -> bool {
        match failure {
            CliError::Unreachable { source, .. } => {
                self.has_answered.get() && source.is_transient()
            }
            CliError::Refused { status, .. } => matches!(status, 408 | 429 | 502..=504),
            _ => false,
        }
    }

    /// Sleeps, unless a signal comes.
    pub(crate) fn wait(&self, pause: Duration) -> Result<(), CliError> {
        let end = Instant::now() + pause;
        loop {
            self.interrupt.check()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            sleep(left.min(STOP_CHECK));
        }
    }

    fn try_once(&self, call: Call) -> Result<Answer, CliError> {
        let answer = self.client.send_blocking(call, &|| self.interrupt.came());
        self.interrupt.check()?;
        let answer =
            answer.map_err(|source| CliError::Unreachable { url: self.url.clone(), source })?;
        self.has_answered.set(true);
        if answer.status < 400 { Ok(answer) } else { Err(self.explained(refusal(&answer))) }
    }

    /// About keys the server speaks of headers, which nobody writes here.
    fn explained(&self, failure: CliError) -> CliError {
        match failure {
            CliError::Refused { status, code, message } if failure_is_of_key(&code) => {
                let message = match &self.key {
                    None => format!("{} wants a key: {}.", self.url, self.key_option),
                    Some(_) => format!("{message} It is the one of {}.", self.key_option),
                };
                CliError::Refused { status, code, message }
            }
            other => other,
        }
    }
}

fn failure_is_of_key(code: &str) -> bool {
    matches!(code, "missing_authorization_header" | "invalid_api_key")
}

/// What an answer with an error says.
pub(crate) fn refusal(answer: &Answer) -> CliError {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let mut message = text("message");
    if message.is_empty() {
        message = format!("the server answered with status {}", answer.status);
    }
    CliError::Refused { status: answer.status, code: text("code"), message }
}

/// A part of a path, whatever letters it has.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn base_url(text: &str) -> Result<String, CliError> {
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let wrong =
        |why: String| CliError::Usage(format!("`{text}` is not the URL of a server: {why}"));
    let url = url::Url::parse(&full).map_err(|error| wrong(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("expected http or https".to_owned()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("expected nothing behind the path".to_owned()));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_may_be_short() {
        assert_eq!(base_url("localhost:7700").unwrap(), "http://localhost:7700");
        assert_eq!(base_url("https://search.example/a/").unwrap(), "https://search.example/a");
        for wrong in ["ftp://a", "http://", "http://a/?b"] {
            assert!(base_url(wrong).is_err(), "{wrong}");
        }
    }
}
