//! Sorting by values: what may be sorted by, in which order, and the ranking rules that do it.
//!
//! Numbers come before strings and strings before nothing, whatever the direction; a document of
//! several values counts by the best of them.

mod point_rule;
mod value_rule;
mod value_source;

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use filter::{Order, SortItem};
use index::Snapshot;
use roaring::RoaringBitmap;
use segment::DocId;
use settings::{GEO_FIELD, RankingRule, Settings};

use crate::attributes::listed;
use crate::context::Context;
use crate::query::SearchError;
use crate::ranking::{self, Step, Wanted};

pub(crate) use point_rule::PointRule;
pub(crate) use value_rule::ValueRule;

/// The documents of a set in this order, as far as a window shows them.
pub fn order(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    items: &[SortItem],
    offset: usize,
    limit: usize,
) -> Result<Vec<DocId>, SearchError> {
    check_sortable(snapshot.typed_settings(), items)?;
    let cancelled = AtomicBool::new(false);
    let context = Context::new(snapshot, None, None, &cancelled)?;
    let mut criteria = Criteria::default();
    let steps: Vec<Step> =
        items.iter().filter_map(|item| criteria.add(item.clone())).map(Step::Sort).collect();
    let wanted = Wanted { offset, limit, exhaustive: false, threshold: None, with_scores: false };
    let ranked = ranking::rank(&context, &steps, Rc::default(), candidates.clone(), wanted, None)?;
    Ok(ranked.documents.into_iter().map(|(doc_id, _)| doc_id).collect())
}

/// Whether a search may be sorted by these.
pub(crate) fn check(settings: &Settings, items: &[SortItem]) -> Result<(), SearchError> {
    if !items.is_empty() && !settings.ranking_rules.contains(&RankingRule::Sort) {
        return Err(SearchError::NoSortRule(
            "You must specify where `sort` is listed in the rankingRules setting to use the sort \
             parameter at search time."
                .to_owned(),
        ));
    }
    check_sortable(settings, items)
}

fn check_sortable(settings: &Settings, items: &[SortItem]) -> Result<(), SearchError> {
    for item in items {
        match item {
            SortItem::Attribute { name, .. } if !settings.is_sortable(name) => {
                return Err(not_sortable(settings, name));
            }
            SortItem::Point { .. } if !settings.sortable_attributes.contains(GEO_FIELD) => {
                return Err(not_sortable(settings, GEO_FIELD));
            }
            _ => {}
        }
    }
    Ok(())
}

fn not_sortable(settings: &Settings, name: &str) -> SearchError {
    let sortable = &settings.sortable_attributes;
    let hint = if sortable.is_empty() {
        "This index does not have configured sortable attributes.".to_owned()
    } else {
        let available = listed(settings, sortable.iter().map(String::as_str));
        format!("Available sortable attributes are: `{available}`.")
    };
    SearchError::NotSortable(format!("Attribute `{name}` is not sortable. {hint}"))
}

/// What is sorted by so far: an attribute counts once, whatever the direction.
#[derive(Debug, Default)]
pub(crate) struct Criteria {
    seen: Vec<SortItem>,
}

impl Criteria {
    /// The criterion, unless it can change nothing any more.
    pub fn add(&mut self, item: SortItem) -> Option<SortItem> {
        let is_same = |other: &SortItem| match (other, &item) {
            (SortItem::Attribute { name: other, .. }, SortItem::Attribute { name, .. }) => {
                other == name
            }
            (
                SortItem::Point { latitude: a, longitude: b, .. },
                SortItem::Point { latitude, longitude, .. },
            ) => a == latitude && b == longitude,
            _ => false,
        };
        if self.seen.iter().any(is_same) {
            return None;
        }
        self.seen.push(item.clone());
        Some(item)
    }
}

fn direction(order: Order) -> &'static str {
    match order {
        Order::Asc => "asc",
        Order::Desc => "desc",
    }
}

#[cfg(test)]
mod tests;
