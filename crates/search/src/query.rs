//! What can be asked and what is answered.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use roaring::RoaringBitmap;
use segment::DocId;
use serde_json::{Map, Value};
use text::Language;
use thiserror::Error;

/// Which terms a document may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    #[default]
    Last,
    All,
    Frequency,
    /// Not of the reference: one term is enough.
    Any,
}

#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// Blank or none: a placeholder search, which every document matches.
    pub text: Option<&'q str>,
    pub strategy: Strategy,
    /// `attributesToSearchOn`.
    pub attributes: Option<&'q [String]>,
    /// None: those of the attributes; empty: any.
    pub locales: Option<&'q [Language]>,
    /// Hits wanted, already limited by `maxTotalHits`.
    pub offset: usize,
    pub limit: usize,
    /// Page mode: every document is ranked, so that the total is exact under a threshold.
    pub exhaustive: bool,
    pub threshold: Option<f64>,
    /// Whether scores and their details are wanted; without them ranking may stop earlier.
    pub with_scores: bool,
    /// Whether the words by which documents were found are wanted.
    pub with_words: bool,
    pub deadline: Instant,
    /// Set when nobody waits for the answer any more.
    pub cancelled: &'q AtomicBool,
}

#[derive(Debug)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// The documents that match, less those known to be under the threshold.
    pub candidates: RoaringBitmap,
    pub words: crate::MatchingWords,
    /// The deadline passed before all was ranked.
    pub degraded: bool,
}

#[derive(Debug, Clone)]
pub struct Hit {
    pub doc_id: DocId,
    /// `_rankingScore`.
    pub score: f64,
    /// `_rankingScoreDetails`.
    pub details: Map<String, Value>,
}

#[derive(Debug, Error)]
pub enum SearchError {
    #[error(transparent)]
    Index(#[from] index::IndexError),
    #[error(transparent)]
    Segment(#[from] segment::SegmentError),
    /// `attributesToSearchOn` names what is not searchable.
    #[error("{0}")]
    NotSearchable(String),
    /// A rule of the settings that cannot be applied yet.
    #[error("The ranking rule `{0}` cannot be applied by this version of Sonde.")]
    UnbuiltRule(String),
    /// The setting `distinctAttribute` cannot be applied yet.
    #[error("The setting `distinctAttribute` (`{0}`) cannot be applied by this version of Sonde.")]
    Distinct(String),
    #[error("nobody waits for the answer")]
    Cancelled,
}
