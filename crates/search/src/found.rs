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
    /// The documents that the total counts: all matches, except those known to be below the
    /// threshold or to be duplicates of a document that was kept.
    pub candidates: RoaringBitmap,
    pub words: MatchingWords,
    /// How many of the hits were found by a vector.
    pub semantic_hits: usize,
    /// The deadline passed before ranking was complete.
    pub degraded: bool,
}

#[derive(Debug, Clone)]
pub struct Hit {
    pub doc_id: DocId,
    /// `_rankingScore`.
    pub score: f64,
    /// The score of each rule; the last rules may be missing unless scores were requested.
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

    /// Returns the sort keys that compare this hit with hits of other queries.
    pub fn sort_keys(&self, weight: f64) -> Vec<SortKey> {
        sort_key::sort_keys(&self.scores, weight)
    }

    /// Returns the sort keys that compare this hit with hits of the same hybrid search in other
    /// parts of the documents. As within one part, weighted ranks and similarities are one measure,
    /// and of equal hits the one found by the vector goes first.
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

    /// Returns whether it was found by a vector.
    pub fn is_semantic(&self) -> bool {
        self.scores.iter().any(|score| match score {
            Score::Vector(_) => true,
            Score::Fused(fused) => fused.vector.place.is_some(),
            _ => false,
        })
    }

    /// Returns the pin that determined its position.
    pub fn pin(&self) -> Option<Pin> {
        match self.scores[..] {
            [Score::Pin(pin)] => Some(pin),
            _ => None,
        }
    }
}
