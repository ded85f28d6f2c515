//! What can be asked and what is answered.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use filter::{Filter, SortItem};
use roaring::RoaringBitmap;
use segment::DocId;
use serde_json::{Map, Value};
use text::Language;
use thiserror::Error;

use crate::boosts::Boosting;
use crate::pins::Pin;
use crate::score::{self, Score};
use crate::semantic::VectorQuery;
use crate::weighted::{self, Part};

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
    /// Ranks documents in place of the words. Every document matches it, unless it holds a word or
    /// a phrase that the text excludes.
    pub vector: Option<VectorQuery<'q>>,
    pub strategy: Strategy,
    /// `attributesToSearchOn`.
    pub attributes: Option<&'q [String]>,
    /// None: those of the attributes; empty: any.
    pub locales: Option<&'q [Language]>,
    /// Only documents that satisfy it count.
    pub filter: Option<&'q Filter>,
    /// Applied where the ranking rules have `sort`.
    pub sort: &'q [SortItem],
    /// What raises documents beside the words.
    pub boosts: Option<&'q Boosting>,
    /// What attributes weigh under `bm25`, laid over what the settings say.
    pub attribute_weights: Option<&'q BTreeMap<String, f64>>,
    /// One side of a hybrid search, which is merged with the other.
    pub is_hybrid: bool,
    /// At most one document of each value of this attribute; none: as the settings say.
    pub distinct: Option<&'q str>,
    /// Documents that stand where they are pinned to and need not match the text, ordered by
    /// position and precedence, each once.
    pub pins: &'q [Pin],
    /// Hits wanted, already limited by `maxTotalHits`.
    pub offset: usize,
    pub limit: usize,
    /// Page mode: the total is exact, also under a threshold and with `distinct`.
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

impl Query<'_> {
    /// The hits wanted, as places in the list of all.
    pub(crate) fn window(&self) -> Range<usize> {
        self.offset..self.offset.saturating_add(self.limit)
    }
}

#[derive(Debug)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// The documents that the total counts: those that match, less those known to be under the
    /// threshold or to be duplicates of one that is kept.
    pub candidates: RoaringBitmap,
    pub words: crate::MatchingWords,
    /// How many of the hits were found by a vector.
    pub semantic_hits: usize,
    /// The deadline passed before all was ranked.
    pub degraded: bool,
}

#[derive(Debug, Clone)]
pub struct Hit {
    pub doc_id: DocId,
    /// `_rankingScore`.
    pub score: f64,
    /// What each rule said; the last rules may be missing unless scores were asked for.
    scores: Vec<Score>,
}

impl Hit {
    pub(crate) fn new(doc_id: DocId, scores: Vec<Score>) -> Self {
        Self { doc_id, score: score::ranking_score(&scores), scores }
    }

    /// `_rankingScoreDetails`.
    pub fn details(&self) -> Map<String, Value> {
        score::details(&self.scores)
    }

    /// What it is compared by with hits of other queries.
    pub fn parts(&self, weight: f64) -> Vec<Part> {
        weighted::parts(&self.scores, weight)
    }

    /// What it is compared by with hits of the same hybrid search in other parts of the documents,
    /// as the two sides are compared within one: weighted ranks and similarities are one measure,
    /// and of equal hits the one that a vector found goes first.
    pub fn hybrid_parts(&self, ratio: f32) -> Vec<Part> {
        let is_semantic = self.is_semantic();
        let weight = if is_semantic { ratio } else { 1.0 - ratio };
        let mut parts = self.parts(f64::from(weight));
        for part in &mut parts {
            if let Part::Similarity(similarity) = *part {
                *part = Part::Rank(similarity);
            }
        }
        parts.push(Part::Rank(if is_semantic { 1.0 } else { 0.0 }));
        parts
    }

    /// Whether it was found by a vector.
    pub fn is_semantic(&self) -> bool {
        self.scores.iter().any(|score| match score {
            Score::Vector(_) => true,
            Score::Fused(fused) => fused.vector.place.is_some(),
            _ => false,
        })
    }

    /// The pin that put it in its place.
    pub fn pin(&self) -> Option<Pin> {
        match self.scores[..] {
            [Score::Pin(pin)] => Some(pin),
            _ => None,
        }
    }
}

#[derive(Debug, Error)]
pub enum SearchError {
    #[error(transparent)]
    Index(#[from] index::IndexError),
    #[error(transparent)]
    Segment(#[from] segment::SegmentError),
    #[error(transparent)]
    Vectors(#[from] vectors::VectorsError),
    /// `attributesToSearchOn` names what is not searchable.
    #[error("{0}")]
    NotSearchable(String),
    /// What is wrong with a filter.
    #[error("{0}")]
    Filter(String),
    /// An operator that the settings do not allow for its attribute.
    #[error("{0}")]
    Operator(String),
    #[error("{0}")]
    NotSortable(String),
    /// The ranking rules do not say where `sort` applies.
    #[error("{0}")]
    NoSortRule(String),
    /// What is wrong with boosts.
    #[error("{0}")]
    Boosts(String),
    #[error("{0}")]
    AttributeWeights(String),
    #[error("{0}")]
    NotFilterableDistinct(String),
    /// What is wrong with the list of facets.
    #[error("{0}")]
    Facets(String),
    #[error("{0}")]
    NotFacetSearchable(String),
    /// An attribute from which nothing can be suggested.
    #[error("{0}")]
    NotSuggested(String),
    #[error("The facet search is disabled for this index")]
    FacetSearchDisabled,
    #[error("nobody waits for the answer")]
    Cancelled,
}
