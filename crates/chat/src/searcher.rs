//! The searches of a conversation, as the model asks for them and as they are answered.

use model::ServiceError;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The arguments of a search.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SearchCall {
    pub index_uid: String,
    #[serde(default)]
    pub q: Option<String>,
    #[serde(default)]
    pub filter: Option<String>,
}

/// What a search found.
#[derive(Debug)]
pub struct FoundDocuments {
    /// What the model reads.
    pub text: String,
    /// A JSON array of the documents, as they may be shown to whoever asks.
    pub sources: Box<RawValue>,
}

/// The tokens of one answer, as the provider counted them.
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

/// Whoever can search for a conversation. A search that nobody waits for any more is dropped,
/// and should end then.
pub trait Searcher: Send + Sync + 'static {
    fn search(
        &self,
        call: SearchCall,
    ) -> impl Future<Output = Result<FoundDocuments, ServiceError>> + Send + '_;

    /// Is told what an answer of the model has cost.
    fn note_usage(&self, _usage: Usage) {}
}
