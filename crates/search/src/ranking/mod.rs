//! The ranking procedure: each rule splits the documents that tie under the rules before it, and
//! only buckets that overlap with the requested window are split further.

mod boosted_order;

use std::rc::Rc;

use filter::SortItem;
use roaring::RoaringBitmap;
use segment::DocId;
use segment::geo::Point;

use crate::context::Context;
use crate::distinct::Distinct;
use crate::error::SearchError;
use crate::graph::Path;
use crate::rules::{
    Bm25Rule, BoostRule, ExactAttributeRule, LongQueryWordsRule, Measure, PointRule, Rule,
    RuleInput, ScanRule, ValueRule, VectorRule, WordsAndTypoRule, remove_bucket,
};
use crate::score::{self, Score};
use crate::steps::Step;
use crate::top_k::{self, NearRule};

pub(crate) use boosted_order::{order_by_boosts, use_of_boosts, widened};

/// After this many duplicates, the remaining ones are computed at once.
const MANY_DUPLICATES: usize = 1024;

/// Number of documents ranked for each one that is kept under `distinct`.
const DOCUMENTS_PER_VALUE: usize = 4;

/// The window of the ranking that is needed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankWindow {
    pub offset: usize,
    pub limit: usize,
    /// Continue beyond the window, because the total depends on it.
    pub exhaustive: bool,
    pub threshold: Option<f64>,
    /// Without scores, a bucket of one document needs no further rule except that of a vector.
    pub with_scores: bool,
}

pub(crate) struct RankedDocuments<'s> {
    pub documents: Vec<(DocId, Vec<Score>)>,
    /// Documents known to be below the threshold.
    pub rejected: RoaringBitmap,
    pub degraded: bool,
    /// The state of `distinct`, with the documents that were kept.
    pub distinct: Option<Distinct<'s>>,
}

pub(crate) fn rank<'s>(
    context: &Context<'s>,
    input: &RuleInput<'s>,
    steps: &[Step<'s>],
    paths: Rc<Vec<Path>>,
    universe: RoaringBitmap,
    window: RankWindow,
    distinct: Option<Distinct<'s>>,
) -> Result<RankedDocuments<'s>, SearchError> {
    let mut ranking = Ranking {
        context,
        input,
        steps,
        window,
        passed: 0,
        duplicates_met: 0,
        ranked: RankedDocuments {
            documents: Vec::new(),
            rejected: RoaringBitmap::new(),
            degraded: false,
            distinct,
        },
        scores: Vec::new(),
    };
    if !ranking.is_done() {
        ranking.split(0, paths, universe)?;
    }
    Ok(ranking.ranked)
}

struct Ranking<'r, 's> {
    context: &'r Context<'s>,
    input: &'r RuleInput<'s>,
    steps: &'r [Step<'s>],
    window: RankWindow,
    /// Number of documents before the current one.
    passed: usize,
    duplicates_met: usize,
    ranked: RankedDocuments<'s>,
    scores: Vec<Score>,
}

