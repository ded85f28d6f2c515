//! Brings ranked documents into the order of their boosted scores, where no rule does it: in each
//! side of a hybrid search, and in a search by a vector.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::{Ranked, Wanted};
use crate::boosts::{Boosts, Readers, Use, boosted};
use crate::context::Context;
use crate::error::SearchError;
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;
use crate::score::{Score, ranking_score};
use crate::steps::Step;
use crate::weighted::{self, Part};

/// So many of the best documents at least are brought into a new order. It costs more to find them
/// by words.
const RANKED_BY_WORDS: usize = 100;
const RANKED_BY_VECTOR: usize = 1000;

/// What boosts do under these steps. None where they have no effect.
pub(crate) fn use_of_boosts(steps: &[Step<'_>], is_semantic: bool) -> Option<Use> {
    if steps.contains(&Step::Boost) {
        return Some(Use::Rule);
    }
    if steps.contains(&Step::Bm25) {
        return Some(Use::Bm25);
    }
    is_semantic.then_some(Use::Reorder)
}

/// What is to be ranked so that a new order shows the right documents: more than the window, and
/// all where it is to be known how many reach the threshold.
pub(crate) fn widened(
    boosts: &Boosts<'_>,
    wanted: Wanted,
    all: &RoaringBitmap,
    by_vector: bool,
) -> Wanted {
    if boosts.used != Use::Reorder {
        return wanted;
    }
    let least = if by_vector { RANKED_BY_VECTOR } else { RANKED_BY_WORDS };
    let limit = if wanted.exhaustive {
        all.len() as usize
    } else {
        wanted.offset.saturating_add(wanted.limit).max(least)
    };
    // A search for no hits ranks none.
    let limit = if wanted.limit == 0 && !wanted.exhaustive { 0 } else { limit };
    Wanted { offset: 0, limit, with_scores: true, ..wanted }
}

/// Multiplies the score of each document, and leaves those of the window in their new order.
/// Documents that are sorted by a value before anything else keep their order.
pub(crate) fn order_by_boosts(
    context: &Context<'_>,
    boosts: &Boosts<'_>,
    found: &mut Ranked<'_>,
    threshold: Option<f64>,
    window: &Range<usize>,
) -> Result<(), SearchError> {
    let mut readers = Readers::new(context, boosts);
    let mut ranked = Vec::with_capacity(found.documents.len());
    let documents = std::mem::take(&mut found.documents);
    for (count, (doc_id, mut scores)) in documents.into_iter().enumerate() {
        if count % DOCUMENTS_BETWEEN_CHECKS == DOCUMENTS_BETWEEN_CHECKS - 1 {
            context.check_wanted()?;
        }
        scores.push(Score::Factor(boosted(&mut readers, boosts, doc_id)?));
        if threshold.is_some_and(|least| ranking_score(&scores) < least) {
            found.rejected.insert(doc_id);
            continue;
        }
        let key = match weighted::parts(&scores, 1.0).first() {
            Some(Part::Rank(score) | Part::Similarity(score)) => *score,
            _ => 0.0,
        };
        ranked.push((key, doc_id, scores));
    }
    ranked.sort_by(|(left, ..), (right, ..)| right.total_cmp(left));
    let documents = ranked.into_iter().map(|(_, doc_id, scores)| (doc_id, scores));
    found.documents = documents.skip(window.start).take(window.len()).collect();
    Ok(())
}
