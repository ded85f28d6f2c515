//! Rerankers as the rest of the program uses them: the model that scores documents against a query,
//! and the text it gets of each document.

mod combine;
mod fields;
mod read;
mod types;

pub(crate) use combine::{check_change, check_masks, combine, show};
pub(crate) use fields::SourceKind;
pub(crate) use read::rerankers;
pub(crate) use types::RERANKERS;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use model::Secret;
use serde_json::Value;

use crate::embedder::Prompt;

#[derive(Debug, Clone, PartialEq)]
pub struct Reranker {
    pub source: RerankerSource,
    pub prompt: Prompt,
    /// `None`: a provider has the rest of `searchCutoffMs`, a local model its own limit.
    pub timeout: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RerankerSource {
    Hosted(HostedReranker),
    Rest(RestReranker),
    /// A cross-encoder that runs in this process.
    HuggingFace {
        /// A name at the hub, or a folder.
        model: String,
        revision: Option<String>,
    },
}

impl RerankerSource {
    /// Returns whether the model runs in this process, which takes a while to load.
    pub fn is_local(&self) -> bool {
        matches!(self, Self::HuggingFace { .. })
    }
}

/// A known provider.
#[derive(Debug, Clone, PartialEq)]
pub struct HostedReranker {
    pub provider: RerankProvider,
    pub model: String,
    pub api_key: Option<Secret>,
    /// `None`: the one of the provider.
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RerankProvider {
    Cohere,
    Jina,
    Voyage,
}

/// Any other server, with its request and response described in the settings.
#[derive(Clone, PartialEq)]
pub struct RestReranker {
    pub url: String,
    pub api_key: Option<Secret>,
    pub headers: BTreeMap<String, String>,
    pub request: Value,
    pub response: Value,
}

/// Leaves out the values of headers, which may be secrets.
impl fmt::Debug for RestReranker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestReranker")
            .field("url", &self.url)
            .field("api_key", &self.api_key)
            .field("headers", &self.headers.keys())
            .field("request", &self.request)
            .field("response", &self.response)
            .finish()
    }
}
