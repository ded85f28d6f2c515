//! Answers searches over a snapshot of an index: which documents match, in which order, with
//! which scores, and how their text is shown. It reads and never writes.

mod attributes;
mod boosts;
mod cache;
mod context;
mod correction;
mod criteria;
mod distinct;
mod error;
pub mod exact;
pub mod facets;
pub mod federation;
pub mod filtering;
pub mod format;
mod found;
mod fusion;
mod graph;
mod lanes;
mod likelihood;
mod matching_words;
mod node_key;
mod node_positions;
mod parse;
mod phrase;
mod pins;
mod postings;
mod query;
mod ranking;
mod rules;
mod run;
mod scan;
mod score;
mod semantic;
mod sieve;
pub mod sort;
mod sort_key;
mod stems;
mod steps;
mod strategy;
mod suggest;
mod synonyms;
mod term;
mod term_dropping;
#[cfg(test)]
mod testing;
mod top_k;
mod typos;
mod vector_query;
mod word_set;

pub use boosts::{Boosting, FilteredBoost};
pub use correction::{Correction, correction};
pub use criteria::Criteria;
pub use error::SearchError;
pub use found::{Hit, SearchResults};
pub use fusion::Fusion;
pub use matching_words::{MatchingTerm, MatchingWord, MatchingWords};
pub use pins::Pin;
pub use query::Query;
pub use run::{candidates, run};
pub use semantic::{
    HybridPart, HybridQuery, HybridResults, SideHits, Sides, SimilarCounts, SimilarDocuments,
    SimilarQuery, run_hybrid, run_hybrid_part, similar, words_suffice,
};
pub use stems::prepare_stems;
pub use strategy::Strategy;
pub use suggest::{SuggestQuery, Suggestion, merge_suggestions, suggest};
pub use vector_query::VectorQuery;
