//! Brings ranked documents into the order of their boosted scores, where no rule does it: in each
//! side of a hybrid search, and in a search by a vector.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::explain::boosted;
use super::{Boosts, Readers, Use};
use crate::context::Context;
use crate::query::{Query, SearchError};
use crate::ranking::{Ranked, Wanted};
use crate::scan::DOCUMENTS_BETWEEN_CHECKS;
use crate::score::{Score, ranking_score};
use crate::weighted::{self, Part};

/// So many of the best documents at least are brought into a new order. It costs more to find them
/// by words.
const RANKED_BY_WORDS: usize = 100;
const RANKED_BY_VECTOR: usize = 1000;

impl Boosts<'_> {
    /// What is to be ranked so that a new order shows the right documents: more than the window,
    /// and all where it is to be known how many reach the threshold.
    pub fn widened(&self, wanted: Wanted, all: &RoaringBitmap, by_vector: bool) -> Wanted {
        if self.used != Use::Reorder {
            return wanted;
        }
        let least = if by_vector { RANKED_BY_VECTOR } else { RANKED_BY_WORDS };
        let limit = match wanted.exhaustive {
            true => all.len() as usize,
            false => wanted.offset.saturating_add(wanted.limit).max(least),
        };
        // A search for no hits ranks none.
        let limit = if wanted.limit == 0 && !wanted.exhaustive { 0 } else { limit };
        Wanted { offset: 0, limit, with_scores: true, ..wanted }
    }
}

/// Multiplies the score of each document, and leaves those of the window in their new order.
/// Documents that are sorted by a value before anything else keep their order.
pub(crate) fn reorder(
    context: &Context<'_>,
    boosts: &Boosts<'_>,
    found: &mut Ranked<'_>,
    query: &Query<'_>,
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
        if query.threshold.is_some_and(|least| ranking_score(&scores) < least) {
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
