//! Search requests of a model, and their results.

use model::ServiceError;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The arguments of a search.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SearchCall {
    pub index_uid: String,
    pub q: Option<String>,
    pub filter: Option<String>,
}

/// The result of a search.
#[derive(Debug)]
pub struct FoundDocuments {
    /// The text for the model.
    pub text: String,
    /// A JSON array of the documents, limited to what the caller may see.
    pub sources: Box<RawValue>,
}

/// Token usage of one answer, as counted by the provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Usage {
    #[serde(rename = "prompt_tokens")]
    pub prompt: u64,
    #[serde(rename = "completion_tokens")]
    pub completion: u64,
    #[serde(rename = "total_tokens")]
    pub total: u64,
}

/// Searches for a conversation. A search that is no longer needed is dropped, and should end then.
pub trait Searcher: Send + Sync + 'static {
    fn search(
        &self,
        call: SearchCall,
    ) -> impl Future<Output = Result<FoundDocuments, ServiceError>> + Send + '_;

    /// Records the token usage of an answer.
    fn note_usage(&self, _usage: Usage) {}
}
