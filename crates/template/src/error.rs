//! Errors of templates, of renderings and of provider answers. Users see these texts, prefixed with
//! the name of the setting.

use crate::placeholder::Placeholder;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Liquid's own words.
    #[error("{0}")]
    Liquid(String),
    #[error("more than {limit} opening brackets")]
    TooManyBrackets { limit: usize },
    #[error("in `{path}`: {error}")]
    InFragment { path: String, error: Box<TemplateError> },
    #[error("in {place}: {problem}{}", .placeholder.note())]
    Placeholder { place: String, problem: PlaceholderError, placeholder: Placeholder },
    #[error(
        "in `response`: `response` has a single embedding, but `request` has multiple texts to embed"
    )]
    SingleEmbedding,
    #[error(
        "in `response`: `response` has multiple embeddings, but `request` has only one text to embed"
    )]
    MultipleEmbeddings,
    #[error("in `request`: \"{{{{query}}}}\" not found")]
    MissingQuery,
    #[error(
        "in `{0}`: {1} must be in the first item of an array whose second item is \"{{{{..}}}}\", because one request holds several documents"
    )]
    NotRepeated(&'static str, Placeholder),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceholderError {
    #[error("{0} not found")]
    Missing(Placeholder),
    #[error("Found {found}, but it was already present in {first}")]
    Twice { found: String, first: String },
    #[error("\"{{{{..}}}}\" expected at position #1, but found at position #{0}")]
    RepeatAt(usize),
    #[error("\"{{{{..}}}}\" appears outside of an array")]
    RepeatOutsideArray,
    #[error("\"{{{{..}}}}\" appears nested inside of a value that is itself repeated")]
    RepeatNested,
    #[error("Expected {0} inside of the repeated value")]
    MissingInRepeated(Placeholder),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// Liquid's own words: as a rule, a field that the document does not have.
    #[error("{0}")]
    Liquid(String),
    #[error("the template takes more than {limit} steps for this document")]
    TooManySteps { limit: u64 },
    #[error("the template makes more than {limit} bytes of text for this document")]
    TooLong { limit: u64 },
    #[error("the template cannot be applied to the values of this document")]
    Failed,
}

/// Why embeddings or scores were not found in an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("in `{path}`, while extracting {what}, {problem}")]
pub struct ExtractError {
    pub(crate) path: String,
    pub(crate) what: String,
    pub(crate) problem: String,
}
