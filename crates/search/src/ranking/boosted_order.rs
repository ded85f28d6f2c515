//! Sorts ranked documents by their boosted scores if no rule does: in each side of a hybrid search,
//! and in a search by a vector.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::{RankWindow, RankedDocuments};
use crate::boosts::{BoostUse, Boosts, Readers, boosted};
use crate::context::Context;
use crate::error::SearchError;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;
use crate::score::{Score, ranking_score};
use crate::sort_key::{self, SortKey};
use crate::steps::Step;

/// At least this many of the best documents are reordered. Finding them by words costs more than by
/// vectors.
const RANKED_BY_WORDS: usize = 100;
const RANKED_BY_VECTOR: usize = 1000;

/// Returns the way in which boosts are applied under these steps; `None` if they have no effect.
pub(crate) fn use_of_boosts(steps: &[Step<'_>], is_semantic: bool) -> Option<BoostUse> {
    if steps.contains(&Step::Boost) {
        return Some(BoostUse::Rule);
    }
    if steps.contains(&Step::Bm25) {
        return Some(BoostUse::Bm25);
    }
    is_semantic.then_some(BoostUse::Reorder)
}

/// Returns the window to rank so that the new order is right: more than the requested window, and
/// all documents if those that reach the threshold are counted.
pub(crate) fn widened(
    boosts: &Boosts<'_>,
    window: RankWindow,
    all: &RoaringBitmap,
    by_vector: bool,
) -> RankWindow {
    if boosts.used != BoostUse::Reorder {
        return window;
    }
    let least = if by_vector { RANKED_BY_VECTOR } else { RANKED_BY_WORDS };
    let limit = if window.exhaustive {
        all.len() as usize
    } else {
        window.offset.saturating_add(window.limit).max(least)
    };
    // A search with limit 0 ranks nothing.
    let limit = if window.limit == 0 && !window.exhaustive { 0 } else { limit };
    RankWindow { offset: 0, limit, with_scores: true, ..window }
}

/// Multiplies the score of each document, and keeps those of the window in their new order. If the
/// first rule sorts by a value, the order stays.
pub(crate) fn order_by_boosts(
    context: &Context<'_>,
    boosts: &Boosts<'_>,
    found: &mut RankedDocuments<'_>,
    threshold: Option<f64>,
    window: &Range<usize>,
) -> Result<(), SearchError> {
    let mut readers = Readers::new(context, boosts);
    let mut ranked = Vec::with_capacity(found.documents.len());
    let documents = std::mem::take(&mut found.documents);
    for (count, (doc_id, mut scores)) in documents.into_iter().enumerate() {
        if count % DOCUMENTS_BETWEEN_CHECKS == DOCUMENTS_BETWEEN_CHECKS - 1 {
            context.check_cancelled()?;
        }
        scores.push(Score::Factor(boosted(&mut readers, boosts, doc_id)?));
        if threshold.is_some_and(|least| ranking_score(&scores) < least) {
            found.rejected.insert(doc_id);
            continue;
        }
        let key = match sort_key::sort_keys(&scores, 1.0).first() {
            Some(SortKey::Rank(score) | SortKey::Similarity(score)) => *score,
            _ => 0.0,
        };
        ranked.push((key, doc_id, scores));
    }
    ranked.sort_by(|(left, ..), (right, ..)| right.total_cmp(left));
    let documents = ranked.into_iter().map(|(_, doc_id, scores)| (doc_id, scores));
    found.documents = documents.skip(window.start).take(window.len()).collect();
    Ok(())
}
