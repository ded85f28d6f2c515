//! Reranker of `personalize`: a model at Cohere, with the operator's key.

use embed::{Options, RerankError, RerankLimits, Reranker};
use model::{Cancel, Secret};
use outbound::Client;
use settings::{HostedReranker, Prompt, RerankProvider, RerankerSource};

const MODEL: &str = "rerank-v3.5";

/// Access to the provider of personalized searches.
#[derive(Debug, Clone)]
pub struct PersonalizationOptions {
    pub api_key: Secret,
    /// URL; by default that of the provider.
    pub url: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Personalizer(Reranker);

impl Personalizer {
    pub fn new(
        options: PersonalizationOptions,
        client: &Client,
        calls: &Options,
    ) -> Result<Self, RerankError> {
        let PersonalizationOptions { api_key, url } = options;
        let settings = settings::Reranker {
            source: RerankerSource::Hosted(HostedReranker {
                provider: RerankProvider::Cohere,
                model: MODEL.to_owned(),
                api_key: Some(api_key),
                url,
            }),
            // Hits are rendered already.
            prompt: Prompt::default(),
            timeout: None,
        };
        Reranker::new(&settings, client, calls, &Cancel::default()).map(Self)
    }

    /// Scores each hit by query and user context.
    pub fn scores(
        &self,
        query: &str,
        user_context: &str,
        hits: &[String],
        wait: RerankLimits<'_>,
    ) -> Result<Vec<f64>, RerankError> {
        let asked = match query.trim() {
            "" => format!("User context: {user_context}"),
            query => format!("Query: {query}\nUser context: {user_context}"),
        };
        self.0.scores(&asked, hits, wait)
    }
}
