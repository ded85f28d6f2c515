//! Calls one remote until it answers, refuses or the deadline passes. Callers decide on the request
//! and read the answer; keys and addresses never get into an error.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use model::{Code, Secret, ServiceError};
use network::{Availability, Remote, quoted};
use outbound::{Call, Client, OutboundError};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::Value;

const ATTEMPTS: usize = 4;
/// Limit of an answer, far above honest ones, so that a remote cannot fill the memory.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// A request to one remote.
#[derive(Debug, Clone)]
pub(crate) struct RemoteRequest {
    /// Name of the remote.
    pub remote: String,
    address: Address,
    key: Option<Secret>,
    body: Bytes,
    with_metadata: bool,
    /// Value of the header with a limited caller's rights to foreign indexes.
    foreign_rights: Option<String>,
    deadline: Instant,
}

/// A URL, which may hold a password.
#[derive(Clone)]
struct Address(String);

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Address(…)")
    }
}

impl RemoteRequest {
    /// Creates a request. `path` is a route that the search key may call.
    pub fn new(name: &str, remote: &Remote, path: &str, body: &Value, deadline: Instant) -> Self {
        Self {
            remote: name.to_owned(),
            address: Address(remote.address(path)),
            key: remote.search_api_key.clone(),
            body: Bytes::from(body.to_string()),
            with_metadata: false,
            foreign_rights: None,
            deadline,
        }
    }

    /// Adds the rights, as JSON. The remote then joins and filters by no other foreign documents.
    #[must_use]
    pub fn with_foreign_rights(mut self, rights: Option<&str>) -> Self {
        let encoded =
            rights.map(|rights| utf8_percent_encode(rights, NON_ALPHANUMERIC).to_string());
        self.foreign_rights = encoded;
        self
    }

    #[must_use]
    pub fn with_metadata(mut self, with_metadata: bool) -> Self {
        self.with_metadata = with_metadata;
        self
    }

    /// Returns the call, bounded by the remaining time; none if there is none.
    fn call(&self) -> Option<Call> {
        let left = self.deadline.checked_duration_since(Instant::now())?;
        let mut call = Call::post(self.address.0.clone(), self.body.clone(), left)
            .header("Content-Type", "application/json")
            .header("Meili-Proxy-Search", "true");
        if let Some(key) = &self.key {
            call = call.header("Authorization", format!("Bearer {}", key.expose()));
        }
        if self.with_metadata {
            call = call.header("Meili-Include-Metadata", "true");
        }
        if let Some(rights) = &self.foreign_rights {
            call = call.header("X-Meili-Proxy-Foreign-Rights", rights.clone());
        }
        call.max_answer_bytes = MAX_ANSWER_BYTES;
        Some(call)
    }
}

/// Reads the JSON of an answer.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

/// Error of one attempt, and whether a retry may succeed.
struct AttemptError {
    error: ServiceError,
    is_final: bool,
}

impl AttemptError {
    fn permanent(code: Code, message: impl Into<String>) -> Self {
        Self { error: ServiceError::new(code, message), is_final: true }
    }

    fn transient(code: Code, message: impl Into<String>) -> Self {
        Self { is_final: false, ..Self::permanent(code, message) }
    }
}

/// Calls the remote and records whether it is available.
pub(crate) async fn ask<T>(
    client: Client,
    availability: Arc<Availability>,
    request: RemoteRequest,
    read: impl Fn(&[u8]) -> Result<T, String>,
) -> Result<T, ServiceError> {
    let mut asked = 0;
    let outcome = loop {
        asked += 1;
        match attempt(&client, &request, &read).await {
            Ok(answer) => break Ok(answer),
            Err(failure) if failure.is_final || asked == ATTEMPTS => break Err(failure.error),
            Err(_) => {}
        }
    };
    match &outcome {
        Err(error) if is_outage(error.code) => availability.failed(&request.remote),
        // A refusal is an answer too.
        _ => availability.answered(&request.remote),
    }
    outcome
}

fn is_outage(code: Code) -> bool {
    matches!(
        code,
        Code::RemoteTimeout
            | Code::RemoteCouldNotSendRequest
            | Code::RemoteRemoteError
            | Code::RemoteBadResponse
    )
}

async fn attempt<T>(
    client: &Client,
    request: &RemoteRequest,
    read: &impl Fn(&[u8]) -> Result<T, String>,
) -> Result<T, AttemptError> {
    let late =
        || AttemptError::permanent(Code::RemoteTimeout, "The remote did not answer in time.");
    let call = request.call().ok_or_else(late)?;
    let answer = client.send(&call).await.map_err(|error| match error {
        OutboundError::Timeout(_) => late(),
        OutboundError::TooLarge { .. } => AttemptError::permanent(
            Code::RemoteBadResponse,
            format!("The remote sent too much: {error}."),
        ),
        OutboundError::Network(_) => {
            AttemptError::transient(Code::RemoteCouldNotSendRequest, unsent(&error))
        }
        _ => AttemptError::permanent(Code::RemoteCouldNotSendRequest, unsent(&error)),
    })?;
    let status = answer.status;
    let quoted = || quoted(&answer.body, request.key.as_ref());
    match status {
        200..=299 => outbound::block_in_place(|| read(&answer.body)).map_err(|why| {
            let message = format!(
                "The answer of the remote could not be read: {why}. It has status {status}{}\n - Hint: check that its URL is that of an instance of the same version.",
                quoted()
            );
            AttemptError::transient(Code::RemoteBadResponse, message)
        }),
        401 | 403 => Err(AttemptError::permanent(
            Code::RemoteInvalidApiKey,
            format!(
                "The remote refused the key with status {status}{}\n - Hint: check that its `searchApiKey` is a key of the remote that may search the index.",
                quoted()
            ),
        )),
        400..=499 => Err(AttemptError::permanent(
            Code::RemoteBadRequest,
            format!("The remote refused the request with status {status}{}", quoted()),
        )),
        500..=599 => Err(AttemptError::transient(
            Code::RemoteRemoteError,
            format!("The remote failed with status {status}{}", quoted()),
        )),
        _ => Err(AttemptError::transient(
            Code::RemoteBadResponse,
            format!("The remote answered with the unexpected status {status}{}", quoted()),
        )),
    }
}

fn unsent(error: &OutboundError) -> String {
    format!("The request could not be sent to the remote: {error}.")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn request(key: &str) -> RemoteRequest {
        let remote = Remote {
            url: "http://user:password@a.example".to_owned(),
            search_api_key: Some(Secret::new(key)),
            write_api_key: None,
        };
        let deadline = Instant::now() + Duration::from_secs(60);
        RemoteRequest::new("a", &remote, "/multi-search", &json!({}), deadline)
    }

    #[test]
    fn keys_are_not_shown() {
        let request = request("sesame");
        let shown = format!("{request:?}");
        assert!(!shown.contains("sesame") && !shown.contains("password"), "{shown}");
    }

    #[test]
    fn past_the_deadline_there_is_no_call() {
        let mut request = request("k");
        assert!(request.call().is_some());
        request.deadline = Instant::now() - Duration::from_millis(1);
        assert!(request.call().is_none());
    }
}
