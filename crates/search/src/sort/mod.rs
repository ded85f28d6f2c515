//! Sorting by values: validation, order, and the ranking rules that sort.
//!
//! Numbers come before strings and strings before nothing, whatever the direction; a document with
//! several values counts by the best of them.

use std::rc::Rc;

use filter::SortItem;
use index::Snapshot;
use model::Cancel;
use roaring::RoaringBitmap;
use segment::DocId;
use settings::{GEO_FIELD, RankingRule, Settings};

use crate::attributes::listed;
use crate::context::Context;
use crate::error::SearchError;
use crate::ranking::{self, RankWindow};
use crate::rules::RuleInput;
use crate::score::Score;
use crate::sort_key::{self, SortKey};
use crate::steps::{Criteria, Step};

/// Maximum number of sort criteria, in a request and in the settings: each is one more level of
/// recursion.
const MOST_CRITERIA: usize = 256;

/// Sorts the documents of a set, as far as a window shows them. It is cancelled when the client
/// has gone away.
pub fn order(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    items: &[SortItem],
    (offset, limit): (usize, usize),
    cancel: &Cancel,
) -> Result<Vec<DocId>, SearchError> {
    let ranked = ranked(snapshot, candidates, items, (offset, limit), false, cancel)?;
    Ok(ranked.into_iter().map(|(doc_id, _)| doc_id).collect())
}

/// Like `order`, with the sort keys of each document, for comparison with other instances.
pub fn order_with_sort_keys(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    items: &[SortItem],
    (offset, limit): (usize, usize),
    cancel: &Cancel,
) -> Result<Vec<(DocId, Vec<SortKey>)>, SearchError> {
    let ranked = ranked(snapshot, candidates, items, (offset, limit), true, cancel)?;
    let keys = |(doc_id, scores): (DocId, Vec<Score>)| (doc_id, sort_key::sort_keys(&scores, 1.0));
    Ok(ranked.into_iter().map(keys).collect())
}

fn ranked(
    snapshot: &Snapshot,
    candidates: &RoaringBitmap,
    items: &[SortItem],
    (offset, limit): (usize, usize),
    with_scores: bool,
    cancel: &Cancel,
) -> Result<Vec<(DocId, Vec<Score>)>, SearchError> {
    check_sortable(snapshot.typed_settings(), items)?;
    let context = Context::new(snapshot, None, None, cancel)?;
    let mut criteria = Criteria::default();
    let steps: Vec<Step<'_>> =
        items.iter().filter_map(|item| criteria.add(item.clone())).map(Step::Sort).collect();
    let window = RankWindow { offset, limit, exhaustive: false, threshold: None, with_scores };
    let ranked = ranking::rank(
        &context,
        &RuleInput::default(),
        &steps,
        Rc::default(),
        candidates.clone(),
        window,
        None,
    )?;
    Ok(ranked.documents)
}

/// Checks that a search may sort by these criteria.
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
    let is_custom =
        |rule: &&RankingRule| matches!(rule, RankingRule::Asc(_) | RankingRule::Desc(_));
    let criteria = items.len() + settings.ranking_rules.iter().filter(is_custom).count();
    if criteria > MOST_CRITERIA {
        return Err(SearchError::NotSortable(format!(
            "`sort` and the ranking rules name {criteria} criteria, at most {MOST_CRITERIA} can \
             be sorted by. Leave some out."
        )));
    }
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

#[cfg(test)]
mod tests;
