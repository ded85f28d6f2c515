//! The ranking rules. Each splits a set of documents into buckets, best first, and says which
//! interpretations of the query are alive in each.

mod bm25;
mod boost_rule;
mod count_rule;
mod exact_attribute;
mod measure;
mod point_rule;
mod scan_rule;
mod set_rule;
mod short_fields;
mod value_rule;
mod value_source;
mod vector_rule;

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
pub(crate) use count_rule::CountRule;
pub(crate) use exact_attribute::{ExactAttributeRule, ExactJudge};
pub(crate) use measure::{FAR, Measure, Meter, cost_at_rounded_position};
pub(crate) use point_rule::PointRule;
pub(crate) use scan_rule::ScanRule;
pub(crate) use set_rule::SetRule;
pub(crate) use value_rule::ValueRule;
pub(crate) use vector_rule::VectorRule;

/// What rules need to know of a query beside its interpretations.
#[derive(Clone, Default)]
pub(crate) struct RuleInput<'s> {
    /// Terms of the query that only `bm25` counts, because there are too many for the other rules.
    pub further_terms: Rc<Path>,
    /// The weights of attributes that the query asks for.
    pub attribute_weights: Option<&'s BTreeMap<String, f64>>,
    /// What raises documents, where it has an effect.
    pub boosts: Option<Rc<Boosts<'s>>>,
}

/// Documents that a rule cannot tell apart.
#[derive(Debug)]
pub(crate) struct Bucket {
    pub documents: RoaringBitmap,
    pub paths: Rc<Vec<Path>>,
    pub score: Score,
}

/// A rule at work on one set of documents. Buckets are made when they are asked for.
pub(crate) trait Rule {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError>;

    /// These documents need not come any more. A rule whose buckets depend on each other may
    /// bring them all the same.
    fn forget(&mut self, _documents: &RoaringBitmap) {}
}

/// The direction of a sort, as details of scores name it.
fn direction(order: Order) -> &'static str {
    match order {
        Order::Asc => "asc",
        Order::Desc => "desc",
    }
}
