//! Combines two searches, by words and by vector, by merging their lists by weighted score, either
//! locally or over several parts of the documents.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::time::Instant;

use index::Snapshot;
use roaring::RoaringBitmap;
use segment::DocId;
use settings::Distribution;
use vectors::Store;

use crate::context::Context;
use crate::distinct::{self, Distinct};
use crate::error::SearchError;
use crate::federation;
use crate::found::{Hit, SearchResults};
use crate::fusion::Fusion;
use crate::pins;
use crate::query::Query;
use crate::run::{Outcome, search};
use crate::score::{Score, ranking_score};
use crate::sort_key::{self, SortKey};
use crate::vector_query::VectorQuery;

/// Weighted score from which a keyword hit is so good that no vector is needed.
const GOOD_ENOUGH: f64 = 0.45;

#[derive(Debug, Clone, Copy)]
pub struct HybridQuery<'q> {
    pub store: &'q Store,
    pub distribution: Option<Distribution>,
    /// The weight of the vector, 0–1; the rest is that of the words.
    pub ratio: f32,
    pub fusion: Fusion,
}

#[derive(Debug)]
pub struct HybridResults {
    pub found: SearchResults,
    /// The vector of the query, if it was needed.
    pub vector: Option<Vec<f32>>,
}

/// The sides of a hybrid search that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// The vector only if the words are not good enough.
    #[default]
    AsNeeded,
    WordsOnly,
    Both,
}

/// The results of a hybrid search in a part of the documents, with the data that decides whether
/// the words of all parts are good enough.
#[derive(Debug)]
pub struct HybridPart {
    pub hybrid: HybridResults,
    pub sides: SideHits,
}

/// The ranked hits of each side of a hybrid search, with the pins.
#[derive(Debug)]
pub struct SideHits {
    pub words: Vec<Hit>,
    /// Hits of the vector, if it was searched.
    pub near: Vec<Hit>,
    /// True if the vector was searched too, or would have been if there were one.
    pub wants_vector: bool,
}

/// Runs a hybrid search that compares the scores of both sides, and uses a vector only if the words
/// are not good enough.
pub(super) fn run_compared(
    snapshot: &Snapshot,
    query: &Query<'_>,
    hybrid: HybridQuery<'_>,
    embed: impl FnOnce() -> Option<Vec<f32>>,
) -> Result<HybridResults, SearchError> {
    let part = run_sides(snapshot, query, hybrid, Sides::AsNeeded, |_| Vec::new(), embed)?;
    Ok(part.hybrid)
}

/// Runs a hybrid search in a part of the documents, while other instances search the other parts.
/// It compares scores, whatever the fusion.
pub fn run_hybrid_part(
    snapshot: &Snapshot,
    query: &Query<'_>,
    hybrid: HybridQuery<'_>,
    sides: Sides,
    embed: impl FnOnce() -> Option<Vec<f32>>,
) -> Result<HybridPart, SearchError> {
    let hits_of = |side: &Outcome| {
        let ranked = side.documents.iter().map(|(id, scores)| Hit::new(*id, scores.clone()));
        let pinned = side.pins.iter().map(|pin| Hit::new(pin.doc_id, vec![Score::Pin(*pin)]));
        ranked.chain(pinned).collect()
    };
    run_sides(snapshot, query, hybrid, sides, hits_of, embed)
}

fn run_sides(
    snapshot: &Snapshot,
    query: &Query<'_>,
    hybrid: HybridQuery<'_>,
    sides: Sides,
    hits_of: impl Fn(&Outcome) -> Vec<Hit>,
    embed: impl FnOnce() -> Option<Vec<f32>>,
) -> Result<HybridPart, SearchError> {
    // Merging needs the lists from the beginning, with the scores that determined their order.
    let window = query.offset.saturating_add(query.limit);
    let whole =
        Query { offset: 0, limit: window, with_scores: true, is_hybrid: true, ..query.clone() };
    let keyword = search(snapshot, &whole)?;
    let words = hits_of(&keyword);
    let started = Instant::now();
    let wants_vector = match sides {
        Sides::AsNeeded => !is_good_enough(&keyword, window, hybrid.ratio),
        Sides::WordsOnly => false,
        Sides::Both => true,
    };
    let vector = if wants_vector { embed() } else { None };
    // Time spent waiting for the vector does not count.
    let deadline = query.deadline + started.elapsed();
    let Some(vector) = vector else {
        let hybrid = HybridResults { found: keyword.into_found(query), vector: None };
        let sides = SideHits { words, near: Vec::new(), wants_vector };
        return Ok(HybridPart { hybrid, sides });
    };
    let of_vector =
        VectorQuery { store: hybrid.store, vector: &vector, distribution: hybrid.distribution };
    let by_vector = Query { vector: Some(of_vector), with_words: false, deadline, ..whole.clone() };
    let semantic = search(snapshot, &by_vector)?;
    let sides = SideHits { words, near: hits_of(&semantic), wants_vector };
    let merged = merge(snapshot, query, keyword, semantic, hybrid.ratio)?;
    let hybrid = HybridResults { found: merged.into_found(query), vector: Some(vector) };
    Ok(HybridPart { hybrid, sides })
}

