//! A hybrid search whose lists are fused by ranks or by scaled scores. Both sides always run, to
//! the same depth on every page: a query has the same order on all pages.

use std::cmp::Ordering;
use std::time::Instant;

use hashbrown::HashSet;
use index::Snapshot;
use roaring::RoaringBitmap;
use segment::DocId;

use super::hybrid::{HybridQuery, HybridResults, combine};
use crate::error::SearchError;
use crate::fusion::{self, FusedScore, Fusion, ListPosition, SideList};
use crate::query::Query;
use crate::run::{run, search};
use crate::score::{Score, ranking_score, without_factor};
use crate::sort_key::{self, SortKey};
use crate::vector_query::VectorQuery;

/// Number of documents of each side that are fused first. A document far down in one list still
/// gains from the other; beyond this depth it gains too little to reach the top. On judged
/// collections, a greater depth does not help `rrf`, and costs as much again.
const DEPTH_BY_RANKS: usize = 50;
/// Scaled scores fall more slowly than reciprocal ranks, so a greater depth helps.
const DEPTH_BY_SCORES: usize = 100;
/// Deeper documents follow in further levels, each this many times as deep as the one before.
const DEEPER: usize = 4;

fn first_depth(fusion: Fusion) -> usize {
    match fusion {
        Fusion::Rrf { .. } => DEPTH_BY_RANKS,
        Fusion::Normalized | Fusion::Score => DEPTH_BY_SCORES,
    }
}

/// Runs the search; `query` is that for the words. Without a vector, the words alone answer.
pub(super) fn run_fused(
    snapshot: &Snapshot,
    query: &Query<'_>,
    hybrid: HybridQuery<'_>,
    embed: impl FnOnce() -> Option<Vec<f32>>,
) -> Result<HybridResults, SearchError> {
    let started = Instant::now();
    let vector = embed();
    // Time spent waiting for the vector does not count.
    let deadline = query.deadline + started.elapsed();
    let query = Query { deadline, is_hybrid: true, ..query.clone() };
    let Some(vector) = vector else {
        return Ok(HybridResults { found: run(snapshot, &query)?, vector: None });
    };
    let of_vector =
        VectorQuery { store: hybrid.store, vector: &vector, distribution: hybrid.distribution };
    let threshold = query.criteria.ranking_score_threshold;
    let counts_all = query.exhaustive && threshold.is_some();
    let mut depth = match query.window().end {
        0 if !counts_all => 0,
        end => level(hybrid.fusion, end),
    };
    loop {
        // Pins are part of a window, but are not fused.
        let limit = depth.saturating_add(if depth == 0 { 0 } else { query.pins.len() });
        let mut by_words = Query { offset: 0, limit, with_scores: true, ..query.clone() };
        by_words.criteria.to_mut().ranking_score_threshold = None;
        let by_vector = Query { vector: Some(of_vector), with_words: false, ..by_words.clone() };
        let mut words = search(snapshot, &by_words)?;
        let mut near = search(snapshot, &by_vector)?;
        words.documents.truncate(depth);
        near.documents.truncate(depth);
        let is_whole = words.documents.len() < depth && near.documents.len() < depth;
        let degraded = words.degraded || near.degraded;
        let mut candidates = &words.candidates | &near.candidates;
        let matching = std::mem::take(&mut words.candidates);
        let documents = (std::mem::take(&mut words.documents), std::mem::take(&mut near.documents));
        let mut list = Lists::new(&documents.0, &documents.1, &matching).fused(hybrid, depth);
        let is_cut = threshold.is_some_and(|least| list.cut(least, &mut candidates));
        if !counts_all || is_cut || is_whole || degraded {
            candidates.extend(words.pins.iter().map(|pin| pin.doc_id));
            let merged = list.documents.iter().map(|one| (one.doc_id, one.scores()));
            let outcome = combine(snapshot, &query, (words, near), candidates, merged)?;
            return Ok(HybridResults { found: outcome.into_found(&query), vector: Some(vector) });
        }
        depth = depth.saturating_mul(DEEPER);
    }
}

/// Returns the depth of the level that reaches the end of a window.
fn level(fusion: Fusion, end: usize) -> usize {
    let mut depth = first_depth(fusion);
    while depth < end {
        depth = depth.saturating_mul(DEEPER);
    }
    depth
}

