//! Interprets an answer: embeddings, a reason to retry, or a reason to give up.

use std::time::Duration;

use outbound::{Answer, OutboundError};
use serde_json::Value;

use crate::error::{EmbedError, InnerError};
use crate::provider::Provider;

/// Longest quoted reply; more helps no one.
const MAX_REPLY_BYTES: usize = 2048;
/// Longest quoted part of a web page; the beginning identifies it.
const MAX_PAGE_BYTES: usize = 200;
/// Shorter header values are no secrets, and may occur in any text.
const MIN_SECRET_BYTES: usize = 8;

pub(crate) enum AttemptError {
    /// The server does not take this request.
    Refused(EmbedError),
    /// No retry can succeed.
    Final(EmbedError),
    /// A retry may succeed.
    Transient(EmbedError),
    /// A retry is unlikely to succeed: worth few attempts.
    Doubtful(EmbedError),
    /// A later retry succeeds; perhaps the server said when.
    Busy(EmbedError, Option<Duration>),
}

impl AttemptError {
    pub(crate) fn from_call(error: OutboundError) -> Self {
        match error {
            OutboundError::Stopped => Self::Final(InnerError::Stopped.into()),
            error if error.is_transient() => {
                Self::Transient(InnerError::Unreachable(error.to_string()).into())
            }
            error => Self::Final(InnerError::Unreachable(error.to_string()).into()),
        }
    }

    pub(crate) fn error(&self) -> &EmbedError {
        match self {
            Self::Refused(error)
            | Self::Final(error)
            | Self::Transient(error)
            | Self::Doubtful(error)
            | Self::Busy(error, _) => error,
        }
    }

    pub(crate) fn into_error(self) -> EmbedError {
        match self {
            Self::Refused(error)
            | Self::Final(error)
            | Self::Transient(error)
            | Self::Doubtful(error)
            | Self::Busy(error, _) => error,
        }
    }
}

pub(crate) fn read<T>(
    answer: &Answer,
    provider: Provider,
    headers: &[(String, String)],
    extract: impl FnOnce(&Value) -> Result<T, InnerError>,
) -> Result<T, AttemptError> {
    let status = answer.status;
    if (200..300).contains(&status) {
        let json = serde_json::from_slice(&answer.body).map_err(|error| {
            if !is_web_page(answer) {
                return AttemptError::Transient(InnerError::NotJson(error.to_string()).into());
            }
            let beginning = answer.body.get(..MAX_PAGE_BYTES).unwrap_or(&answer.body);
            AttemptError::Doubtful(InnerError::WebPage(reply(beginning, headers)).into())
        })?;
        return extract(&json).map_err(|problem| AttemptError::Final(problem.into()));
    }
    let reply = reply(&answer.body, headers);
    Err(match status {
        400 => AttemptError::Refused(InnerError::BadRequest { provider, answer: reply }.into()),
        401 => AttemptError::Final(InnerError::Unauthorized { provider, answer: reply }.into()),
        404 if provider == Provider::Ollama => {
            AttemptError::Final(InnerError::OllamaModelNotFound(reply).into())
        }
        429 => AttemptError::Busy(InnerError::TooManyRequests(reply).into(), answer.retry_after),
        500..=599 => {
            let error = InnerError::ServerError { status, answer: reply }.into();
            AttemptError::Busy(error, answer.retry_after)
        }
        _ => AttemptError::Final(InnerError::UnexpectedStatus { status, answer: reply }.into()),
    })
}

/// Recognises a page for browsers, as servers return under a wrong path. A gateway may do so for a
/// moment, but a retry mostly gives the same, unlike with truncated JSON.
fn is_web_page(answer: &Answer) -> bool {
    let first = answer.body.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'<')
}

/// Quotes the server's reply without the secrets that were sent to it.
pub(crate) fn reply(body: &[u8], headers: &[(String, String)]) -> Option<String> {
    let mut text = String::from_utf8_lossy(body).into_owned();
    for (_, value) in headers {
        let secret = value.strip_prefix("Bearer ").unwrap_or(value);
        if secret.len() >= MIN_SECRET_BYTES {
            text = text.replace(secret, "XXX...");
        }
    }
    text.truncate(text.floor_char_boundary(MAX_REPLY_BYTES));
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
