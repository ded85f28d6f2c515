//! Providers behind HTTP. They differ in the bodies they take and give, which templates describe;
//! so all of them are one type here, a [`Remote`].

mod answer;
mod attempts;
mod ollama;
mod openai;
mod pool;
mod rest;
mod tokens;

pub(crate) use answer::reply;
pub(crate) use attempts::Attempts;
pub(crate) use openai::dimensions as openai_dimensions;
pub(crate) use rest::headers;

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use model::Cancel;
use outbound::{Call, Client};
use serde_json::Value;
use template::{RequestTemplate, ResponseTemplate};

use crate::callbacks::EmbedCallbacks;
use crate::error::{EmbedError, InnerError};
use crate::input::Input;
use crate::provider::Provider;
use answer::AttemptError;

pub(crate) struct Remote {
    client: Client,
    provider: Provider,
    url: String,
    headers: Vec<(String, String)>,
    request: RequestTemplate,
    response: ResponseTemplate,
    inputs_per_request: usize,
    /// Most bytes of all inputs of a request together.
    bytes_per_request: usize,
    concurrent_requests: usize,
}

/// Hides headers and the URL, which may hold keys.
impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("provider", &self.provider).finish_non_exhaustive()
    }
}

impl Remote {
    /// Embeds all inputs, in as many requests as needed; vectors in the order of the inputs.
    pub(crate) fn embed_all(
        &self,
        inputs: &[Input],
        dimensions: usize,
        attempts: &Attempts,
        callbacks: &EmbedCallbacks<'_>,
        on_failure: Option<OnFailure<'_>>,
    ) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        let batches = self.batches(inputs);
        let attempts = &attempts.with_callbacks(callbacks);
        let vectors = pool::run(self.concurrent_requests, &batches, |batch| {
            callbacks.cancel.check().map_err(InnerError::from)?;
            let part = &inputs[batch.clone()];
            let vectors = self
                .embed(part, Some(dimensions), attempts)
                .map_err(|error| EmbedError { inputs: Some(batch.clone()), ..error });
            let vectors = or_none(vectors, part.len(), on_failure)?;
            (callbacks.on_progress)(part.len());
            Ok(vectors)
        })?;
        Ok(vectors.into_iter().flatten().collect())
    }

    /// Embeds the inputs of one request, with retries where they may help.
    pub(crate) fn embed(
        &self,
        inputs: &[Input],
        dimensions: Option<usize>,
        attempts: &Attempts,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut values: Vec<Value> = inputs.iter().map(Input::to_json).collect();
        let mut cut = false;
        attempts.run(|timeout| {
            let result = self.ask(&values, dimensions, timeout, attempts.cancel);
            match result {
                // Most likely a text is too long, which can be fixed.
                Err(AttemptError::Refused(error))
                    if self.provider == Provider::OpenAi && !cut && tokens::cut(&mut values) =>
                {
                    cut = true;
                    Err(AttemptError::Transient(error))
                }
                other => other,
            }
        })
    }

    fn ask(
        &self,
        values: &[Value],
        dimensions: Option<usize>,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, AttemptError> {
        let body = self.request.inject(values).to_string();
        let mut call = Call::post(&self.url, body, timeout);
        call.headers.clone_from(&self.headers);
        let answer = self.client.send_blocking(call, cancel);
        let answer = answer.map_err(AttemptError::from_call)?;
        answer::read(&answer, self.provider, &self.headers, |json| {
            let vectors = self.response.extract(json).map_err(InnerError::Extract)?;
            check(&vectors, values.len(), dimensions)?;
            Ok(vectors)
        })
    }

    fn batches(&self, inputs: &[Input]) -> Vec<Range<usize>> {
        let mut batches = Vec::new();
        let mut start = 0;
        let mut bytes = 0;
        for (index, input) in inputs.iter().enumerate() {
            let full = index - start == self.inputs_per_request
                || bytes + input.bytes() > self.bytes_per_request;
            if full && index > start {
                batches.push(start..index);
                (start, bytes) = (index, 0);
            }
            bytes += input.bytes();
        }
        if start < inputs.len() {
            batches.push(start..inputs.len());
        }
        batches
    }
}

/// Callback for inputs without a vector.
pub(crate) type OnFailure<'f> = &'f (dyn Fn(&EmbedError) + Sync);

/// Reports a failure, leaving its inputs without vectors.
pub(crate) fn or_none(
    vectors: Result<Vec<Vec<f32>>, EmbedError>,
    count: usize,
    on_failure: Option<OnFailure<'_>>,
) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
    match (vectors, on_failure) {
        (Ok(vectors), _) => Ok(vectors.into_iter().map(Some).collect()),
        (Err(error), Some(on_failure)) if !error.is_stopped() => {
            on_failure(&error);
            Ok(vec![None; count])
        }
        (Err(error), _) => Err(error),
    }
}

fn check(vectors: &[Vec<f32>], count: usize, dimensions: Option<usize>) -> Result<(), InnerError> {
    if vectors.len() != count {
        return Err(InnerError::WrongCount { expected: count, found: vectors.len() });
    }
    let expected = dimensions.or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
    match vectors.iter().find(|vector| vector.len() != expected) {
        Some(wrong) => Err(InnerError::WrongDimensions { expected, found: wrong.len() }),
        None => Ok(()),
    }
}
