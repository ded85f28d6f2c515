//! The answer to a search: its hits and how many documents match.

use roaring::RoaringBitmap;
use segment::DocId;
use serde_json::{Map, Value};

use crate::matching_words::MatchingWords;
use crate::pins::Pin;
use crate::score::{self, Score};
use crate::sort_key::{self, SortKey};

#[derive(Debug)]
pub struct SearchResults {
    pub hits: Vec<Hit>,
    /// The documents that the total counts: those that match, less those known to be under the
    /// threshold or to be duplicates of one that is kept.
    pub candidates: RoaringBitmap,
    pub words: MatchingWords,
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
    pub fn sort_keys(&self, weight: f64) -> Vec<SortKey> {
        sort_key::sort_keys(&self.scores, weight)
    }

    /// What it is compared by with hits of the same hybrid search in other parts of the documents,
    /// as the two sides are compared within one: weighted ranks and similarities are one measure,
    /// and of equal hits the one that a vector found goes first.
    pub fn hybrid_sort_keys(&self, ratio: f32) -> Vec<SortKey> {
        let is_semantic = self.is_semantic();
        let weight = if is_semantic { ratio } else { 1.0 - ratio };
        let mut parts = self.sort_keys(f64::from(weight));
        for part in &mut parts {
            if let SortKey::Similarity(similarity) = *part {
                *part = SortKey::Rank(similarity);
            }
        }
        parts.push(SortKey::Rank(if is_semantic { 1.0 } else { 0.0 }));
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
