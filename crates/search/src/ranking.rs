//! The ranking procedure: each rule splits the documents that tie under the rules before it, and
//! only the buckets that reach into the wanted window are split further.

use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;
use settings::RankingRule;

use crate::context::Context;
use crate::graph::Path;
use crate::query::{SearchError, Strategy};
use crate::rules::{Bm25Rule, ExactAttributeRule, Measure, Rule, ScanRule, SetRule};
use crate::score::{self, Score};
use crate::together;

/// A rule of the settings as a step of the procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Words(Strategy),
    Typo,
    Measure(Measure),
    ExactAttribute,
    Bm25,
}

/// What of the ranking is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub offset: usize,
    pub limit: usize,
    /// Go on when the window is full, because the total depends on it.
    pub exhaustive: bool,
    pub threshold: Option<f64>,
    /// Without scores, a bucket of one document needs no further rule.
    pub with_scores: bool,
}

pub(crate) struct Ranked {
    pub documents: Vec<(DocId, Vec<Score>)>,
    /// Documents known to be under the threshold.
    pub rejected: RoaringBitmap,
    pub degraded: bool,
}

/// The steps that the rules of the settings come to.
pub(crate) fn steps(rules: &[RankingRule], strategy: Strategy) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut seen: Vec<&RankingRule> = Vec::new();
    let mut has_words = strategy == Strategy::All;
    for rule in rules {
        let needs_words = !matches!(
            rule,
            RankingRule::Sort | RankingRule::Asc(_) | RankingRule::Desc(_) | RankingRule::Bm25
        );
        if needs_words && !has_words {
            steps.push(Step::Words(strategy));
            has_words = true;
        }
        if seen.contains(&rule) {
            continue;
        }
        seen.push(rule);
        match rule {
            RankingRule::Typo => steps.push(Step::Typo),
            RankingRule::Proximity => steps.push(Step::Measure(Measure::Proximity)),
            RankingRule::AttributeRank => {
                steps.push(Step::Measure(Measure::AttributeRank { of_attribute: false }));
            }
            RankingRule::WordPosition => {
                steps.push(Step::Measure(Measure::WordPosition { of_attribute: false }));
            }
            RankingRule::Attribute => {
                steps.push(Step::Measure(Measure::AttributeRank { of_attribute: true }));
                steps.push(Step::Measure(Measure::WordPosition { of_attribute: true }));
            }
            RankingRule::Exactness => {
                steps.push(Step::ExactAttribute);
                steps.push(Step::Measure(Measure::ExactWords));
            }
            RankingRule::Bm25 => steps.push(Step::Bm25),
            RankingRule::Words | RankingRule::Sort | RankingRule::Asc(_) | RankingRule::Desc(_) => {
            }
        }
    }
    steps
}

pub(crate) fn rank(
    context: &Context<'_>,
    steps: &[Step],
    paths: Rc<Vec<Path>>,
    universe: RoaringBitmap,
    wanted: Wanted,
) -> Result<Ranked, SearchError> {
    let mut ranking = Ranking {
        context,
        steps,
        wanted,
        passed: 0,
        ranked: Ranked { documents: Vec::new(), rejected: RoaringBitmap::new(), degraded: false },
        scores: Vec::new(),
    };
    ranking.split(0, paths, universe)?;
    Ok(ranking.ranked)
}

struct Ranking<'r, 's> {
    context: &'r Context<'s>,
    steps: &'r [Step],
    wanted: Wanted,
    /// Documents before the ones to come, in order.
    passed: usize,
    ranked: Ranked,
    scores: Vec<Score>,
}