/// A document in the list of a side.
struct ListEntry<'o> {
    doc_id: DocId,
    scores: &'o [Score],
    /// `None` if the side does not rank the document: one without a vector, or a text without
    /// words.
    place: Option<ListPosition>,
}

struct Lists<'o> {
    words: Vec<ListEntry<'o>>,
    near: Vec<ListEntry<'o>>,
    matching: &'o RoaringBitmap,
    /// The text only excludes, so that the vector alone ranks.
    is_by_vector: bool,
    /// True if rules that sort come before relevance rules.
    is_sorted: bool,
}

/// The fused documents, best first.
struct FusedList<'o> {
    documents: Vec<FusedDocument<'o>>,
    is_sorted: bool,
}

#[derive(Clone, Copy)]
struct FusedDocument<'o> {
    doc_id: DocId,
    /// The scores of the list that the document comes from.
    listed: &'o [Score],
    fused: FusedScore,
}

impl<'o> Lists<'o> {
    fn new(
        words: &'o [(DocId, Vec<Score>)],
        near: &'o [(DocId, Vec<Score>)],
        matching: &'o RoaringBitmap,
    ) -> Self {
        let (mut words, near) = (entries(words), entries(near));
        let has_say = |list: &[ListEntry<'_>]| list.iter().any(|entry| entry.place.is_some());
        let is_by_vector = !words.is_empty() && !has_say(&words) && has_say(&near);
        if is_by_vector {
            // A text that only excludes matches everything, in no order.
            words.clear();
        }
        let first = words.first().or(near.first());
        let is_sorted = first.is_some_and(|entry| !leading(entry.scores).is_empty());
        Self { words, near, matching, is_by_vector, is_sorted }
    }

    fn fused(self, hybrid: HybridQuery<'_>, depth: usize) -> FusedList<'o> {
        let mut documents = Vec::new();
        let mut seen = HashSet::new();
        let mut most = 1.0;
        // Sorted lists must be merged as a whole; the lists are reliable up to their depth.
        let mut end = if self.is_sorted { depth } else { first_depth(hybrid.fusion).min(depth) };
        while end > 0 {
            let mut of_level = self.level(hybrid, end, &mut seen);
            for document in &mut of_level {
                document.fused.score = f64::min(document.fused.score, most);
            }
            if let Some(last) = of_level.last() {
                most = last.fused.score;
            }
            documents.append(&mut of_level);
            if end >= depth {
                break;
            }
            end = end.saturating_mul(DEEPER);
        }
        if self.is_sorted {
            documents.truncate(depth);
        }
        FusedList { documents, is_sorted: self.is_sorted }
    }

    /// Returns the new documents among the first of either list, in order.
    fn level(
        &self,
        hybrid: HybridQuery<'_>,
        end: usize,
        seen: &mut HashSet<DocId>,
    ) -> Vec<FusedDocument<'o>> {
        let first = |list: &'_ [ListEntry<'o>]| list.len().min(end);
        let (words, near) = (&self.words[..first(&self.words)], &self.near[..first(&self.near)]);
        let side = |list: &[ListEntry<'_>]| {
            SideList::new(list.iter().filter_map(|entry| Some((entry.doc_id, entry.place?))))
        };
        let mut here = HashSet::with_capacity(words.len() + near.len());
        let all = words.iter().chain(near).filter(|entry| here.insert(entry.doc_id));
        let all: Vec<&ListEntry<'o>> = all.collect();
        let ids: Vec<DocId> = all.iter().map(|entry| entry.doc_id).collect();
        let matches = |doc_id| self.matching.contains(doc_id);
        let sides = (&side(words), &side(near));
        let ratio = if self.is_by_vector { 1.0 } else { f64::from(hybrid.ratio) };
        let fused = fusion::fuse(hybrid.fusion, ratio, &ids, sides, matches);
        seen.reserve(all.len());
        let fused: Vec<FusedDocument<'o>> = all
            .into_iter()
            .zip(fused)
            .filter(|(entry, _)| seen.insert(entry.doc_id))
            .map(|(entry, fused)| FusedDocument {
                doc_id: entry.doc_id,
                listed: entry.scores,
                fused,
            })
            .collect();
        self.in_order(&fused)
    }

