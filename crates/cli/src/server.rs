//! Client for the server that a command talks to; one call at a time.
//!
//! A server that has never answered is reported at once. Calls to one that has are retried for a
//! while: it may be restarting or overloaded.

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

/// Long enough for a large body over a slow connection.
const TIMEOUT: Duration = Duration::from_secs(600);
const RETRY_FOR: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Address and key as given by `--url` and `--key`.
#[derive(Debug, Clone)]
pub(crate) struct ServerArgs {
    pub(crate) url: String,
    pub(crate) key: Option<String>,
    /// Names the options for the key, for messages.
    pub(crate) key_option: &'static str,
}

#[derive(Debug, Clone)]
pub(crate) struct Server {
    client: Client,
    /// Without a trailing slash.
    url: String,
    key: Option<String>,
    key_option: &'static str,
    interrupt: Interrupt,
    has_answered: Cell<bool>,
}

impl Server {
    /// Creates the client. The user asked for the connection, so any address is allowed.
    pub(crate) fn new(args: &ServerArgs, interrupt: &Interrupt) -> Result<Self, CliError> {
        let url = base_url(&args.url)?;
        let client = Client::new(AddressPolicy::Any)
            .map_err(|source| CliError::Unreachable { url: url.clone(), source })?;
        Ok(Self {
            client,
            url,
            key: args.key.clone(),
            key_option: args.key_option,
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
        self.read(path, &self.send_with_retry(call)?)
    }

    /// Sends a call that is safe to repeat, with retries.
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
        self.read(path, &self.send_with_retry(call)?)
    }

    /// Sends a call that is not safe to repeat, without retries.
    pub(crate) fn send_once<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
    ) -> Result<T, CliError> {
        let call = self.call(method, path, None, Bytes::new());
        self.read(path, &self.try_once(call)?)
    }

    /// Builds a call without sending it.
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
        // Routes without an answer return an empty body.
        let body: &[u8] = if answer.body.is_empty() { b"null" } else { &answer.body };
        serde_json::from_slice(body).map_err(|error| {
            CliError::Failed(format!("{}{path} returned an unexpected answer: {error}", self.url))
        })
    }

    fn send_with_retry(&self, call: Call) -> Result<Answer, CliError> {
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let failure = match self.try_once(call.clone()) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if !self.is_transient(&failure) || start.elapsed() + pause > RETRY_FOR {
                return Err(failure);
            }
            self.wait(pause)?;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn is_transient(&self, failure: &CliError) -> bool {
        match failure {
            CliError::Unreachable { source, .. } => {
                self.has_answered.get() && source.is_transient()
            }
            CliError::Refused { status, .. } => matches!(status, 408 | 429 | 502..=504),
            _ => false,
        }
    }

    /// Sleeps until the pause is over or a signal arrives.
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
        let answer = self.client.send_blocking(call, &self.interrupt.cancel);
        self.interrupt.check()?;
        let answer =
            answer.map_err(|source| CliError::Unreachable { url: self.url.clone(), source })?;
        self.has_answered.set(true);
        if answer.status < 400 {
            Ok(answer)
        } else {
            Err(self.explain_key_error(error_in(&answer)))
        }
    }

    /// Rewords key errors: the server names headers, which users of the command line do not set.
    fn explain_key_error(&self, failure: CliError) -> CliError {
        match failure {
            CliError::Refused { status, code, message } if is_key_error(&code) => {
                let message = match &self.key {
                    None => format!("{} requires an API key ({}).", self.url, self.key_option),
                    Some(_) => format!("{message} It was given by {}.", self.key_option),
                };
                CliError::Refused { status, code, message }
            }
            other => other,
        }
    }
}

fn is_key_error(code: &str) -> bool {
    matches!(code, "missing_authorization_header" | "invalid_api_key")
}

/// Converts an error answer to a `CliError`.
pub(crate) fn error_in(answer: &Answer) -> CliError {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let mut message = text("message");
    if message.is_empty() {
        message = format!("the server answered with status {}", answer.status);
    }
    CliError::Refused { status: answer.status, code: text("code"), message }
}

/// Percent-encodes a path segment.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn base_url(text: &str) -> Result<String, CliError> {
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let wrong = |why: String| CliError::Usage(format!("`{text}` is not a server URL: {why}"));
    let url = url::Url::parse(&full).map_err(|error| wrong(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("expected http or https".to_owned()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("expected nothing after the path".to_owned()));
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