impl Ranking<'_, '_> {
    fn split(
        &mut self,
        depth: usize,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Result<(), SearchError> {
        let Some(step) = self.steps.get(depth) else {
            self.append(&universe);
            return Ok(());
        };
        if universe.is_empty() || self.is_passed_over(&universe) {
            self.append(&universe);
            return Ok(());
        }
        if universe.len() == 1 && !self.wanted.with_scores {
            self.append(&universe);
            return Ok(());
        }
        if self.wanted.threshold.is_none() && together::applies(&self.steps[depth..], &paths) {
            return self.rank_together(depth, &paths[0], &universe);
        }
        let mut rule: Option<Box<dyn Rule>> = None;
        let mut remaining = universe;
        while !remaining.is_empty() && !self.is_done() {
            self.context.check_wanted()?;
            if self.context.is_late() {
                return self.give_up(&remaining);
            }
            let rule = match &mut rule {
                Some(rule) => rule,
                none => none.insert(self.start(step, &paths, remaining.clone())?),
            };
            let Some(bucket) = rule.next_bucket(self.context)? else {
                if self.context.is_late() {
                    return self.give_up(&remaining);
                }
                break;
            };
            self.scores.push(bucket.score);
            if self.is_under_threshold() {
                self.ranked.rejected |= remaining;
                self.scores.pop();
                return Ok(());
            }
            if bucket.documents.len() == remaining.len() {
                remaining.clear();
            } else {
                remaining -= &bucket.documents;
            }
            self.split(depth + 1, bucket.paths, bucket.documents)?;
            self.scores.pop();
        }
        Ok(())
    }

    /// The rest of the rules in one pass.
    fn rank_together(
        &mut self,
        depth: usize,
        path: &Path,
        universe: &RoaringBitmap,
    ) -> Result<(), SearchError> {
        let end = self.wanted.offset + self.wanted.limit;
        let count = end.saturating_sub(self.passed);
        let steps = &self.steps[depth..];
        if self.context.is_late() {
            return self.give_up(universe);
        }
        let Some(ordered) = together::rank(self.context, steps, path, universe, count)? else {
            return self.give_up(universe);
        };
        let skipped = self.wanted.offset.saturating_sub(self.passed);
        for (doc_id, last_scores) in ordered.into_iter().skip(skipped) {
            let mut scores = self.scores.clone();
            scores.extend(last_scores);
            self.ranked.documents.push((doc_id, scores));
        }
        self.passed += universe.len() as usize;
        Ok(())
    }

    fn start(
        &self,
        step: &Step,
        paths: &Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Result<Box<dyn Rule>, SearchError> {
        let paths = Rc::clone(paths);
        Ok(match step {
            Step::Words(strategy) => {
                Box::new(SetRule::words(self.context, paths, universe, *strategy)?)
            }
            Step::Typo => Box::new(SetRule::typo(paths, universe)),
            Step::Measure(measure) => {
                Box::new(ScanRule::new(self.context, *measure, paths, universe))
            }
            Step::ExactAttribute => Box::new(ExactAttributeRule::new(paths, universe)),
            Step::Bm25 => Box::new(Bm25Rule::new(paths, universe)),
        })
    }

    /// The deadline has passed: what is left is appended as it is.
    fn give_up(&mut self, remaining: &RoaringBitmap) -> Result<(), SearchError> {
        self.ranked.degraded = true;
        self.scores.push(Score::Skipped);
        if self.is_under_threshold() {
            self.ranked.rejected |= remaining;
        } else {
            self.append(remaining);
        }
        self.scores.pop();
        Ok(())
    }

    fn append(&mut self, documents: &RoaringBitmap) {
        let end = self.wanted.offset + self.wanted.limit;
        let skipped = self.wanted.offset.saturating_sub(self.passed);
        let taken = end.saturating_sub(self.passed.max(self.wanted.offset));
        for doc_id in documents.iter().skip(skipped).take(taken) {
            self.ranked.documents.push((doc_id, self.scores.clone()));
        }
        self.passed += documents.len() as usize;
    }

    fn is_done(&self) -> bool {
        !self.wanted.exhaustive && self.passed >= self.wanted.offset + self.wanted.limit
    }

    /// Whether none of these documents can be in the window, whatever their order.
    fn is_passed_over(&self, documents: &RoaringBitmap) -> bool {
        let is_before = self.passed + documents.len() as usize <= self.wanted.offset;
        let is_after = self.passed >= self.wanted.offset + self.wanted.limit;
        self.wanted.threshold.is_none() && (is_before || is_after)
    }

    fn is_under_threshold(&self) -> bool {
        let least = self.wanted.threshold;
        least.is_some_and(|least| score::ranking_score(&self.scores) < least)
    }
}
