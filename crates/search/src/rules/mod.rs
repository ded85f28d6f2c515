//! The ranking rules. Each splits a set of documents into buckets, best first, and says which
//! interpretations of the query are alive in each.

mod bm25;
mod count_rule;
mod exact_attribute;
mod measure;
mod scan_rule;
mod set_rule;
mod short_fields;

use std::rc::Rc;

use roaring::RoaringBitmap;

use crate::context::Context;
use crate::graph::Path;
use crate::query::SearchError;
use crate::score::Score;

pub(crate) use bm25::Bm25Rule;
pub(crate) use count_rule::CountRule;
pub(crate) use exact_attribute::{ExactAttributeRule, ExactJudge};
pub(crate) use measure::{FAR, Measure, Meter, cost_at_rounded_position};
pub(crate) use scan_rule::ScanRule;
pub(crate) use set_rule::SetRule;

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
