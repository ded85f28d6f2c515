//! What an answer means: embeddings, a reason to try again, or a reason to give up.

use std::time::Duration;

use outbound::{Answer, OutboundError};
use serde_json::Value;

use crate::error::{EmbedError, Problem};
use crate::provider::Provider;

/// More of a server's reply than this helps nobody.
const MAX_REPLY_BYTES: usize = 2048;
/// The beginning of a web page says what it is.
const MAX_PAGE_BYTES: usize = 200;
/// Shorter values of headers are no secrets, and may occur in any text.
const MIN_SECRET_BYTES: usize = 8;

pub(crate) enum Failure {
    /// The server does not take this request.
    Refused(EmbedError),
    /// Nothing will change it.
    Final(EmbedError),
    /// It may go better next time.
    Transient(EmbedError),
    /// It may, but hardly: worth few attempts.
    Doubtful(EmbedError),
    /// It goes better later; perhaps the server said when.
    Busy(EmbedError, Option<Duration>),
}

impl Failure {
    pub(crate) fn from_call(error: OutboundError) -> Self {
        match error {
            OutboundError::Stopped => Self::Final(Problem::Stopped.into()),
            error if error.is_transient() => {
                Self::Transient(Problem::Unreachable(error.to_string()).into())
            }
            error => Self::Final(Problem::Unreachable(error.to_string()).into()),
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
    extract: impl FnOnce(&Value) -> Result<T, Problem>,
) -> Result<T, Failure> {
    let status = answer.status;
    if (200..300).contains(&status) {
        let json =
            serde_json::from_slice(&answer.body).map_err(|error| match is_web_page(answer) {
                true => {
                    let beginning = answer.body.get(..MAX_PAGE_BYTES).unwrap_or(&answer.body);
                    Failure::Doubtful(Problem::WebPage(reply(beginning, headers)).into())
                }
                false => Failure::Transient(Problem::NotJson(error.to_string()).into()),
            })?;
        return extract(&json).map_err(|problem| Failure::Final(problem.into()));
    }
    let reply = reply(&answer.body, headers);
    Err(match status {
        400 => Failure::Refused(Problem::BadRequest { provider, answer: reply }.into()),
        401 => Failure::Final(Problem::Unauthorized { provider, answer: reply }.into()),
        404 if provider == Provider::Ollama => {
            Failure::Final(Problem::OllamaModelNotFound(reply).into())
        }
        429 => Failure::Busy(Problem::TooManyRequests(reply).into(), answer.retry_after),
        500..=599 => {
            let error = Problem::ServerError { status, answer: reply }.into();
            Failure::Busy(error, answer.retry_after)
        }
        _ => Failure::Final(Problem::UnexpectedStatus { status, answer: reply }.into()),
    })
}

/// A page for browsers, as servers give out under a wrong path. A gateway may do so for a moment;
/// most often it will be the same the next time, unlike JSON that was cut short on its way.
fn is_web_page(answer: &Answer) -> bool {
    let first = answer.body.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'<')
}

/// The server's words, without what was sent to it in confidence.
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
