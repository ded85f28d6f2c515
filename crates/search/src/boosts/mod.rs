//! Boosts: what raises documents beside the words of a query. A boost adds its weight times a
//! number from 0 to 1 to the boost of a document. The ranking rule `boost` orders by that sum.
//! Without the rule, the sum becomes a factor from 0 to 1 that multiplies scores: `bm25` does that
//! itself, and the sides of a hybrid search are brought into a new order after ranking.
//!
//! Everything is read from the values that segments keep (`reader`), never from documents.

mod check;
mod curves;
mod explain;
mod measure;
mod reader;

#[cfg(test)]
mod tests;

use filter::Filter;
use index::Snapshot;
use settings::GEO_FIELD;
use settings::boosts::{Boost, Effect};

use crate::attributes::is_displayed;
use crate::context::Context;
use crate::error::SearchError;
use crate::filtering;
use measure::Measure;

pub(crate) use check::check;
pub(crate) use explain::{boosted, explain};
pub(crate) use reader::{BoostReader, Readers};

/// The boosts of a query, read but not yet evaluated.
#[derive(Debug, Clone)]
pub struct Boosting {
    pub boosts: Vec<FilteredBoost>,
    /// Whether the request names them, and not the settings.
    pub is_asked: bool,
    /// The time of the search, in seconds since 1970.
    pub now: f64,
}

/// A boost, and its filter if it has one.
#[derive(Debug, Clone)]
pub struct FilteredBoost {
    pub boost: Boost,
    pub filter: Option<Filter>,
}

/// What the boosts of a search do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoostUse {
    /// The rule `boost` orders by them.
    Rule,
    /// `bm25` multiplies its score.
    Bm25,
    /// The documents that were ranked are brought into a new order.
    Reorder,
}

/// The boosts of a search, ready to be applied to documents.
pub(crate) struct Boosts<'s> {
    weighed: Vec<WeightedMeasure<'s>>,
    /// No document has a higher sum.
    most: f64,
    pub used: BoostUse,
}

struct WeightedMeasure<'s> {
    weight: f64,
    measure: Measure<'s>,
    /// What it adds would tell the value of an attribute that is not displayed.
    is_hidden: bool,
}

impl<'s> Boosts<'s> {
    pub fn new(
        context: &Context<'s>,
        snapshot: &Snapshot,
        boosting: &Boosting,
        used: BoostUse,
    ) -> Result<Self, SearchError> {
        let mut weighed = Vec::with_capacity(boosting.boosts.len());
        for FilteredBoost { boost, filter } in &boosting.boosts {
            let measure = match filter {
                Some(filter) => {
                    let found = filtering::matching(snapshot, filter, context.cancelled());
                    Measure::Filter(found.map_err(of_filter)?)
                }
                None => Measure::new(context, &boost.effect, boosting.now)?,
            };
            let is_hidden = match &boost.effect {
                Effect::Decay { attribute, .. } | Effect::Value { attribute, .. } => {
                    !is_displayed(context.settings, attribute)
                }
                Effect::Near { .. } => !is_displayed(context.settings, GEO_FIELD),
                Effect::Filter(_) => false,
            };
            weighed.push(WeightedMeasure { weight: boost.weight, measure, is_hidden });
        }
        let most = weighed.iter().map(|boost| boost.weight).sum();
        Ok(Self { weighed, most, used })
    }

    /// What a score is multiplied by: 1 for a document with all boosts. No score gets higher, so
    /// bounds of scores stay bounds.
    pub fn factor(&self, sum: f64) -> f64 {
        ((1.0 + sum) / (1.0 + self.most)).min(1.0)
    }
}

/// What is wrong with the filter of a boost is wrong with `boosts`.
fn of_filter(error: SearchError) -> SearchError {
    match error {
        SearchError::Filter(message) | SearchError::Operator(message) => {
            SearchError::Boosts(format!("The filter of a boost cannot be used: {message}"))
        }
        other => other,
    }
}
