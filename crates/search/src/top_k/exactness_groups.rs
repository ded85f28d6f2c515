//! Splits large groups of documents by the bounds of `exactness` that follow from sets alone. As
//! the least cost of each part is known well, parts are skipped once enough documents cost no more.

use roaring::RoaringBitmap;

use super::Costs;
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::rules::{ExactJudge, Measure};
use crate::score::ExactAttribute;
use crate::steps::Step;

/// Documents with a lower bound of their costs.
pub(super) struct BoundedGroup {
    pub documents: RoaringBitmap,
    pub least: Costs,
}

/// Splits the documents, those with the least bounds first. `least` is a lower bound for all of
/// them.
pub(super) fn exactness_groups(
    context: &Context<'_>,
    steps: &[Step<'_>],
    path: &Path,
    judge: Option<&ExactJudge>,
    mut rest: RoaringBitmap,
    least: Costs,
) -> Result<Vec<BoundedGroup>, SearchError> {
    let mut groups = Vec::new();
    let mut least_of_rest = least;
    if let Some(step) = steps.iter().position(|step| *step == Step::ExactAttribute)
        && let Some(judge) = judge
    {
        let documents = judge.possible_matches(context)? & &rest;
        rest -= &documents;
        groups.push(BoundedGroup { documents, least });
        let documents = &judge.candidates & &rest;
        rest -= &documents;
        least_of_rest[step] = ExactAttribute::MatchesStart as u32;
        groups.push(BoundedGroup { documents, least: least_of_rest });
        least_of_rest[step] = ExactAttribute::NoExactMatch as u32;
    }
    let exact_words = Step::Measure(Measure::ExactWords);
    if let Some(step) = steps.iter().position(|step| *step == exact_words) {
        let mut exact = rest.clone();
        let mut smallest = None;
        for node in path.iter().filter(|node| node.allows_exact()) {
            exact &= &*node.exact_documents(context)?;
            smallest = Some(smallest.map_or(node.size(), |size: u32| size.min(node.size())));
        }
        if let Some(smallest) = smallest {
            rest -= &exact;
            groups.push(BoundedGroup { documents: exact, least: least_of_rest });
            least_of_rest[step] += smallest;
        }
    }
    groups.push(BoundedGroup { documents: rest, least: least_of_rest });
    Ok(groups)
}

/// Takes the first `count` documents out of a set.
pub(super) fn first_documents(documents: &mut RoaringBitmap, count: usize) -> RoaringBitmap {
    let Some(end) = u32::try_from(count).ok().and_then(|count| documents.select(count)) else {
        return std::mem::take(documents);
    };
    let mut first = RoaringBitmap::new();
    first.extend(documents.range(..end));
    documents.remove_range(..end);
    first
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{TestIndex, one_attribute};

    /// Most documents cost the least that they can but for exactness; the best come late.
    #[test]
    fn large_group_has_the_order_of_the_rules() {
        let text = |id: u64| match id {
            5_000 => "alpha",
            9_000 => "alpha beta",
            9_500 => "alphabet",
            _ => ["alpha beta gamma", "alphas beta gamma", "gamma alpha beta"][(id % 3) as usize],
        };
        let documents: Vec<_> = (1..=12_000).map(|id| json!({ "id": id, "t": text(id) })).collect();
        let index = TestIndex::new(one_attribute(), &documents);
        for words in ["alpha", "alpha ", "alpha beta", "alpha beta ", "beta alpha", "gamma "] {
            let ranked = |threshold| {
                let answer = index.run(|query| {
                    query.text = Some(words);
                    query.limit = 30;
                    query.criteria.to_mut().ranking_score_threshold = threshold;
                });
                answer.expect("an answer").ranked()
            };
            // Under a threshold, rules are applied one after the other.
            assert_eq!(ranked(None), ranked(Some(0.0)), "{words}");
        }
    }

    #[test]
    fn documents_are_taken_in_their_order() {
        let mut documents: RoaringBitmap = (0..100).map(|number| number * 1000).collect();
        let first = first_documents(&mut documents, 10);
        assert_eq!((first.len(), first.max()), (10, Some(9000)));
        assert_eq!((documents.len(), documents.min()), (90, Some(10_000)));
        assert_eq!(first_documents(&mut documents, 90).len(), 90);
        assert!(documents.is_empty());
    }
}
