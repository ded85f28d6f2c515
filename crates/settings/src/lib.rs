//! The settings of an index: names, validation and defaults. This crate knows neither HTTP nor
//! tasks nor disk.

pub mod boosts;
mod change;
mod checks;
mod embedder;
mod error;
mod exceptions;
mod filterable;
mod geo_fields;
mod localized;
mod normalise;
pub mod pattern;
mod portable;
mod ranking_rule;
mod reranker;
mod shape;
mod table;
mod typed;
mod values;

pub use change::{Change, hide_secrets};
pub use checks::FILTERABLE_RULE;
pub use embedder::{
    Distribution, Embedder, EmbedderWork, Fragments, HuggingFace, Ollama, OpenAi, OpenAiModel,
    Pooling, Prompt, Rest, Source, embedder_work,
};
pub use error::with_short_names;
pub use exceptions::StemExceptions;
pub use geo_fields::{GEO_FIELD, GEOJSON_FIELD};
pub use localized::{LocalizedIndex, LocalizedRule};
pub use portable::portable;
pub use ranking_rule::{RankingRule, RuleBasis};
pub use reranker::{HostedReranker, RerankProvider, Reranker, RerankerSource, RestReranker};
pub use shape::{Absence, Member, Shape};
pub use table::{ChangeKind, Setting};
pub use typed::Settings;
pub use values::{
    Chat, ChatHybrid, ChatSearch, FacetOrder, Faceting, FilterFeatures, FilterableRule, ForeignKey,
    MatchingStrategy, Precision, PrefixSearch, Stemming, TypoTolerance,
};

#[cfg(test)]
mod tests;
