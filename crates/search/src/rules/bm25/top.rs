//! Finds the top k documents by MaxScore: the rare terms of a query select the documents to score,
//! and the frequent ones only add to their scores. Documents are processed in windows, and within a
//! window term by term, so that lists are read in long runs.
//!
//! If boosts multiply scores, the factor of a document is looked up only if its score without the
//! factor, which is an upper bound, is good enough.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use roaring::RoaringBitmap;
use segment::DocId;

use super::RuleInput;
use super::bounds::Bounds;
use super::formula::Formula;
use super::list::{AttributeLengths, TermList};
use super::window::Window;
use crate::boosts::{BoostReader, BoostUse};
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;

/// If the universe is this many times smaller than the lists, it is iterated instead.
const SMALL_UNIVERSE: usize = 8;
/// This many documents with rare terms are scored first.
const FEW_DOCUMENTS: usize = 256;

/// A document with the bounds of its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Includes its factor.
    pub score: Bounds,
    /// The factor of its boosts.
    pub factor: f64,
    pub segment: usize,
    pub doc_id: DocId,
}

/// Returns the documents of the universe that can be among the best `count`, except those without
/// any term; `None` if the time is over.
pub(super) fn candidates(
    context: &Context<'_>,
    input: &RuleInput<'_>,
    formula: &Formula,
    universe: &RoaringBitmap,
    count: usize,
) -> Result<Option<Vec<Candidate>>, SearchError> {
    let boosts = input.boosts.as_deref().filter(|boosts| boosts.used == BoostUse::Bm25);
    let mut found = Vec::new();
    let mut searches = Vec::new();
    for (segment, view) in context.segments.iter().enumerate() {
        let mut factors = Factors(boosts.map(|boosts| BoostReader::new(boosts, segment)));
        let scales = formula.scales(segment);
        let attributes =
            AttributeLengths::new(view.text, scales)?.filter(|_| view.text.has_occurrences());
        match attributes {
            Some(attributes) => {
                let mut lists = Vec::with_capacity(formula.terms.len());
                for term in &formula.terms {
                    lists.push(TermList::new(context, view, segment, term)?);
                }
                searches.push(Search {
                    context,
                    universe,
                    view,
                    segment,
                    lists,
                    attributes,
                    factors,
                });
            }
            None => {
                found.extend(all_documents(formula, universe, view, segment, &mut factors)?);
            }
        }
    }
    // The highest total score of the terms from each one on.
    let mut rests = vec![0.0; formula.terms.len() + 1];
    for (place, term) in formula.terms.iter().enumerate().rev() {
        rests[place] = rests[place + 1] + term.weight;
    }
    let mut threshold = Threshold::new(count);
    let few = FEW_DOCUMENTS.max(2 * count) / searches.len().max(1);
    for search in &mut searches {
        search.score_first(few, &mut threshold)?;
    }
    let mut best = Best { threshold: Threshold::at_least(threshold.least(), count), found };
    let mut window = Window::default();
    for search in &mut searches {
        if search.run(&rests, &mut window, &mut best)?.is_none() {
            return Ok(None);
        }
    }
    let least = best.threshold.least();
    best.found.retain(|candidate| candidate.score.most >= least);
    Ok(Some(best.found))
}

/// Returns every document of a segment whose lists lack the data for bounds.
fn all_documents(
    formula: &Formula,
    universe: &RoaringBitmap,
    view: &SegmentView<'_>,
    segment: usize,
    factors: &mut Factors<'_>,
) -> Result<Vec<Candidate>, SearchError> {
    let most = formula.terms.iter().map(|term| term.weight).sum();
    let score = Bounds { least: 0.0, most };
    let here = (universe & view.text.doc_ids()) - view.deleted;
    let candidate = |doc_id| {
        let factor = factors.of(doc_id)?;
        Ok(Candidate { score: score * factor, factor, segment, doc_id })
    };
    here.iter().map(candidate).collect()
}

/// The boost factors of the documents of a segment; 1 without boosts.
struct Factors<'b>(Option<BoostReader<'b>>);

impl Factors<'_> {
    #[inline]
    fn of(&mut self, doc_id: DocId) -> Result<f64, SearchError> {
        match &mut self.0 {
            Some(reader) => reader.factor(doc_id),
            None => Ok(1.0),
        }
    }
}

/// The best documents so far.
struct Best {
    threshold: Threshold,
    found: Vec<Candidate>,
}

/// The search through one segment.
struct Search<'c, 's> {
    context: &'c Context<'s>,
    universe: &'c RoaringBitmap,
    view: &'c SegmentView<'s>,
    segment: usize,
    /// The posting lists of the terms, in their order.
    lists: Vec<TermList<'c>>,
    attributes: AttributeLengths<'c>,
    factors: Factors<'c>,
}

