//! Boosts raise documents independently of the words of a query. A boost adds its weight times a
//! number from 0 to 1 to the sum of a document. The ranking rule `boost` sorts by that sum. Without
//! the rule, the sum becomes a factor from 0 to 1 that multiplies scores: `bm25` applies it itself,
//! and the sides of a hybrid search are reordered after ranking.
//!
//! All data comes from the values stored in segments (`reader`), never from documents.

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
    /// True if the boosts come from the request, not from the settings.
    pub is_from_request: bool,
    /// The time of the search, in seconds since 1970.
    pub now: f64,
}

/// A boost, and its filter if it has one.
#[derive(Debug, Clone)]
pub struct FilteredBoost {
    pub boost: Boost,
    pub filter: Option<Filter>,
}

/// The way in which the boosts of a search are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoostUse {
    /// The rule `boost` orders by them.
    Rule,
    /// `bm25` multiplies its score.
    Bm25,
    /// Ranked documents are reordered.
    Reorder,
}

/// The boosts of a search, prepared for evaluation.
pub(crate) struct Boosts<'s> {
    weighed: Vec<WeightedMeasure<'s>>,
    /// The highest possible sum.
    most: f64,
    pub used: BoostUse,
}

struct WeightedMeasure<'s> {
    weight: f64,
    measure: Measure<'s>,
    /// Its contribution would reveal the value of an attribute that is not displayed.
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
                    let found = filtering::matching(snapshot, filter, context.cancel);
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

    /// Returns the factor for a score: 1 for a document with all boosts. No score gets higher, so
    /// that bounds of scores remain valid.
    pub fn factor(&self, sum: f64) -> f64 {
        ((1.0 + sum) / (1.0 + self.most)).min(1.0)
    }
}

/// Reports an invalid filter of a boost as an invalid `boosts`.
fn of_filter(error: SearchError) -> SearchError {
    match error {
        SearchError::Filter(message) | SearchError::Operator(message) => {
            SearchError::Boosts(format!("The filter of a boost cannot be used: {message}"))
        }
        other => other,
    }
}
