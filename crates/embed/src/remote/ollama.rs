//! Ollama: self-hosted models. The end of the URL selects one of its two routes.

use outbound::Client;
use serde_json::{Value, json};
use settings::Ollama;
use template::{Placeholder, RequestTemplate, ResponseTemplate};

use super::Remote;
use super::rest::headers;
use crate::error::{EmbedError, InnerError};
use crate::options::Options;
use crate::provider::Provider;

const DEFAULT_URL: &str = "http://localhost:11434/api/embeddings";
const BYTES_PER_REQUEST: usize = 1 << 20;

impl Remote {
    pub(crate) fn ollama(
        settings: &Ollama,
        client: &Client,
        options: &Options,
    ) -> Result<Self, EmbedError> {
        let url = settings.url.clone().or_else(|| options.ollama_url.clone());
        let url = url.unwrap_or_else(|| DEFAULT_URL.to_owned());
        let (request, response) = bodies(&settings.model, &url)?;
        let request =
            RequestTemplate::parse(&request, Placeholder::Text).map_err(InnerError::Template)?;
        let response =
            ResponseTemplate::parse(&response, &request).map_err(InnerError::Template)?;
        Ok(Self {
            client: client.clone(),
            provider: Provider::Ollama,
            url,
            headers: headers(settings.api_key.as_ref()),
            inputs_per_request: request.inputs_per_request(),
            request,
            response,
            bytes_per_request: BYTES_PER_REQUEST,
            concurrent_requests: options.concurrent_requests,
        })
    }
}

fn bodies(model: &str, url: &str) -> Result<(Value, Value), InnerError> {
    if url.ends_with("/api/embeddings") {
        let request = json!({"model": model, "prompt": "{{text}}"});
        Ok((request, json!({"embedding": "{{embedding}}"})))
    } else if url.ends_with("/api/embed") {
        let request = json!({"model": model, "input": ["{{text}}", "{{..}}"]});
        Ok((request, json!({"embeddings": ["{{embedding}}", "{{..}}"]})))
    } else {
        Err(InnerError::OllamaUrl(model::shown_url(url)))
    }
}
