//! Rerankers: models that read a query together with the text of a document and say how well the
//! document answers it. All documents of a search are scored in one call.

mod error;
mod remote;
mod retry;

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Instant;

use model::Cancel;
use outbound::Client;
use serde_json::{Map, Value};
use settings::RerankerSource;
use template::{DocumentTemplate, Fields, RenderError};

use crate::local::CrossEncoder;
use crate::options::Options;
use crate::remote::Attempts;
use remote::Remote;

pub use error::RerankError;

pub struct Reranker {
    backend: Backend,
    template: DocumentTemplate,
    max_bytes: Option<NonZeroUsize>,
}

enum Backend {
    Remote(Remote),
    Local(CrossEncoder),
}

/// Limits of a rerank call: its deadline and its cancellation.
#[derive(Debug, Clone, Copy)]
pub struct RerankLimits<'w> {
    pub deadline: Instant,
    pub cancel: &'w Cancel,
}

impl RerankLimits<'_> {
    /// Returns why the call must end, if it must.
    fn over(&self) -> Option<RerankError> {
        if self.cancel.is_cancelled() {
            Some(RerankError::Stopped)
        } else if Instant::now() >= self.deadline {
            Some(RerankError::Late)
        } else {
            None
        }
    }
}

impl Reranker {
    /// Creates a reranker. A local model is loaded, which takes a while; no provider is called.
    /// `cancel` ends the download of a model.
    pub fn new(
        settings: &settings::Reranker,
        client: &Client,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Self, RerankError> {
        let invalid = |error: &dyn fmt::Display| RerankError::Settings(error.to_string());
        let backend = match &settings.source {
            RerankerSource::Hosted(hosted) => {
                Backend::Remote(Remote::hosted(hosted, client, options).map_err(|e| invalid(&e))?)
            }
            RerankerSource::Rest(rest) => {
                Backend::Remote(Remote::rest(rest, client, options).map_err(|e| invalid(&e))?)
            }
            RerankerSource::HuggingFace { model, revision } => {
                let attempts = Attempts {
                    timeout: options.timeout,
                    max_delay: options.max_retry_delay,
                    deadline: None,
                    cancel,
                    requests: None,
                };
                let models = options.models.as_deref();
                let model =
                    CrossEncoder::load(model, revision.as_deref(), models, client, &attempts);
                Backend::Local(model.map_err(|error| {
                    if error.is_stopped() {
                        RerankError::Stopped
                    } else {
                        RerankError::Model(error.to_string())
                    }
                })?)
            }
        };
        let template =
            DocumentTemplate::parse(&settings.prompt.template).map_err(|e| invalid(&e))?;
        Ok(Self { backend, template, max_bytes: NonZeroUsize::new(settings.prompt.max_bytes) })
    }

    /// Returns whether scores come from a provider, which takes time and no processor.
    pub fn asks_a_provider(&self) -> bool {
        matches!(self.backend, Backend::Remote(_))
    }

    /// Returns the text that represents a document.
    pub fn text_of(
        &self,
        document: &Map<String, Value>,
        fields: &dyn Fields,
    ) -> Result<String, RenderError> {
        self.template.render(document, fields, self.max_bytes)
    }

    /// Returns one score for each text, in their order. More is better.
    pub fn scores(
        &self,
        query: &str,
        texts: &[String],
        wait: RerankLimits<'_>,
    ) -> Result<Vec<f64>, RerankError> {
        match &self.backend {
            Backend::Remote(remote) => remote.scores(query, texts, wait),
            Backend::Local(model) => {
                let cancel = wait.cancel.or_when(move || Instant::now() >= wait.deadline);
                let scores = model.scores(query, texts, &cancel).map_err(RerankError::Model)?;
                scores.ok_or_else(|| wait.over().unwrap_or(RerankError::Late))
            }
        }
    }
}

/// Hides the settings, which hold keys.
impl fmt::Debug for Reranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reranker").finish_non_exhaustive()
    }
}
