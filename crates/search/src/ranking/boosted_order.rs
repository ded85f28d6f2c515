//! Brings ranked documents into the order of their boosted scores, where no rule does it: in each
//! side of a hybrid search, and in a search by a vector.

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

/// So many of the best documents at least are brought into a new order. It costs more to find them
/// by words.
const RANKED_BY_WORDS: usize = 100;
const RANKED_BY_VECTOR: usize = 1000;

/// What boosts do under these steps. None where they have no effect.
pub(crate) fn use_of_boosts(steps: &[Step<'_>], is_semantic: bool) -> Option<BoostUse> {
    if steps.contains(&Step::Boost) {
        return Some(BoostUse::Rule);
    }
    if steps.contains(&Step::Bm25) {
        return Some(BoostUse::Bm25);
    }
    is_semantic.then_some(BoostUse::Reorder)
}

/// What is to be ranked so that a new order shows the right documents: more than the window, and
/// all where it is to be known how many reach the threshold.
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
    // A search for no hits ranks none.
    let limit = if window.limit == 0 && !window.exhaustive { 0 } else { limit };
    RankWindow { offset: 0, limit, with_scores: true, ..window }
}

/// Multiplies the score of each document, and leaves those of the window in their new order.
/// Documents that are sorted by a value before anything else keep their order.
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
