//! Embedders as the rest of the program uses them, with the defaults of their source filled in.

mod check;
mod fields;
mod fragments;
mod masks;
mod merge;
mod openai;
mod read;
mod rest;
mod show;
mod types;
mod work;

pub(crate) use check::{check_change, check_features};
pub(crate) use fields::SourceKind;
pub use fragments::Fragments;
pub(crate) use masks::{check_masks, check_masks_of, kept_key, with_kept_headers};
pub(crate) use merge::combine;
pub use openai::OpenAiModel;
pub(crate) use read::embedders;
pub(crate) use show::{hide_secrets, show};
pub(crate) use types::{EMBEDDERS, HEADERS};
pub use work::{EmbedderWork, embedder_work};

use std::collections::BTreeMap;
use std::fmt;

use model::Secret;
use serde_json::Value;
use template::{DEFAULT_DOCUMENT_TEMPLATE, DEFAULT_MAX_BYTES};

#[derive(Debug, Clone, PartialEq)]
pub struct Embedder {
    pub source: Source,
    /// Distribution of similarities, if the user sets it.
    pub distribution: Option<Distribution>,
    /// True if vectors are stored with one bit per dimension.
    pub binary_quantized: bool,
}

impl Embedder {
    /// Returns the distribution of similarities, set by the user or known for the model, if any.
    pub fn distribution(&self) -> Option<Distribution> {
        self.distribution.or_else(|| self.source.usual_distribution())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    OpenAi(OpenAi),
    HuggingFace(HuggingFace),
    Ollama(Ollama),
    Rest(Rest),
    /// Vectors come with the documents and the queries.
    UserProvided {
        dimensions: usize,
    },
    /// One embedder for queries, one for documents, with the same vector space.
    Composite {
        search: Box<Source>,
        indexing: Box<Source>,
    },
}

impl Source {
    /// Returns the document template; `None` if documents bring vectors or have fragments.
    pub fn document_template(&self) -> Option<&str> {
        let prompt = match self {
            Self::OpenAi(settings) => &settings.prompt,
            Self::HuggingFace(settings) => &settings.prompt,
            Self::Ollama(settings) => &settings.prompt,
            Self::Rest(settings) if settings.indexing_fragments.is_empty() => &settings.prompt,
            Self::Rest(_) | Self::UserProvided { .. } => return None,
            Self::Composite { indexing, .. } => return indexing.document_template(),
        };
        Some(&prompt.template)
    }

    fn usual_distribution(&self) -> Option<Distribution> {
        match self {
            Self::OpenAi(openai) => OpenAiModel::named(&openai.model).map(|m| m.distribution),
            Self::Composite { indexing, .. } => indexing.usual_distribution(),
            _ => None,
        }
    }

    /// Returns the dimensions, if the user sets them.
    pub fn dimensions(&self) -> Option<usize> {
        match self {
            Self::OpenAi(settings) => settings.dimensions,
            Self::Ollama(settings) => settings.dimensions,
            Self::Rest(settings) => settings.dimensions,
            Self::UserProvided { dimensions } => Some(*dimensions),
            Self::HuggingFace(_) => None,
            Self::Composite { indexing, .. } => indexing.dimensions(),
        }
    }

    /// Returns whether a model runs in this process, which takes a while to load.
    pub fn has_local_model(&self) -> bool {
        match self {
            Self::HuggingFace(_) => true,
            Self::Composite { search, indexing } => {
                search.has_local_model() || indexing.has_local_model()
            }
            _ => false,
        }
    }

    /// Returns the source that embeds queries: itself, unless it is composite.
    pub fn search_side(&self) -> &Self {
        match self {
            Self::Composite { search, .. } => search.search_side(),
            source => source,
        }
    }

    /// Returns the fragments of documents that get a vector each, instead of one for the whole.
    pub fn indexing_fragments(&self) -> Option<&Fragments> {
        match self {
            Self::Rest(rest) => Some(&rest.indexing_fragments),
            Self::Composite { indexing, .. } => indexing.indexing_fragments(),
            _ => None,
        }
    }
}

/// Template for the text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub template: String,
    /// The text is truncated to this length.
    pub max_bytes: usize,
}

impl Default for Prompt {
    fn default() -> Self {
        Self { template: DEFAULT_DOCUMENT_TEMPLATE.to_owned(), max_bytes: DEFAULT_MAX_BYTES }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct OpenAi {
    pub model: String,
    /// `None`: the one of the environment.
    pub api_key: Option<Secret>,
    /// `None`: those of the model.
    pub dimensions: Option<usize>,
    /// `None`: the one of the provider.
    pub url: Option<String>,
    pub prompt: Prompt,
}

#[derive(Debug, Clone, PartialEq)]
pub struct HuggingFace {
    /// A name at the hub, or a folder.
    pub model: String,
    pub revision: Option<String>,
    pub pooling: Pooling,
    pub prompt: Prompt,
}

/// Pooling of token vectors into the vector of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// As the model's own configuration says.
    UseModel,
    ForceCls,
    ForceMean,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ollama {
    pub model: String,
    /// `None`: the one of the environment.
    pub url: Option<String>,
    pub api_key: Option<Secret>,
    /// `None`: learnt from a test embedding.
    pub dimensions: Option<usize>,
    pub prompt: Prompt,
}

#[derive(Clone, PartialEq)]
pub struct Rest {
    pub url: String,
    pub api_key: Option<Secret>,
    /// `None`: learnt from a test embedding.
    pub dimensions: Option<usize>,
    pub request: Value,
    pub response: Value,
    pub headers: BTreeMap<String, String>,
    pub prompt: Prompt,
    /// Replace the prompt, if any.
    pub indexing_fragments: Fragments,
    /// Templates under `value`, by name.
    pub search_fragments: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distribution {
    pub mean: f32,
    pub sigma: f32,
}

/// Leaves out the values of headers, which may be secrets.
impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rest")
            .field("url", &self.url)
            .field("api_key", &self.api_key)
            .field("dimensions", &self.dimensions)
            .field("request", &self.request)
            .field("response", &self.response)
            .field("headers", &self.headers.keys())
            .field("prompt", &self.prompt)
            .field("indexing_fragments", &self.indexing_fragments)
            .field("search_fragments", &self.search_fragments)
            .finish()
    }
}
