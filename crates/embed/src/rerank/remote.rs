//! Rerankers behind HTTP. Templates describe the bodies they take and give.

use std::time::Duration;

use outbound::{Answer, Call, Client, OutboundError};
use serde_json::{Value, json};
use settings::{HostedReranker, RerankProvider, RestReranker};
use template::{RerankRequest, RerankResponse, TemplateError};

use super::retry::{self, AttemptError, Retry};
use super::{RerankError, RerankLimits};
use crate::options::Options;
use crate::remote::{headers, reply};

/// Some servers send the documents back.
const MAX_ANSWER_BYTES: usize = 16 << 20;

pub(super) struct Remote {
    client: Client,
    url: String,
    headers: Vec<(String, String)>,
    request: RerankRequest,
    response: RerankResponse,
    timeout: Duration,
    longest_pause: Duration,
}

impl Remote {
    pub(super) fn hosted(
        settings: &HostedReranker,
        client: &Client,
        options: &Options,
    ) -> Result<Self, TemplateError> {
        let model = &settings.model;
        let result = json!({"index": "{{index}}", "relevance_score": "{{score}}"});
        let documents = json!(["{{text}}", "{{..}}"]);
        let mut request = json!({"model": model, "query": "{{query}}", "documents": documents});
        let (url, results) = match settings.provider {
            RerankProvider::Cohere => ("https://api.cohere.com/v2/rerank", "results"),
            RerankProvider::Jina => ("https://api.jina.ai/v1/rerank", "results"),
            RerankProvider::Voyage => ("https://api.voyageai.com/v1/rerank", "data"),
        };
        if settings.provider != RerankProvider::Cohere {
            request["return_documents"] = json!(false);
        }
        let response = json!({results: [result, "{{..}}"]});
        Ok(Self {
            client: client.clone(),
            url: settings.url.clone().unwrap_or_else(|| url.to_owned()),
            headers: headers(settings.api_key.as_ref()),
            request: RerankRequest::parse(&request)?,
            response: RerankResponse::parse(&response)?,
            timeout: options.timeout,
            longest_pause: options.max_retry_delay,
        })
    }

    pub(super) fn rest(
        settings: &RestReranker,
        client: &Client,
        options: &Options,
    ) -> Result<Self, TemplateError> {
        let mut headers = headers(settings.api_key.as_ref());
        let own = settings.headers.iter();
        headers.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        Ok(Self {
            client: client.clone(),
            url: settings.url.clone(),
            headers,
            request: RerankRequest::parse(&settings.request)?,
            response: RerankResponse::parse(&settings.response)?,
            timeout: options.timeout,
            longest_pause: options.max_retry_delay,
        })
    }

    pub(super) fn scores(
        &self,
        query: &str,
        texts: &[String],
        wait: RerankLimits<'_>,
    ) -> Result<Vec<f64>, RerankError> {
        let body = self.request.body(query, texts).to_string();
        retry::run(wait, self.longest_pause, |left| {
            let mut call = Call::post(&self.url, body.clone(), self.timeout.min(left));
            call.headers.clone_from(&self.headers);
            call.max_answer_bytes = MAX_ANSWER_BYTES;
            let answer = self.client.send_blocking(call, wait.cancel);
            let answer = answer.map_err(|error| not_answered(error, left <= self.timeout))?;
            self.read(&answer, texts.len())
        })
    }

    fn read(&self, answer: &Answer, documents: usize) -> Result<Vec<f64>, AttemptError> {
        let status = answer.status;
        if (200..300).contains(&status) {
            let unusable = |problem: String| RerankError::BadAnswer(problem);
            let json: Value =
                serde_json::from_slice(&answer.body).map_err(|error| AttemptError {
                    error: unusable(format!("it is not JSON: {error}")),
                    retry: Some(Retry::Soon),
                })?;
            return self
                .response
                .extract(&json, documents)
                .map_err(|error| AttemptError { error: unusable(error.to_string()), retry: None });
        }
        let reply = reply(&answer.body, &self.headers);
        let (error, retry) = match status {
            401 | 403 => (RerankError::Unauthorized { status, reply }, None),
            429 => (
                RerankError::TooManyRequests { reply },
                Some(Retry::After(answer.retry_after.unwrap_or_default())),
            ),
            500..=599 => (RerankError::ServerError { status, reply }, Some(Retry::Soon)),
            _ => (RerankError::Refused { status, reply }, None),
        };
        Err(AttemptError { error, retry })
    }
}

/// Converts a failed call. `is_last`: the call had all the remaining time.
fn not_answered(error: OutboundError, is_last: bool) -> AttemptError {
    let is_late = is_last && matches!(error, OutboundError::Timeout(_));
    let retry = (error.is_transient() && !is_late).then_some(Retry::Soon);
    let error = match error {
        OutboundError::Stopped => RerankError::Stopped,
        OutboundError::Timeout(_) if is_late => RerankError::Late,
        OutboundError::Timeout(_) => RerankError::TimedOut(error.to_string()),
        OutboundError::TooLarge { .. } => RerankError::BadAnswer(error.to_string()),
        error => RerankError::Unreachable(error.to_string()),
    };
    AttemptError { error, retry }
}
