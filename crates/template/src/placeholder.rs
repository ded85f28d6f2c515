//! The placeholders that `request` and `response` may have.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// In `request`: the text of a document or query.
    Text,
    /// In `request`, where the embedder has fragments.
    Fragment,
    /// In `response`.
    Embedding,
    /// In the `request` of a reranker: the text of a document.
    RerankText,
    /// In the `response` of a reranker.
    Score,
    /// In the `response` of a reranker: which document a score belongs to.
    Index,
}

impl Placeholder {
    pub(crate) fn token(self) -> &'static str {
        match self {
            Self::Text | Self::RerankText => "{{text}}",
            Self::Fragment => "{{fragment}}",
            Self::Embedding => "{{embedding}}",
            Self::Score => "{{score}}",
            Self::Index => "{{index}}",
        }
    }

    /// Returns the member of the embedder that holds it.
    pub(crate) fn root(self) -> &'static str {
        match self {
            Self::Text | Self::Fragment | Self::RerankText => "request",
            Self::Embedding | Self::Score | Self::Index => "response",
        }
    }

    /// Returns a note for every message, as the two placeholders of a request are easily confused.
    pub(crate) fn note(self) -> &'static str {
        match self {
            Self::Text => {
                "\n  - Note: this template is using a document template, and so expects to contain the placeholder \"{{text}}\" rather than \"{{fragment}}\""
            }
            Self::Fragment => {
                "\n  - Note: this template is using fragments, and so expects to contain the placeholder \"{{fragment}}\" rathern than \"{{text}}\""
            }
            Self::Embedding | Self::RerankText | Self::Score | Self::Index => "",
        }
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.token())
    }
}
