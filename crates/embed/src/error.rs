//! Errors of embedding, in the words shown to users, and who is to blame.

use std::fmt;
use std::ops::Range;

use model::Cancelled;
use serde_json::Value;

use crate::provider::Provider;

/// Error of an embedder, shown as `<origin>: <problem>`.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{origin}: {problem}")]
pub struct EmbedError {
    pub(crate) origin: ErrorOrigin,
    /// Boxed: results are passed around much more often than they are errors.
    pub(crate) problem: Box<InnerError>,
    /// The failed inputs, which were requested together.
    pub(crate) inputs: Option<Range<usize>>,
}

impl EmbedError {
    /// Creates an error for an impossible request.
    pub fn user(problem: impl Into<String>) -> Self {
        Self::other(ErrorOrigin::User, problem)
    }

    /// Creates an error that may pass.
    pub fn runtime(problem: impl Into<String>) -> Self {
        Self::other(ErrorOrigin::Runtime, problem)
    }

    /// Creates the error for an expired deadline.
    pub fn late() -> Self {
        InnerError::Late.into()
    }

    fn other(origin: ErrorOrigin, problem: impl Into<String>) -> Self {
        Self { origin, problem: Box::new(InnerError::Other(problem.into())), inputs: None }
    }

    pub fn origin(&self) -> ErrorOrigin {
        self.origin
    }

    /// Returns which inputs of [`crate::Embedder::embed_documents`] failed, if not all of them.
    pub fn inputs(&self) -> Option<Range<usize>> {
        self.inputs.clone()
    }

    /// Returns whether the work was stopped from outside: nothing failed.
    pub fn is_stopped(&self) -> bool {
        match &*self.problem {
            InnerError::Stopped => true,
            // A wrapped error may be a stop too.
            InnerError::UnknownDimensions(error) | InnerError::CompositeTest { error, .. } => {
                error.is_stopped()
            }
            _ => false,
        }
    }
}

