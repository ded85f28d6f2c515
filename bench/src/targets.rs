//! What is to be reached: the figures of the project's target table that these runs measure.
//!
//! Where a row is compared with something (a peer, the raw size), the target is the ratio;
//! otherwise, and where it says `of_value`, it is the value in the row's own unit. Smaller is
//! better unless it says `at_least`.

use serde::{Deserialize, Serialize};

use crate::data::Set;
use crate::filtering::Kind;
use crate::mix;

/// The first figure to reach, and the one after it where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    pub first: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<f64>,
    /// More is better.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Held against the value, also in a row that shows what a peer takes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_value: bool,
}

impl Target {
    pub const fn at_most(first: f64, then: f64) -> Self {
        Target { first, then: Some(then), at_least: false, of_value: false }
    }

    pub const fn at_least(first: f64) -> Self {
        Target { first, then: None, at_least: true, of_value: false }
    }

    pub const fn value_at_most(first: f64) -> Self {
        Target { first, then: None, at_least: false, of_value: true }
    }

    pub const fn value_at_most_then(first: f64, then: f64) -> Self {
        Target { first, then: Some(then), at_least: false, of_value: true }
    }

    /// Whether `value` reaches `bound`, one of the two figures.
    pub fn reached(self, value: f64, bound: f64) -> bool {
        if self.at_least { value >= bound } else { value <= bound }
    }

    /// How far `value` is from the first figure: 1 meets it, less is better.
    pub fn share(self, value: f64) -> f64 {
        if self.at_least { self.first / value } else { value / self.first }
    }
}

const fn target(first: f64, then: f64) -> Target {
    Target::at_most(first, then)
}

/// × tantivy.
pub const INDEXING_CPU: Target = target(2.0, 1.2);
/// × raw.
pub const DISK: Target = target(1.5, 1.0);
/// MB above the configured limit.
pub const MEMORY_ABOVE_LIMIT_MB: Target = target(300.0, 100.0);
/// ms, where a synced 4 KiB write takes no longer than [`SYNCED_WRITE_MS`].
pub const UPDATE_P50_MS: Target = target(25.0, 10.0);
pub const UPDATE_P99_MS: Target = target(80.0, 30.0);
pub const SYNCED_WRITE_MS: f64 = 3.0;
/// s, for 10,000 writes acknowledged and applied.
pub const ENQUEUE_S: Target = target(20.0, 5.0);
/// ms.
pub const STARTUP_MS: Target = target(300.0, 100.0);
/// × tantivy: queries that are asked for the first time.
pub fn first_search_cpu(set: Set) -> Option<Target> {
    match set {
        Set::Imdb => Some(target(0.4, 0.2)),
        Set::Npm => Some(target(0.15, 0.075)),
        Set::Cities => Some(target(0.06, 0.03)),
        Set::Imdb8 | Set::Wordnet | Set::Quran | Set::Debian => None,
    }
}
/// × tantivy's BM25: questions that are asked for the first time.
pub fn question_cpu(set: Set) -> Option<Target> {
    match set {
        Set::Imdb => Some(target(1.5, 1.0)),
        Set::Npm => Some(target(3.0, 2.0)),
        _ => None,
    }
}
/// × plain words: other kinds of queries, asked for the first time.
pub fn of_kind(kind: mix::Kind) -> Target {
    match kind {
        mix::Kind::Page | mix::Kind::HighlightAndCrop => target(3.0, 3.0),
        _ => target(1.5, 1.2),
    }
}
pub const KIND_P99_MS: Target = target(10.0, 5.0);
/// ms: queries that are asked for the first time.
pub const FIRST_SEARCH_P99_MS: Target = Target::value_at_most_then(6.0, 3.0);
pub const FIRST_SEARCH_SLOWEST_MS: Target = Target::value_at_most_then(15.0, 8.0);
/// MB of files that opening an index and its first search touch.
pub const TOUCHED_MB: Target = Target::value_at_most_then(8.0, 3.0);
/// × the p99 of an idle server, while documents are updated.
pub const SEARCH_DURING_UPDATES: Target = target(2.0, 1.3);
/// ms: single queries of frequent words, asked for the first time; on so many documents.
pub fn frequent_words_ms(docs: usize) -> Target {
    match docs {
        ..=50_000 => Target::value_at_most_then(5.0, 2.0),
        _ => Target::value_at_most_then(15.0, 5.0),
    }
}
/// ms: the slowest of the queries of a set.
pub const SLOWEST_SEARCH_MS: Target = target(20.0, 10.0);
/// × the p99 of an idle server; the same while a setting is changed.
pub const SEARCH_DURING_IMPORT: Target = target(3.0, 1.5);
/// × the same with a quarter of the documents; for each document, for each query.
pub const GROWTH: Target = Target { first: 1.5, then: None, at_least: false, of_value: false };
/// × the processor time of indexing the documents.
pub const ADDED_ATTRIBUTE_CPU: Target = target(0.10, 0.03);
/// ms until a change of a setting that rebuilds nothing shows in a search.
pub const PROMPT_SETTING_MS: Target = Target::value_at_most(50.0);
/// %.
pub const TYPOS_FOUND: Target = Target::at_least(69.0);
/// %.
pub const TYPOS_FOUND_BY_BM25: Target = Target::at_least(85.0);
/// × bm25s.
pub const BM25_NDCG: Target = Target::at_least(0.98);

/// × hnswlib.
pub const VECTOR_BUILD_CPU: Target = target(1.5, 1.0);
/// The share of the ten nearest that are found.
pub const VECTOR_RECALL: Target = Target::at_least(0.99);
/// × the same without a filter.
pub const FILTERED_VECTORS_CPU: Target = target(2.0, 1.0);
/// Bytes a vector.
pub const VECTOR_EDGES_BYTES: Target = Target::value_at_most(200.0);
/// The share of the ten nearest that are among four times as many by bits.
pub const QUANTISED_RECALL: Target = Target::at_least(0.9);
/// × onnxruntime with the same model in 8-bit numbers, documents a second of processor time.
pub const EMBEDDING: Target = Target::at_least(0.3);

/// ms of processor time a search among vectors.
pub fn vector_search_ms(dimensions: usize) -> Target {
    match dimensions {
        ..=100 => Target::value_at_most_then(0.8, 0.4),
        _ => Target::value_at_most_then(1.5, 0.75),
    }
}

/// Bytes of a quantised vector: the figures of the interface's table, a tenth more at most.
pub fn quantised_bytes(dimensions: usize) -> Target {
    Target::value_at_most(1.1 * dimensions as f64 / 8.0)
}

/// × tantivy.
pub fn search_cpu(set: Set) -> Option<Target> {
    match set {
        Set::Cities => Some(target(0.10, 0.05)),
        Set::Npm => Some(target(0.20, 0.10)),
        Set::Imdb => Some(target(0.4, 0.2)),
        Set::Imdb8 | Set::Wordnet | Set::Quran | Set::Debian => None,
    }
}

/// ms of processor time a question; for a large facet and a long `IN` also ms until the answer.
pub fn filter_ms(kind: Kind) -> Target {
    Target::value_at_most(match kind {
        Kind::Equality => 0.3,
        Kind::Range | Kind::FacetsOfThousand => 0.5,
        Kind::Radius => 1.0,
        Kind::SortByNumber => 2.0,
        Kind::FacetsOfAll => 5.0,
        Kind::LargeFacet { .. } | Kind::ManyValues => 30.0,
    })
}