    /// Returns the documents best first. Sorting moves indexes, which are smaller than documents.
    fn in_order(&self, documents: &[FusedDocument<'o>]) -> Vec<FusedDocument<'o>> {
        let mut order: Vec<usize> = (0..documents.len()).collect();
        let by_fused = |&a: &usize, &b: &usize| documents[a].compare(&documents[b]);
        if self.is_sorted {
            let sorts = |one: &FusedDocument<'_>| sort_key::sort_keys(leading(one.listed), 1.0);
            let sorts: Vec<Vec<SortKey>> = documents.iter().map(sorts).collect();
            order.sort_unstable_by(|a, b| {
                sort_key::compare_within_query(&sorts[*b], &sorts[*a]).then_with(|| by_fused(a, b))
            });
        } else {
            order.sort_unstable_by(by_fused);
        }
        order.into_iter().map(|index| documents[index]).collect()
    }
}

impl FusedList<'_> {
    /// Removes documents below the threshold, and returns whether all later ones are below it too.
    fn cut(&mut self, least: f64, candidates: &mut RoaringBitmap) -> bool {
        let is_enough = |one: &FusedDocument<'_>| ranking_score(&one.scores()) >= least;
        if self.is_sorted {
            self.documents.retain(|one| {
                is_enough(one) || {
                    candidates.remove(one.doc_id);
                    false
                }
            });
            return false;
        }
        let end = self.documents.iter().position(|one| !is_enough(one));
        let Some(end) = end else { return false };
        self.documents.truncate(end);
        *candidates &= self.documents.iter().map(|one| one.doc_id).collect::<RoaringBitmap>();
        true
    }
}

impl FusedDocument<'_> {
    /// Compares two documents by their fused scores; the lesser comes first.
    fn compare(&self, other: &Self) -> Ordering {
        // Of equal documents, the one with the better vector rank goes first, as in the comparison
        // of scores.
        let rank = |one: &Self| one.fused.vector.place.map_or(u32::MAX, |place| place.rank);
        let by_score = other.fused.score.total_cmp(&self.fused.score);
        by_score.then(rank(self).cmp(&rank(other))).then(self.doc_id.cmp(&other.doc_id))
    }

    /// Returns the scores of the list, with the fused score in place of those of relevance rules.
    fn scores(&self) -> Vec<Score> {
        let before = leading(self.listed).len();
        let after = self.listed[before..].iter().filter(|score| score.is_sort());
        let mut shown = self.listed[..before].to_vec();
        shown.push(Score::Fused(self.fused));
        shown.extend(self.listed.iter().find_map(|score| match score {
            Score::Factor(boosted) | Score::FactorDetails(boosted) => {
                Some(Score::FactorDetails(boosted.clone()))
            }
            _ => None,
        }));
        shown.extend(after.cloned());
        shown
    }
}

/// Returns the documents of a side with their ranks, counted from 1 within equal sort values.
fn entries(documents: &[(DocId, Vec<Score>)]) -> Vec<ListEntry<'_>> {
    let mut entries: Vec<ListEntry<'_>> = Vec::with_capacity(documents.len());
    let mut rank = 0;
    for (doc_id, scores) in documents {
        let sorts = |scores| sort_key::sort_keys(leading(scores), 1.0);
        let is_alike = entries.last().is_some_and(|last| sorts(last.scores) == sorts(scores));
        rank = if is_alike { rank + 1 } else { 1 };
        let has_say = scores.iter().any(|score| match score {
            Score::Vector(similarity) => similarity.is_some(),
            score => score.is_relevance(),
        });
        let place = has_say.then(|| ListPosition { rank, score: relevance(scores) });
        entries.push(ListEntry { doc_id: *doc_id, scores, place });
    }
    entries
}

/// Returns the score of a side: the similarity alone if there is one. Boosts count in both.
fn relevance(scores: &[Score]) -> f64 {
    let (_, factor) = without_factor(scores);
    match scores.iter().find(|score| matches!(score, Score::Vector(_))) {
        Some(vector) => ranking_score(std::slice::from_ref(vector)) * factor,
        None => ranking_score(scores),
    }
}

/// Returns the scores of rules that sort before any relevance rule.
fn leading(scores: &[Score]) -> &[Score] {
    let count = scores.iter().take_while(|score| score.is_sort()).count();
    &scores[..count]
}

#[cfg(test)]
mod tests;