impl From<InnerError> for EmbedError {
    fn from(problem: InnerError) -> Self {
        Self { origin: problem.origin(), problem: Box::new(problem), inputs: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorOrigin {
    User,
    Runtime,
    Undecided,
}

impl fmt::Display for ErrorOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user error",
            Self::Runtime => "runtime error",
            Self::Undecided => "error",
        })
    }
}

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum InnerError {
    #[error("{0}")]
    Other(String),
    #[error("{0}")]
    Template(template::TemplateError),
    #[error(
        "attempt to embed the following text in a configuration where embeddings must be user provided:\n  - `{0}`"
    )]
    UserProvided(String),
    #[error("`media` requested but the configuration doesn't have source `rest`")]
    MediaWithoutRest,
    #[error(
        "`media` requested, and the configuration has source `rest`, but the configuration doesn't have `searchFragments`."
    )]
    MediaWithoutFragments,
    #[error("Query matches no search fragment.\n  - Note: {query}")]
    NoFragment { query: Value },
    #[error(
        "Query matches multiple search fragments.\n  - Note: First matched fragment `{first}`.\n  - Note: Second matched fragment `{second}`.\n  - Note: {query}"
    )]
    SeveralFragments { first: String, second: String, query: Value },
    #[error("could not reach embedding server:\n  - {0}")]
    Unreachable(String),
    #[error("could not authenticate against {} server{}\n  - Hint: {}", .provider.name(), reply(.answer), .provider.key_hint())]
    Unauthorized { provider: Provider, answer: Option<String> },
    #[error("sent too many requests to embedding server{}", reply(.0))]
    TooManyRequests(Option<String>),
    #[error("sent a bad request to {} server{}{}", .provider.name(), reply(.answer), .provider.request_hint())]
    BadRequest { provider: Provider, answer: Option<String> },
    #[error(
        "model not found. Models are not downloaded from the Ollama library automatically, please pull the model manually{}",
        reply(.0)
    )]
    OllamaModelNotFound(Option<String>),
    #[error("received internal error HTTP {status} from embedding server{}", reply(.answer))]
    ServerError { status: u16, answer: Option<String> },
    #[error("received unexpected HTTP {status} from embedding server{}", reply(.answer))]
    UnexpectedStatus { status: u16, answer: Option<String> },
    #[error("error deserializing the response body as JSON:\n  - {0}")]
    NotJson(String),
    #[error(
        "the embedding server answered with a web page instead of JSON{}\n  - Hint: check the `url` parameter in the embedder configuration",
        reply(.0)
    )]
    WebPage(Option<String>),
    #[error("error extracting embeddings from the response:\n  - {0}")]
    Extract(template::ExtractError),
    #[error("expected a response containing {expected} embeddings, got {found}")]
    WrongCount { expected: usize, found: usize },
    #[error(
        "was expecting embeddings of dimension `{expected}`, got embeddings of dimensions `{found}`"
    )]
    WrongDimensions { expected: usize, found: usize },
    #[error("could not determine model dimensions:\n  - test embedding failed with {0}")]
    UnknownDimensions(Box<EmbedError>),
    #[error(
        "unsupported Ollama URL.\n  - For `ollama` sources, the URL must end with `/api/embed` or `/api/embeddings`\n  - Got `{0}`"
    )]
    OllamaUrl(String),
    #[error(
        "inconsistent fragments: `searchFragments` is empty, but `indexingFragments` declares {} fragments: {}\n - Hint: declare at least one fragment in `searchFragments` or remove fragments from `indexingFragments` by setting them to `null`",
        .0.len(), .0.join(", ")
    )]
    NoSearchFragments(Vec<String>),
    #[error(
        "inconsistent fragments: `indexingFragments` is empty, but `searchFragments` declares {} fragments: {}\n  - Hint: declare at least one fragment in `indexingFragments` or remove fragments from `searchFragments` by setting them to `null`",
        .0.len(), .0.join(", ")
    )]
    NoIndexingFragments(Vec<String>),
    #[error(
        "cannot infer `dimensions` for an embedder using `indexingFragments`.\n  - Note: Specify `dimensions` explicitly or don't use `indexingFragments`."
    )]
    FragmentsWithoutDimensions,
    #[error(
        "error while generating test embeddings.\n  - the dimensions of embeddings produced at search time and at indexing time don't match.\n  - Search time dimensions: {search}\n  - Indexing time dimensions: {indexing}\n  - Note: Dimensions of embeddings produced by both embedders are required to match."
    )]
    CompositeDimensions { search: usize, indexing: usize },
    #[error(
        "error while generating test embeddings.\n  - could not generate test embedding with embedder at {time} time.\n  - Embedding failed with {error}"
    )]
    CompositeTest { time: &'static str, error: Box<EmbedError> },
    #[error(
        "error while generating test embeddings.\n  - the embeddings produced at search time and indexing time are not similar enough.\n  - angular distance {distance:.2}\n  - a maximum distance of {limit} is required.\n  - Note: check that both embedders produce similar embeddings."
    )]
    CompositeDistance { distance: f32, limit: f32 },
    #[error("there was no embedding in time")]
    Late,
    #[error("the work was stopped")]
    Stopped,
}

impl From<Cancelled> for InnerError {
    fn from(_: Cancelled) -> Self {
        Self::Stopped
    }
}

impl InnerError {
    fn origin(&self) -> ErrorOrigin {
        match self {
            Self::Unreachable(_)
            | Self::TooManyRequests(_)
            | Self::ServerError { .. }
            | Self::NotJson(_)
            | Self::Extract(_)
            | Self::WrongCount { .. }
            | Self::WrongDimensions { .. }
            | Self::UnknownDimensions(_)
            | Self::CompositeTest { .. }
            | Self::Late
            | Self::Stopped => ErrorOrigin::Runtime,
            Self::UnexpectedStatus { .. } => ErrorOrigin::Undecided,
            _ => ErrorOrigin::User,
        }
    }
}

fn reply(answer: &Option<String>) -> String {
    answer.as_ref().map_or_else(String::new, |text| format!("\n  - server replied with `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_embedding_that_was_stopped_has_not_failed() {
        let stopped = || Box::new(EmbedError::from(InnerError::Stopped));
        assert!(EmbedError::from(InnerError::UnknownDimensions(stopped())).is_stopped());
        let composite = InnerError::CompositeTest { time: "search", error: stopped() };
        assert!(EmbedError::from(composite).is_stopped());
        let failed = Box::new(EmbedError::from(InnerError::NotJson("x".to_owned())));
        assert!(!EmbedError::from(InnerError::UnknownDimensions(failed)).is_stopped());
    }
}
