//! The ranking rules. Each splits a set of documents into buckets, best first, and determines the
//! interpretations of the query that are alive in each.

mod bm25;
mod boost_rule;
mod exact_attribute;
mod measure;
mod point_rule;
mod scan_rule;
mod short_fields;
mod value_rule;
mod value_source;
mod vector_rule;
mod words_and_typo;
mod words_of_long_queries;

use std::collections::BTreeMap;
use std::rc::Rc;

use filter::Order;
use roaring::RoaringBitmap;

use crate::boosts::Boosts;
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::score::Score;

pub(crate) use bm25::Bm25Rule;
pub(crate) use boost_rule::BoostRule;
pub(crate) use exact_attribute::{ExactAttributeRule, ExactJudge};
pub(crate) use measure::{FAR, Measure, Meter, cost_at_rounded_position};
pub(crate) use point_rule::PointRule;
pub(crate) use scan_rule::ScanRule;
pub(crate) use value_rule::ValueRule;
pub(crate) use vector_rule::VectorRule;
pub(crate) use words_and_typo::WordsAndTypoRule;
pub(crate) use words_of_long_queries::LongQueryWordsRule;

/// The properties of a query that rules need beside its interpretations.
#[derive(Clone, Default)]
pub(crate) struct RuleInput<'s> {
    /// Terms of the query that only `bm25` uses, because there are too many for the other rules.
    pub further_terms: Rc<Path>,
    /// Weights of attributes from the request.
    pub attribute_weights: Option<&'s BTreeMap<String, f64>>,
    /// Boosts, if they have an effect.
    pub boosts: Option<Rc<Boosts<'s>>>,
}

/// Documents that tie under a rule.
#[derive(Debug)]
pub(crate) struct Bucket {
    pub documents: RoaringBitmap,
    pub paths: Rc<Vec<Path>>,
    pub score: Score,
}

/// Buckets up to this length are removed document by document, which takes less time than a difference
/// of sets.
const SMALL_BUCKET: u64 = 8;

/// Removes the documents of a bucket from those that remain.
pub(crate) fn remove_bucket(remaining: &mut RoaringBitmap, documents: &RoaringBitmap) {
    if documents.len() > SMALL_BUCKET {
        *remaining -= documents;
        return;
    }
    for doc_id in documents {
        remaining.remove(doc_id);
    }
}

/// A rule applied to one set of documents. Buckets are computed on demand.
pub(crate) trait Rule {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError>;

    /// Drops documents that are no longer needed. A rule whose buckets depend on each other may
    /// still return them.
    fn forget(&mut self, _documents: &RoaringBitmap) {}
}

/// Returns the direction of a sort in score details.
fn direction(order: Order) -> &'static str {
    match order {
        Order::Asc => "asc",
        Order::Desc => "desc",
    }
}