/// Returns whether the keyword hits of all parts are so good that no vector is needed.
pub fn words_suffice<H>(
    parts: Vec<Vec<federation::Candidate<H>>>,
    window: usize,
    ratio: f32,
) -> bool {
    let hits = federation::merge_answers(parts, window).hits;
    let pins: Vec<pins::Pin> = hits.iter().filter_map(|hit| hit.pin).collect();
    let ranked = || hits.iter().filter(|hit| hit.pin.is_none());
    ranked().count() >= pins::ranked_window(&pins, 0..window).len()
        && ranked().all(|hit| is_good(hit.score, ratio))
}

fn is_good(score: f64, ratio: f32) -> bool {
    score * f64::from(1.0 - ratio) >= GOOD_ENOUGH
}

fn is_good_enough(keyword: &Outcome, window: usize, ratio: f32) -> bool {
    keyword.documents.len() >= pins::ranked_window(&keyword.pins, 0..window).len()
        && keyword.documents.iter().all(|(_, scores)| is_good(ranking_score(scores), ratio))
}

/// A document in one of the lists.
struct Candidate {
    doc_id: DocId,
    scores: Vec<Score>,
    parts: Vec<SortKey>,
}

fn weighted(documents: Vec<(DocId, Vec<Score>)>, weight: f32) -> VecDeque<Candidate> {
    let candidate = |(doc_id, scores): (DocId, Vec<Score>)| {
        let parts = sort_key::sort_keys(&scores, f64::from(weight));
        Candidate { doc_id, scores, parts }
    };
    documents.into_iter().map(candidate).collect()
}

/// Merges two lists. Each keeps its own order; the better of their next hits goes first.
fn merge(
    snapshot: &Snapshot,
    query: &Query<'_>,
    mut keyword: Outcome,
    mut semantic: Outcome,
    ratio: f32,
) -> Result<Outcome, SearchError> {
    let mut by_words = weighted(std::mem::take(&mut keyword.documents), 1.0 - ratio);
    let mut by_vector = weighted(std::mem::take(&mut semantic.documents), ratio);
    let next = || take_better(&mut by_words, &mut by_vector);
    let merged = std::iter::from_fn(next).map(|next| (next.doc_id, next.scores));
    let candidates = &keyword.candidates | &semantic.candidates;
    combine(snapshot, query, (keyword, semantic), candidates, merged)
}

/// Combines the outcomes of both sides, whose documents are in the order `merged`. A document
/// counts where it comes first.
pub(super) fn combine(
    snapshot: &Snapshot,
    query: &Query<'_>,
    (keyword, semantic): (Outcome, Outcome),
    mut candidates: RoaringBitmap,
    merged: impl IntoIterator<Item = (DocId, Vec<Score>)>,
) -> Result<Outcome, SearchError> {
    let settings = snapshot.typed_settings();
    let context = Context::new(snapshot, query.attributes(), None, query.cancel)?;
    let attribute = distinct::attribute(settings, query.criteria.distinct.as_deref())?;
    let mut distinct = attribute.map(|name| Distinct::new(&context, name)).transpose()?;
    // Pins are the same for both lists.
    let pins = pins::effective(&keyword.pins, None, distinct.as_mut())?;

    let mut seen = RoaringBitmap::new();
    let mut documents = Vec::new();
    for (doc_id, scores) in merged {
        if !seen.insert(doc_id) {
            continue;
        }
        if let Some(distinct) = &mut distinct
            && !distinct.keep(doc_id)?
        {
            continue;
        }
        documents.push((doc_id, scores));
        // Under `distinct`, later documents decide how many are counted.
        if distinct.is_none() && documents.len() >= query.window().end {
            break;
        }
    }
    if let Some(distinct) = distinct {
        candidates = distinct.apply(&context, candidates, query.exhaustive)?;
    }
    let degraded = keyword.degraded || semantic.degraded;
    Ok(Outcome { documents, before: 0, pins, candidates, words: keyword.words, degraded })
}

fn take_better(
    by_words: &mut VecDeque<Candidate>,
    by_vector: &mut VecDeque<Candidate>,
) -> Option<Candidate> {
    let words_first = match (by_words.front(), by_vector.front()) {
        (Some(word), Some(vector)) => {
            sort_key::compare_within_query(&word.parts, &vector.parts) == Ordering::Greater
        }
        (word, _) => word.is_some(),
    };
    if words_first { by_words.pop_front() } else { by_vector.pop_front() }
}

#[cfg(test)]
mod tests;