impl Search<'_, '_> {
    /// Adds the scores of at most `few` documents with rare terms, which are likely to be among the
    /// best.
    fn score_first(&mut self, few: usize, threshold: &mut Threshold) -> Result<(), SearchError> {
        let mut doc_ids = Vec::new();
        for list in &mut self.lists {
            if doc_ids.len() + list.len() > few {
                break;
            }
            doc_ids.extend(list.doc_ids());
        }
        doc_ids.sort_unstable();
        doc_ids.dedup();
        for doc_id in doc_ids {
            if self.universe.contains(doc_id) && !self.view.deleted.contains(doc_id) {
                threshold.add(self.score_of(doc_id).least * self.factors.of(doc_id)?);
            }
        }
        self.lists.iter_mut().for_each(TermList::rewind);
        Ok(())
    }

    /// Runs the search; `None` if the time is over.
    fn run(
        &mut self,
        rests: &[f64],
        window: &mut Window,
        best: &mut Best,
    ) -> Result<Option<()>, SearchError> {
        let entries: usize = self.lists.iter().map(TermList::len).sum();
        if self.universe.len() as usize * SMALL_UNIVERSE < entries {
            return self.run_through_universe(best);
        }
        loop {
            self.context.check_cancelled()?;
            if self.context.is_late() {
                return Ok(None);
            }
            // Documents with only the terms after these cannot be among the best.
            let threshold = best.threshold.least();
            let leading = rests.iter().position(|rest| *rest < threshold);
            let leading = leading.unwrap_or(self.lists.len()).min(self.lists.len());
            let (leading, following) = self.lists.split_at_mut(leading);
            let Some(next) = leading.iter_mut().filter_map(TermList::peek).min() else {
                return Ok(Some(()));
            };
            window.start_at(next);
            for list in leading.iter_mut() {
                list.add_to(window, &mut self.attributes);
            }
            let rests = &rests[leading.len()..];
            let (universe, deleted) = (self.universe, self.view.deleted);
            let (segment, factors) = (self.segment, &mut self.factors);
            let mut failure = None;
            window.drain(|doc_id, mut score| {
                for (list, rest) in following.iter_mut().zip(rests) {
                    if score.most + rest < best.threshold.least() {
                        return;
                    }
                    score += list.score_of(doc_id, &mut self.attributes);
                }
                if best.wants(score) && universe.contains(doc_id) && !deleted.contains(doc_id) {
                    match factors.of(doc_id) {
                        Ok(factor) => best.offer(score, factor, segment, doc_id),
                        Err(error) => failure = Some(error),
                    }
                }
            });
            if let Some(error) = failure {
                return Err(error);
            }
        }
    }

    fn run_through_universe(&mut self, best: &mut Best) -> Result<Option<()>, SearchError> {
        let here = (self.universe & self.view.text.doc_ids()) - self.view.deleted;
        for (place, doc_id) in here.iter().enumerate() {
            if place % DOCUMENTS_BETWEEN_CHECKS == 0 {
                self.context.check_cancelled()?;
                if self.context.is_late() {
                    return Ok(None);
                }
            }
            let score = self.score_of(doc_id);
            if best.wants(score) {
                best.offer(score, self.factors.of(doc_id)?, self.segment, doc_id);
            }
        }
        Ok(Some(()))
    }

    /// Returns the score of a document; documents must be in ascending order.
    fn score_of(&mut self, doc_id: DocId) -> Bounds {
        let mut score = Bounds::default();
        for list in &mut self.lists {
            score += list.score_of(doc_id, &mut self.attributes);
        }
        score
    }
}

impl Best {
    /// Returns whether a document with this score can be among the best.
    #[inline]
    fn wants(&self, score: Bounds) -> bool {
        score.most > 0.0 && score.most >= self.threshold.least()
    }

    /// Adds a document unless its factor is too low.
    #[inline]
    fn offer(&mut self, score: Bounds, factor: f64, segment: usize, doc_id: DocId) {
        let score = score * factor;
        if self.wants(score) {
            self.threshold.add(score.least);
            self.found.push(Candidate { score, factor, segment, doc_id });
        }
    }
}

/// The minimum score for the top k.
pub(super) struct Threshold {
    /// The best scores so far as a min-heap. Scores are not negative, so that their bits have the
    /// same order.
    best: BinaryHeap<Reverse<u64>>,
    count: usize,
    /// A score that `count` documents are known to reach.
    known: f64,
}

impl Threshold {
    pub fn new(count: usize) -> Self {
        Self::at_least(f64::NEG_INFINITY, count)
    }

    /// Creates a threshold that `count` documents reach, which may still be added.
    pub fn at_least(known: f64, count: usize) -> Self {
        Self { best: BinaryHeap::new(), count, known }
    }

    #[inline]
    pub fn least(&self) -> f64 {
        match self.best.peek() {
            Some(Reverse(bits)) if self.best.len() >= self.count => {
                f64::from_bits(*bits).max(self.known)
            }
            _ => self.known,
        }
    }

    #[inline]
    pub fn add(&mut self, score: f64) {
        if self.best.len() < self.count {
            self.best.push(Reverse(score.to_bits()));
        } else if let Some(mut least) = self.best.peek_mut()
            && least.0 < score.to_bits()
        {
            *least = Reverse(score.to_bits());
        }
    }
}
