//! Fills in the contribution of each boost for the score details of the hits. Rules put documents
//! with equal sums into one bucket, so this is done for each document afterwards.

use segment::DocId;

use super::{BoostUse, Boosts, Readers};
use crate::context::Context;
use crate::error::SearchError;
use crate::score::{BoostScore, Score};

/// Completes the scores of documents that a rule boosted.
pub(crate) fn explain(
    context: &Context<'_>,
    boosts: &Boosts<'_>,
    documents: &mut [(DocId, Vec<Score>)],
) -> Result<(), SearchError> {
    let mut readers = Readers::new(context, boosts);
    for (doc_id, scores) in documents {
        let is_boosted = |score: &Score| match boosts.used {
            BoostUse::Rule => matches!(score, Score::Boost { .. }),
            BoostUse::Bm25 => matches!(score, Score::Bm25(_)),
            BoostUse::Reorder => false,
        };
        let Some(place) = scores.iter().position(is_boosted) else { continue };
        let explained = boosted(&mut readers, boosts, *doc_id)?;
        match &mut scores[place] {
            Score::Boost { parts, .. } => *parts = explained.parts,
            _ => scores.insert(place + 1, Score::FactorDetails(explained)),
        }
    }
    Ok(())
}

pub(crate) fn boosted(
    readers: &mut Readers<'_>,
    boosts: &Boosts<'_>,
    doc_id: DocId,
) -> Result<BoostScore, SearchError> {
    let mut parts = Vec::with_capacity(boosts.weighed.len());
    let mut sum = 0.0;
    if let Some(reader) = readers.of(doc_id) {
        let mut hidden = boosts.weighed.iter().map(|boost| boost.is_hidden);
        reader.each(doc_id, |name, part| {
            let is_hidden = hidden.next().unwrap_or_default();
            parts.push((name, (!is_hidden).then_some(part)));
            sum += part;
        })?;
    }
    Ok(BoostScore { sum, factor: boosts.factor(sum), parts })
}
