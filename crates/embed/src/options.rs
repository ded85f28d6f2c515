//! Operator options for all embedders.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use model::Secret;

#[derive(Debug, Clone)]
pub struct Options {
    /// Key for `openAi` embedders that name none.
    pub openai_api_key: Option<Secret>,
    /// URL for `ollama` embedders that name none.
    pub ollama_url: Option<String>,
    /// Timeout of one call.
    pub timeout: Duration,
    /// The longest pause between two tries of a call.
    pub max_retry_delay: Duration,
    /// Number of parallel calls of an embedder for documents.
    pub concurrent_requests: usize,
    /// Number of query embeddings that each embedder caches.
    pub cached_queries: usize,
    pub failure_modes: FailureModes,
    /// The folder with the models that are not fetched from the hub.
    pub models: Option<PathBuf>,
}

/// The failures that a batch tolerates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailureModes {
    /// Documents whose template does not render have no vector.
    pub ignore_document_template_failures: bool,
    /// Documents that the provider does not embed have no vector.
    pub ignore_embedder_failures: bool,
}

/// Parses comma-separated names, as in the environment.
impl FromStr for FailureModes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut modes = Self::default();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "ignore_document_template_failures" => {
                    modes.ignore_document_template_failures = true;
                }
                "ignore_embedder_failures" => modes.ignore_embedder_failures = true,
                other => return Err(format!("unknown embedder failure mode `{other}`")),
            }
        }
        Ok(modes)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            openai_api_key: None,
            ollama_url: None,
            timeout: Duration::from_secs(30),
            max_retry_delay: Duration::from_secs(60),
            concurrent_requests: 8,
            cached_queries: 0,
            failure_modes: FailureModes::default(),
            models: None,
        }
    }
}
