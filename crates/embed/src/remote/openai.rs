//! OpenAI and compatible servers.

use outbound::Client;
use serde_json::json;
use settings::{OpenAi, OpenAiModel};
use template::{Placeholder, RequestTemplate, ResponseTemplate};

use super::Remote;
use super::rest::headers;
use crate::error::{EmbedError, InnerError};
use crate::options::Options;
use crate::provider::Provider;

const DEFAULT_URL: &str = "https://api.openai.com/v1/embeddings";
/// A request takes at most 2048 texts and 300,000 tokens, and no token is shorter than a byte.
const INPUTS_PER_REQUEST: usize = 100;
const BYTES_PER_REQUEST: usize = 250_000;

impl Remote {
    pub(crate) fn openai(
        settings: &OpenAi,
        client: &Client,
        options: &Options,
    ) -> Result<Self, EmbedError> {
        let mut request = json!({"model": settings.model, "input": ["{{text}}", "{{..}}"]});
        if let Some(dimensions) = settings.dimensions
            && OpenAiModel::named(&settings.model).is_none_or(|model| model.can_shorten)
        {
            request["dimensions"] = json!(dimensions);
        }
        let response = json!({"data": [{"embedding": "{{embedding}}"}, "{{..}}"]});
        let request =
            RequestTemplate::parse(&request, Placeholder::Text).map_err(InnerError::Template)?;
        let response =
            ResponseTemplate::parse(&response, &request).map_err(InnerError::Template)?;
        let api_key = settings.api_key.as_ref().or(options.openai_api_key.as_ref());
        Ok(Self {
            client: client.clone(),
            provider: Provider::OpenAi,
            url: settings.url.clone().unwrap_or_else(|| DEFAULT_URL.to_owned()),
            headers: headers(api_key),
            request,
            response,
            inputs_per_request: INPUTS_PER_REQUEST,
            bytes_per_request: BYTES_PER_REQUEST,
            concurrent_requests: options.concurrent_requests,
        })
    }
}

/// Returns the default dimensions; none for an unknown model.
pub(crate) fn dimensions(model: &str) -> Option<usize> {
    OpenAiModel::named(model).map(|model| model.dimensions)
}
