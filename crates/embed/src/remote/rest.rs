//! Any provider: the settings describe its requests and answers.

use model::Secret;
use outbound::Client;
use settings::Rest;
use template::{Placeholder, RequestTemplate, ResponseTemplate};

use super::Remote;
use crate::error::{EmbedError, InnerError};
use crate::options::Options;
use crate::provider::Provider;

const BYTES_PER_REQUEST: usize = 1 << 20;

impl Remote {
    pub(crate) fn rest(
        settings: &Rest,
        client: &Client,
        options: &Options,
    ) -> Result<Self, EmbedError> {
        let has_fragments =
            !settings.indexing_fragments.is_empty() || !settings.search_fragments.is_empty();
        let placeholder = if has_fragments { Placeholder::Fragment } else { Placeholder::Text };
        let request =
            RequestTemplate::parse(&settings.request, placeholder).map_err(InnerError::Template)?;
        let response =
            ResponseTemplate::parse(&settings.response, &request).map_err(InnerError::Template)?;
        let mut headers = headers(settings.api_key.as_ref());
        let own = settings.headers.iter();
        headers.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        Ok(Self {
            client: client.clone(),
            provider: Provider::Rest,
            url: settings.url.clone(),
            headers,
            inputs_per_request: request.inputs_per_request(),
            request,
            response,
            bytes_per_request: BYTES_PER_REQUEST,
            concurrent_requests: options.concurrent_requests,
        })
    }
}

/// Returns the headers of every request.
pub(crate) fn headers(api_key: Option<&Secret>) -> Vec<(String, String)> {
    let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    if let Some(key) = api_key {
        headers.push(("Authorization".to_owned(), format!("Bearer {}", key.expose())));
    }
    headers
}
