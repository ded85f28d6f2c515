//! The reranker behind `personalize`: a model at Cohere, with the key that the operator gave.

use embed::{Options, RerankError, RerankLimits, Reranker};
use model::Secret;
use outbound::Client;
use settings::{HostedReranker, Prompt, RerankProvider, RerankerSource};

const MODEL: &str = "rerank-v3.5";

/// How personalized searches reach their provider.
#[derive(Debug, Clone)]
pub struct PersonalizationOptions {
    pub api_key: Secret,
    /// None: that of the provider.
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
            // Hits come as they are shown.
            prompt: Prompt::default(),
            timeout: None,
        };
        Reranker::new(&settings, client, calls, &|| false).map(Self)
    }

    /// One score for each hit, by what is asked and by who asks.
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