impl<'s> Ranking<'_, 's> {
    fn split(
        &mut self,
        depth: usize,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Result<(), SearchError> {
        let Some(step) = self.steps.get(depth) else {
            return self.append(universe);
        };
        if universe.is_empty() || self.is_passed_over(&universe) {
            return self.append(universe);
        }
        if universe.len() == 1 && !self.window.with_scores && !self.has_vector_from(depth) {
            return self.append(universe);
        }
        if self.window.threshold.is_none() && top_k::applies(&self.steps[depth..], &paths) {
            return self.rank_together(depth, &paths[0], universe);
        }
        let mut rule: Option<Box<dyn Rule + 's>> = None;
        let mut remaining = universe;
        // Documents are removed one by one; there would be many runs, and even counting them is
        // slow.
        remaining.remove_run_compression();
        let mut met_before = self.duplicates_met;
        while !remaining.is_empty() && !self.is_done() {
            self.context.check_cancelled()?;
            if self.context.is_late() {
                return self.give_up(remaining);
            }
            let rule = match &mut rule {
                Some(rule) => rule,
                none => none.insert(self.start(step, &paths, remaining.clone())?),
            };
            let Some(bucket) = rule.next_bucket(self.context)? else {
                if self.context.is_late() {
                    return self.give_up(remaining);
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
                remove_bucket(&mut remaining, &bucket.documents);
            }
            self.split(depth + 1, bucket.paths, bucket.documents)?;
            self.scores.pop();
            if self.duplicates_met - met_before >= MANY_DUPLICATES && self.only_sorts_from(depth) {
                met_before = self.duplicates_met;
                if let Some(duplicates) = self.duplicates()? {
                    remaining -= duplicates;
                    rule.forget(duplicates);
                }
            }
        }
        Ok(())
    }

    /// Applies the remaining rules in one pass; under `distinct` in several passes, since the
    /// number of documents needed is only known afterwards.
    fn rank_together(
        &mut self,
        depth: usize,
        path: &Path,
        mut universe: RoaringBitmap,
    ) -> Result<(), SearchError> {
        let steps = &self.steps[depth..];
        let mut count: usize = 0;
        while !self.is_done() {
            if self.context.is_late() {
                return self.give_up(universe);
            }
            let missing = self.end().saturating_sub(self.passed);
            let expected = match self.ranked.distinct {
                Some(_) => missing.saturating_mul(DOCUMENTS_PER_VALUE),
                None => missing,
            };
            count = expected.max(count.saturating_mul(4));
            let Some(ordered) = top_k::rank(self.context, steps, path, &universe, count)? else {
                return self.give_up(universe);
            };
            let is_all = ordered.len() < count;
            let before = self.scores.len();
            for (doc_id, last_scores) in ordered {
                universe.remove(doc_id);
                self.scores.extend(last_scores);
                self.offer(doc_id)?;
                self.scores.truncate(before);
            }
            match self.duplicates()? {
                Some(duplicates) if !is_all => universe -= duplicates,
                Some(_) => return Ok(()),
                None => {
                    self.passed += universe.len() as usize;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn start(
        &self,
        step: &Step<'s>,
        paths: &Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Result<Box<dyn Rule + 's>, SearchError> {
        let paths = Rc::clone(paths);
        let window = self.end().saturating_sub(self.passed);
        Ok(match step {
            Step::Words(_) if paths.iter().flatten().any(|node| node.is_optional) => {
                Box::new(LongQueryWordsRule::new(self.context, paths, universe)?)
            }
            Step::Words(strategy) => {
                Box::new(WordsAndTypoRule::words(self.context, paths, universe, *strategy)?)
            }
            Step::Typo => Box::new(WordsAndTypoRule::typo(paths, universe)),
            Step::Measure(measure) => {
                let near = match measure {
                    Measure::Proximity => NearRule::new(self.context, &paths, &universe)?,
                    _ => None,
                };
                match near {
                    Some(rule) => Box::new(rule),
                    None => Box::new(ScanRule::new(self.context, *measure, paths, universe)),
                }
            }
            Step::ExactAttribute => Box::new(ExactAttributeRule::new(paths, universe)),
            Step::Boost => {
                let boosts = self.input.boosts.clone();
                Box::new(BoostRule::new(boosts, paths, universe))
            }
            Step::Bm25 => {
                let input = self.input.clone();
                Box::new(Bm25Rule::new(input, paths, universe, window))
            }
            Step::Vector(query) => Box::new(VectorRule::new(*query, paths, universe, window)),
            Step::Sort(SortItem::Attribute { name, order }) => {
                let with_values = self.window.with_scores;
                let rule =
                    ValueRule::new(self.context, name, *order, paths, universe, with_values)?;
                Box::new(rule)
            }
            Step::Sort(SortItem::Point { latitude, longitude, order }) => {
                let centre = Point { lat: *latitude, lng: *longitude };
                Box::new(PointRule::new(self.context, centre, *order, paths, universe))
            }
        })
    }

    /// Appends the remaining documents unranked, because the deadline has passed.
    fn give_up(&mut self, remaining: RoaringBitmap) -> Result<(), SearchError> {
        self.ranked.degraded = true;
        self.scores.push(Score::Skipped);
        if self.is_under_threshold() {
            self.ranked.rejected |= remaining;
        } else {
            self.append(remaining)?;
        }
        self.scores.pop();
        Ok(())
    }

    /// Appends documents that tie under all rules, by number.
    fn append(&mut self, mut documents: RoaringBitmap) -> Result<(), SearchError> {
        if self.ranked.distinct.is_none() {
            let before = self.window.offset.saturating_sub(self.passed);
            let taken = self.end().saturating_sub(self.passed.max(self.window.offset));
            for doc_id in documents.iter().skip(before).take(taken) {
                self.ranked.documents.push((doc_id, self.scores.clone()));
            }
            self.passed += documents.len() as usize;
            return Ok(());
        }
        while let Some(last) = self.append_distinct(&documents)? {
            documents.remove_range(..=last);
            if let Some(duplicates) = self.duplicates()? {
                documents -= duplicates;
            }
        }
        Ok(())
    }

    /// Appends documents until too many of them turn out to be duplicates.
    fn append_distinct(&mut self, documents: &RoaringBitmap) -> Result<Option<DocId>, SearchError> {
        let met_before = self.duplicates_met;
        for doc_id in documents {
            if self.is_done() {
                break;
            }
            self.offer(doc_id)?;
            if self.duplicates_met - met_before >= MANY_DUPLICATES {
                return Ok(Some(doc_id));
            }
        }
        Ok(None)
    }

    /// Adds the next document of the ranking.
    fn offer(&mut self, doc_id: DocId) -> Result<(), SearchError> {
        if self.is_done() {
            return Ok(());
        }
        if let Some(distinct) = &mut self.ranked.distinct
            && !distinct.keep(doc_id)?
        {
            self.duplicates_met += 1;
            return Ok(());
        }
        if (self.window.offset..self.end()).contains(&self.passed) {
            self.ranked.documents.push((doc_id, self.scores.clone()));
        }
        self.passed += 1;
        Ok(())
    }

    /// Returns the documents that can no longer be kept, for the caller to remove; `None` without
    /// `distinct`.
    fn duplicates(&mut self) -> Result<Option<&RoaringBitmap>, SearchError> {
        self.ranked.distinct.as_mut().map(Distinct::with_seen_value).transpose()
    }

    /// Returns whether a vector is still to be compared. The number of hits ranked by one is part
    /// of every answer, so this step is applied to a single document too.
    fn has_vector_from(&self, depth: usize) -> bool {
        self.steps[depth..].iter().any(|step| matches!(step, Step::Vector(_)))
    }

    /// Returns whether a document's rank depends only on itself from this step on.
    fn only_sorts_from(&self, depth: usize) -> bool {
        self.steps[depth..].iter().all(|step| matches!(step, Step::Sort(_) | Step::Boost))
    }

    /// Returns the end of the window.
    fn end(&self) -> usize {
        self.window.offset.saturating_add(self.window.limit)
    }

    fn is_done(&self) -> bool {
        !self.window.exhaustive && (self.window.limit == 0 || self.passed >= self.end())
    }

    /// Returns whether none of these documents can be in the window, whatever their order.
    fn is_passed_over(&self, documents: &RoaringBitmap) -> bool {
        // The number of documents that `distinct` keeps is not known beforehand.
        let is_before = self.ranked.distinct.is_none()
            && self.passed + documents.len() as usize <= self.window.offset;
        let is_after = self.passed >= self.end();
        self.window.threshold.is_none() && (is_before || is_after)
    }

    fn is_under_threshold(&self) -> bool {
        let least = self.window.threshold;
        least.is_some_and(|least| score::ranking_score(&self.scores) < least)
    }
}
