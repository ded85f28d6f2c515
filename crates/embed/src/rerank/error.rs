//! Errors of reranking, in the words shown to users.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RerankError {
    /// The caller's deadline passed.
    #[error("there was no answer in time")]
    Late,
    #[error("the work was stopped")]
    Stopped,
    /// The server took longer than one call may take.
    #[error("the reranking server did not answer: {0}")]
    TimedOut(String),
    #[error("could not reach the reranking server: {0}")]
    Unreachable(String),
    #[error("the reranking server did not accept the API key (HTTP {status}){}", quoted(.reply))]
    Unauthorized { status: u16, reply: Option<String> },
    #[error("the reranking server got too many requests (HTTP 429){}", quoted(.reply))]
    TooManyRequests { reply: Option<String> },
    #[error("the reranking server refused the request (HTTP {status}){}", quoted(.reply))]
    Refused { status: u16, reply: Option<String> },
    #[error("the reranking server failed (HTTP {status}){}", quoted(.reply))]
    ServerError { status: u16, reply: Option<String> },
    #[error("the answer of the reranking server cannot be used: {0}")]
    BadAnswer(String),
    /// A local model cannot be loaded, or not be applied.
    #[error("{0}")]
    Model(String),
    #[error("{0}")]
    Settings(String),
}

impl RerankError {
    /// Returns the reason for search clients, without the server's answer, which may repeat
    /// documents and addresses they must not see.
    pub fn reason(&self) -> String {
        match self {
            Self::TimedOut(_) => "the reranking server did not answer".to_owned(),
            Self::Unreachable(_) => "could not reach the reranking server".to_owned(),
            Self::Unauthorized { status, .. } => {
                format!("the reranking server did not accept the API key (HTTP {status})")
            }
            Self::TooManyRequests { .. } => {
                "the reranking server got too many requests (HTTP 429)".to_owned()
            }
            Self::Refused { status, .. } => {
                format!("the reranking server refused the request (HTTP {status})")
            }
            Self::ServerError { status, .. } => {
                format!("the reranking server failed (HTTP {status})")
            }
            Self::BadAnswer(_) => "the answer of the reranking server cannot be used".to_owned(),
            Self::Model(_) | Self::Settings(_) => "the reranker cannot be used".to_owned(),
            Self::Late | Self::Stopped => self.to_string(),
        }
    }
}

fn quoted(reply: &Option<String>) -> String {
    reply.as_ref().map_or_else(String::new, |text| format!(": `{text}`"))
}
