//! `bm25`, an extension: BM25F over the searched attributes. A word counts the more often it occurs
//! in a document, the shorter the attribute is for its kind, the earlier the attribute comes in
//! `searchableAttributes`, and the rarer the word is in the index.
//!
//! A term that is in the index as typed counts by that word alone, or by all words with its stem;
//! any other term counts by its variants, the likelier ones more (`tiers`). Concatenations do not
//! count: their words do.
//!
//! If boosts multiply the score, a document's factor is at most 1, so that bounds of the score
//! without it are bounds of the product.
//!
//! Posting lists and the lengths of attributes bound the score of a document (`top`); in most
//! documents the bounds are exact. Only other documents among the best are read (`exact`).

mod bounds;
mod exact;
mod formula;
mod list;
mod tiers;
mod top;
mod window;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;

use super::{Bucket, Rule, RuleInput, remove_bucket};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::score::Score;
use exact::ExactScores;
use formula::Formula;
use top::{Candidate, Threshold, candidates};

/// If more documents than expected are needed, this many times as many are ranked next.
const GROWTH: usize = 4;

pub(crate) struct Bm25Rule<'s> {
    input: RuleInput<'s>,
    paths: Rc<Vec<Path>>,
    /// Remaining documents.
    universe: RoaringBitmap,
    /// Number of documents ranked at a time.
    count: usize,
    /// The best of the universe, in ascending order.
    ranked: Vec<(f64, DocId)>,
    /// True if only the ranked documents have a term that counts.
    is_rest_worthless: bool,
}

impl<'s> Bm25Rule<'s> {
    /// Creates the rule; the caller expects to need `count` documents.
    pub fn new(
        input: RuleInput<'s>,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
        count: usize,
    ) -> Self {
        Self { input, paths, universe, count, ranked: Vec::new(), is_rest_worthless: false }
    }

    /// Ranks the best documents of the universe; `None` if the time is over.
    fn fill(&mut self, context: &Context<'_>) -> Result<Option<()>, SearchError> {
        let formula = Formula::new(context, &self.input, &self.paths)?;
        let count = self.count.min(self.universe.len() as usize).max(1);
        let Some(mut found) = candidates(context, &self.input, &formula, &self.universe, count)?
        else {
            return Ok(None);
        };
        self.is_rest_worthless = found.len() < count;
        self.count = self.count.saturating_mul(GROWTH);
        found.sort_unstable_by_key(|candidate| Reverse(candidate.score.most.to_bits()));
        let mut exact_scores = ExactScores::new(context, &formula);
        let mut threshold = Threshold::new(count);
        for Candidate { score, factor, segment, doc_id } in found {
            if score.most < threshold.least() {
                break;
            }
            let score = match score.least == score.most {
                true => score.least,
                false => exact_scores.of(segment, doc_id)? * factor,
            };
            threshold.add(score);
            self.ranked.push((formula.share_of_best(score), doc_id));
        }
        // Documents with a lower score than the last one of the top k were not all scored.
        let least = formula.share_of_best(threshold.least().max(0.0));
        self.ranked.retain(|(score, _)| *score >= least);
        self.ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        Ok(Some(()))
    }

    fn bucket(&mut self, documents: RoaringBitmap, score: f64) -> Option<Bucket> {
        remove_bucket(&mut self.universe, &documents);
        let paths = Rc::clone(&self.paths);
        (!documents.is_empty()).then_some(Bucket { documents, paths, score: Score::Bm25(score) })
    }
}

impl Rule for Bm25Rule<'_> {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        if self.ranked.is_empty() && !self.is_rest_worthless && self.fill(context)?.is_none() {
            return Ok(None);
        }
        let Some(&(score, _)) = self.ranked.last() else {
            let rest = self.universe.clone();
            return Ok(self.bucket(rest, 0.0));
        };
        let start = self.ranked.partition_point(|(other, _)| *other < score);
        // Within a score, documents are in descending order.
        let documents = self.ranked.drain(start..).rev().map(|(_, doc_id)| doc_id);
        let documents = RoaringBitmap::from_iter(documents);
        Ok(self.bucket(documents, score))
    }

    fn forget(&mut self, documents: &RoaringBitmap) {
        self.universe -= documents;
        self.ranked.retain(|(_, doc_id)| !documents.contains(*doc_id));
    }
}
